/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rpc_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "rpc/wire/rpc_address.h"

#include "test.h"

void fixture_start(fixture *f, const cuzk_rpc_server_config *config)
{
    cuzk_err err;
    cuzk_rpc_server_config c = {.engine = NULL};
    memset(f, 0, sizeof(*f));
    if (config != NULL) {
        c = *config;
    }
    (void)snprintf(f->unix_path, sizeof(f->unix_path), "%s/sub/s.sock", test_tmpdir());
    (void)snprintf(f->unix_address, sizeof(f->unix_address), "unix://%s", f->unix_path);
    const cuzk_rpc_listen listen[] = {{.address = "127.0.0.1:0"}, {.address = f->unix_address}};
    f->engine = fake_engine_create();
    c.engine = f->engine;
    c.listen = listen;
    c.n_listen = 2;
    CHECK_OK(cuzk_rpc_server_create(&f->server, &c, &err), &err);
    CHECK_OK(cuzk_rpc_server_start(f->server, &err), &err);
    (void)snprintf(f->tcp, sizeof(f->tcp), "127.0.0.1:%u", cuzk_rpc_server_port(f->server, 0));
    CHECK(cuzk_rpc_server_port(f->server, 0) != 0 && cuzk_rpc_server_port(f->server, 1) == 0);
}

void fixture_stop(fixture *f)
{
    cuzk_rpc_server_destroy(f->server);
    fake_engine_destroy(f->engine);
    CHECK(access(f->unix_path, F_OK) != 0);
}

cuzk_rpc_client *fixture_client(const char *address)
{
    cuzk_rpc_client *c = NULL;
    cuzk_err err;
    const cuzk_rpc_client_config config = {.address = address, .timeout_ms = PEER_PATIENCE};
    CHECK_OK(cuzk_rpc_client_create(&c, &config, &err), &err);
    return c;
}

int fixture_socket(const fixture *f)
{
    cuzk_rpc_address a;
    cuzk_err err;
    int fd = -1;
    CHECK_OK(cuzk_rpc_address_parse(&a, f->tcp, &err), &err);
    CHECK_OK(cuzk_rpc_address_connect(&fd, &a, PEER_PATIENCE, NULL, &err), &err);
    return fd;
}

h2_peer *fixture_peer(const fixture *f, uint32_t window)
{
    return peer_create(fixture_socket(f), window);
}

bool fixture_wait(fixture *f, bool (*cond)(fixture *f))
{
    const uint64_t until = cuzk_clock_ns() + PEER_PATIENCE * UINT64_C(1000000);
    while (!cond(f)) {
        if (cuzk_clock_ns() > until) {
            return false;
        }
        (void)usleep(2000);
    }
    return true;
}

bool fixture_nothing_reserved(fixture *f)
{
    cuzk_rpc_stats s;
    cuzk_rpc_server_get_stats(f->server, &s);
    return s.receive_bytes_now == 0 && s.receive_waiting_now == 0;
}

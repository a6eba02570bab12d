/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "vanilla/sector/miner.h"

#include <string.h>

void cuzk_prover_id_of_miner(cuzk_node *out, uint64_t miner_id)
{
    size_t n = 0;
    memset(out, 0, sizeof(*out));
    do {
        out->b[n++] = (uint8_t)((miner_id & 0x7f) | (miner_id > 0x7f ? 0x80 : 0));
        miner_id >>= 7;
    } while (miner_id != 0);
}

bool cuzk_miner_of_prover_id(uint64_t *miner_id, const cuzk_node *prover_id)
{
    cuzk_node again;
    uint64_t v = 0;
    for (unsigned i = 0; i < 10; i++) {
        v |= (uint64_t)(prover_id->b[i] & 0x7f) << (7 * i);
        if ((prover_id->b[i] & 0x80) == 0) {
            break;
        }
    }
    cuzk_prover_id_of_miner(&again, v);
    *miner_id = v;
    return memcmp(&again, prover_id, sizeof(again)) == 0;
}

bool cuzk_miner_parse(uint64_t *miner_id, const char *text)
{
    uint64_t v = 0;
    if ((text[0] == 'f' || text[0] == 't') && text[1] == '0') {
        text += 2;
    }
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        const uint64_t digit = (uint64_t)(*p - '0');
        if (v > (UINT64_MAX - digit) / 10) {
            return false;
        }
        v = 10 * v + digit;
    }
    *miner_id = v;
    return p != text && *p == '\0' && v <= CUZK_MINER_MAX;
}

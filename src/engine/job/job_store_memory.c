/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A job store in memory, which is lost when the process ends: for tests and for one-shot use. */
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/job_store.h"

typedef struct entry {
    cuzk_job_record r;         /* views into text and input */
    uint8_t *text;             /* id, error, request_id and other small fields, proof */
    uint8_t *input;            /* views and proofs of the request; NULL when it is over */
    struct entry *next, *prev; /* ascending number */
    struct entry *next_id, *next_content;
} entry;

#define HEADS 4096u

typedef struct memory_store {
    pthread_mutex_t mu;
    entry *first, *last;
    entry *by_id[HEADS], *by_content[HEADS];
    uint64_t next_number, n_over;
} memory_store;

static bool is_over(const cuzk_job_record *r)
{
    return r->state >= CUZK_JOB_COMPLETED;
}

static size_t head_of_id(const char *id)
{
    uint32_t h = 2166136261u;
    for (; *id != '\0'; id++) {
        h = (h ^ (uint8_t)*id) * 16777619u;
    }
    return h % HEADS;
}

static size_t head_of_content(const uint8_t content[32])
{
    return ((size_t)content[0] << 8 | content[1]) % HEADS;
}

static cuzk_bytes put_bytes(uint8_t **at, cuzk_bytes b)
{
    const cuzk_bytes copy = {*at, b.size};
    if (b.size != 0) {
        memcpy(*at, b.data, b.size);
    }
    *at += b.size;
    return copy;
}

static const char *put_text(uint8_t **at, const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = (char *)*at;
    memcpy(copy, text, n);
    *at += n;
    return copy;
}

/* All of the request except the proofs, in one block. */
static bool copy_small(entry *e, const cuzk_job_record *r)
{
    const char *error = r->error != NULL ? r->error : "";
    const cuzk_job_request *q = &r->request;
    const size_t n = strlen(r->job_id) + 1 + strlen(error) + 1 + q->request_id.size +
                     q->owner.size + q->randomness.size + q->comm_r_old.size + q->comm_r_new.size +
                     q->comm_d_new.size + r->proof.size;
    uint8_t *text = cuzk_alloc(n, 1), *at = text;
    if (text == NULL) {
        return false;
    }
    const cuzk_job_request input = e->r.request;
    e->r = *r;
    e->r.job_id = put_text(&at, r->job_id);
    e->r.error = put_text(&at, error);
    e->r.request.request_id = put_bytes(&at, q->request_id);
    e->r.request.owner = put_bytes(&at, q->owner);
    e->r.request.randomness = put_bytes(&at, q->randomness);
    e->r.request.comm_r_old = put_bytes(&at, q->comm_r_old);
    e->r.request.comm_r_new = put_bytes(&at, q->comm_r_new);
    e->r.request.comm_d_new = put_bytes(&at, q->comm_d_new);
    e->r.proof = put_bytes(&at, r->proof);
    e->r.request.vanilla_proof = input.vanilla_proof;
    e->r.request.vanilla_proofs = input.vanilla_proofs;
    e->r.request.n_vanilla_proofs = input.n_vanilla_proofs;
    cuzk_free(e->text);
    e->text = text;
    return true;
}

static bool copy_input(entry *e, const cuzk_job_request *q)
{
    size_t n = q->vanilla_proof.size + q->n_vanilla_proofs * sizeof(cuzk_bytes);
    for (size_t i = 0; i < q->n_vanilla_proofs; i++) {
        n += q->vanilla_proofs[i].size;
    }
    e->input = cuzk_alloc(n, 1);
    if (e->input == NULL) {
        return false;
    }
    cuzk_bytes *views = (cuzk_bytes *)(void *)e->input; /* blocks are aligned */
    uint8_t *at = e->input + q->n_vanilla_proofs * sizeof(cuzk_bytes);
    for (size_t i = 0; i < q->n_vanilla_proofs; i++) {
        views[i] = put_bytes(&at, q->vanilla_proofs[i]);
    }
    e->r.request.vanilla_proofs = views;
    e->r.request.n_vanilla_proofs = q->n_vanilla_proofs;
    e->r.request.vanilla_proof = put_bytes(&at, q->vanilla_proof);
    return true;
}

static void destroy_entry(entry *e)
{
    cuzk_free(e->text);
    cuzk_free(e->input);
    cuzk_free(e);
}

static entry *find_number(memory_store *s, uint64_t number)
{
    entry *e = s->last; /* searched from the newest, since recent jobs are asked for most */
    while (e != NULL && e->r.number != number) {
        e = e->prev;
    }
    return e;
}

static cuzk_status put(void *arg, const cuzk_job_record *job, cuzk_err *err)
{
    memory_store *s = arg;
    entry *e = cuzk_alloc_zero(1, sizeof(*e));
    if (e == NULL || !copy_input(e, &job->request) || !copy_small(e, job)) {
        if (e != NULL) {
            destroy_entry(e);
        }
        return CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the record of job %s", job->job_id);
    }
    entry **id = &s->by_id[head_of_id(e->r.job_id)];
    entry **content = &s->by_content[head_of_content(e->r.content)];
    pthread_mutex_lock(&s->mu);
    entry *before = s->last;
    while (before != NULL && before->r.number > e->r.number) {
        before = before->prev;
    }
    e->prev = before;
    e->next = before != NULL ? before->next : s->first;
    *(before != NULL ? &before->next : &s->first) = e;
    *(e->next != NULL ? &e->next->prev : &s->last) = e;
    e->next_id = *id;
    *id = e;
    e->next_content = *content;
    *content = e;
    if (job->number >= s->next_number) {
        s->next_number = job->number + 1;
    }
    pthread_mutex_unlock(&s->mu);
    return CUZK_OK;
}

static cuzk_status finish(void *arg, const cuzk_job_record *job, cuzk_err *err)
{
    memory_store *s = arg;
    cuzk_status st = CUZK_OK;
    pthread_mutex_lock(&s->mu);
    entry *e = find_number(s, job->number);
    if (e == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOT_FOUND, "no job %llu", (unsigned long long)job->number);
    } else if (!copy_small(e, job)) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "no memory for the result of job %s", job->job_id);
    } else {
        cuzk_free(e->input);
        e->input = NULL;
        e->r.request.vanilla_proof = (cuzk_bytes){NULL, 0};
        e->r.request.vanilla_proofs = NULL;
        e->r.request.n_vanilla_proofs = 0;
        s->n_over++;
    }
    pthread_mutex_unlock(&s->mu);
    return st;
}

static cuzk_status load(void *arg, void (*each)(void *each_arg, const cuzk_job_record *job),
                        void *each_arg, uint64_t *next_number, cuzk_err *err)
{
    memory_store *s = arg;
    (void)err;
    pthread_mutex_lock(&s->mu);
    for (const entry *e = s->first; e != NULL; e = e->next) {
        if (!is_over(&e->r)) {
            each(each_arg, &e->r);
        }
    }
    *next_number = s->next_number;
    pthread_mutex_unlock(&s->mu);
    return CUZK_OK;
}

static cuzk_status read_one(void *arg, uint64_t number,
                            void (*each)(void *each_arg, const cuzk_job_record *job),
                            void *each_arg, cuzk_err *err)
{
    memory_store *s = arg;
    cuzk_status st = CUZK_OK;
    pthread_mutex_lock(&s->mu);
    const entry *e = find_number(s, number);
    if (e == NULL || is_over(&e->r)) {
        st = CUZK_FAIL(err, CUZK_E_NOT_FOUND, "no open job %llu", (unsigned long long)number);
    } else {
        each(each_arg, &e->r);
    }
    pthread_mutex_unlock(&s->mu);
    return st;
}

static cuzk_status find(void *arg, const char *job_id,
                        void (*each)(void *each_arg, const cuzk_job_record *job), void *each_arg,
                        cuzk_err *err)
{
    memory_store *s = arg;
    cuzk_status st = CUZK_E_NOT_FOUND;
    const entry *newest = NULL;
    pthread_mutex_lock(&s->mu);
    for (const entry *e = s->by_id[head_of_id(job_id)]; e != NULL; e = e->next_id) {
        if (strcmp(e->r.job_id, job_id) == 0 &&
            (newest == NULL || e->r.number > newest->r.number)) {
            newest = e;
        }
    }
    if (newest != NULL) {
        each(each_arg, &newest->r);
        st = CUZK_OK;
    }
    pthread_mutex_unlock(&s->mu);
    return st == CUZK_OK ? st : CUZK_FAIL(err, st, "no job %s", job_id);
}

static cuzk_status find_content(void *arg, const uint8_t content[32], cuzk_bytes request_id,
                                void (*each)(void *each_arg, const cuzk_job_record *job),
                                void *each_arg, cuzk_err *err)
{
    memory_store *s = arg;
    cuzk_status st = CUZK_E_NOT_FOUND;
    const entry *newest = NULL;
    pthread_mutex_lock(&s->mu);
    for (const entry *e = s->by_content[head_of_content(content)]; e != NULL; e = e->next_content) {
        const cuzk_bytes id = e->r.request.request_id;
        if (e->r.state == CUZK_JOB_COMPLETED && memcmp(e->r.content, content, 32) == 0 &&
            id.size == request_id.size &&
            (id.size == 0 || memcmp(id.data, request_id.data, id.size) == 0) &&
            (newest == NULL || e->r.number > newest->r.number)) {
            newest = e;
        }
    }
    if (newest != NULL) {
        each(each_arg, &newest->r);
        st = CUZK_OK;
    }
    pthread_mutex_unlock(&s->mu);
    return st == CUZK_OK ? st : CUZK_FAIL(err, st, "no such job");
}

static void drop(memory_store *s, entry *e)
{
    entry **at = &s->by_id[head_of_id(e->r.job_id)];
    while (*at != e) {
        at = &(*at)->next_id;
    }
    *at = e->next_id;
    at = &s->by_content[head_of_content(e->r.content)];
    while (*at != e) {
        at = &(*at)->next_content;
    }
    *at = e->next_content;
    *(e->prev != NULL ? &e->prev->next : &s->first) = e->next;
    *(e->next != NULL ? &e->next->prev : &s->last) = e->prev;
    s->n_over -= is_over(&e->r) ? 1 : 0;
    destroy_entry(e);
}

static cuzk_status prune(void *arg, int64_t ended_before_unix_ms, uint64_t keep_count,
                         cuzk_err *err)
{
    memory_store *s = arg;
    (void)err;
    pthread_mutex_lock(&s->mu);
    for (entry *e = s->first; e != NULL;) {
        entry *following = e->next;
        if (is_over(&e->r) &&
            (e->r.ended_unix_ms < ended_before_unix_ms || s->n_over > keep_count)) {
            drop(s, e);
        }
        e = following;
    }
    pthread_mutex_unlock(&s->mu);
    return CUZK_OK;
}

static void destroy(void *arg)
{
    memory_store *s = arg;
    while (s->first != NULL) {
        drop(s, s->first);
    }
    (void)pthread_mutex_destroy(&s->mu);
    cuzk_free(s);
}

cuzk_status cuzk_job_store_memory(cuzk_job_store *out, cuzk_err *err)
{
    memory_store *s = cuzk_alloc_zero(1, sizeof(*s));
    if (s == NULL || pthread_mutex_init(&s->mu, NULL) != 0) {
        cuzk_free(s);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "job store: out of memory");
    }
    s->next_number = 1;
    *out = (cuzk_job_store){.arg = s,
                            .put = put,
                            .finish = finish,
                            .load = load,
                            .read = read_one,
                            .find = find,
                            .find_content = find_content,
                            .prune = prune,
                            .destroy = destroy};
    return CUZK_OK;
}

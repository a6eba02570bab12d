/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Jobs by id and content. */
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/bytes.h"
#include "engine/engine_internal.h"

static size_t bucket_of_id(const char *id)
{
    uint64_t h = 1469598103934665603ull; /* FNV-1a: ids are the caller's, chains are bounded by
                                            max_queued_jobs */
    for (; *id != '\0'; id++) {
        h = (h ^ (uint8_t)*id) * 1099511628211ull;
    }
    return (size_t)(h ^ h >> 32) & (BUCKETS - 1);
}

static size_t bucket_of_content(const uint8_t content[32])
{
    return (size_t)cuzk_load_u64_le(content) & (BUCKETS - 1);
}

job *cuzk_job_by_id(job_table *jobs, const char *id)
{
    job *j = jobs->by_id[bucket_of_id(id)];
    while (j != NULL && strcmp(j->id, id) != 0) {
        j = j->next_id;
    }
    return j;
}

static bool is_equal(cuzk_bytes a, cuzk_bytes b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

job *cuzk_job_joinable(job_table *jobs, const uint8_t content[32], cuzk_bytes request_id)
{
    job *j = jobs->by_content[bucket_of_content(content)];
    for (; j != NULL; j = j->next_content) {
        const bool is_over =
            j->phase == PHASE_ENDING || j->phase == PHASE_ENDED || j->outcome != CUZK_JOB_QUEUED;
        if (j->part_of == 0 && memcmp(j->content, content, 32) == 0 &&
            is_equal(j->rq.request_id, request_id) &&
            (!is_over || j->outcome == CUZK_JOB_COMPLETED)) {
            return j;
        }
    }
    return NULL;
}

void cuzk_job_insert(job_table *jobs, job *j)
{
    job **content = &jobs->by_content[bucket_of_content(j->content)];
    j->next_content = *content;
    *content = j;
    j->prev = jobs->last;
    j->next = NULL;
    if (jobs->last != NULL) {
        jobs->last->next = j;
    } else {
        jobs->first = j;
    }
    jobs->last = j;
}

void cuzk_job_insert_id(job_table *jobs, job *j)
{
    job **id = &jobs->by_id[bucket_of_id(j->id)];
    j->next_id = *id;
    *id = j;
    j->has_id = true;
}

#define UNLINK(head, field, j)         \
    do {                               \
        job **at_ = (head);            \
        while (*at_ != (j)) {          \
            CUZK_ASSERT(*at_ != NULL); \
            at_ = &(*at_)->field;      \
        }                              \
        *at_ = (j)->field;             \
    } while (0)

void cuzk_job_remove_id(job_table *jobs, job *j)
{
    if (j->has_id) { /* callbacks may be reading the id: it stays as it is */
        UNLINK(&jobs->by_id[bucket_of_id(j->id)], next_id, j);
        j->has_id = false;
    }
}

void cuzk_job_destroy(job *j)
{
    cuzk_job_drop_block(j);
    cuzk_free(j->small);
    cuzk_free(j->views);
    cuzk_free(j->partitions);
    cuzk_free(j->proof);
    cuzk_free(j);
}

void cuzk_job_forget(job_table *jobs, job *j)
{
    cuzk_job_remove_id(jobs, j);
    jobs->n_unsaved -= j->is_end_unsaved ? 1 : 0;
    j->is_end_unsaved = false;
    UNLINK(&jobs->by_content[bucket_of_content(j->content)], next_content, j);
    *(j->prev != NULL ? &j->prev->next : &jobs->first) = j->next;
    *(j->next != NULL ? &j->next->prev : &jobs->last) = j->prev;
    cuzk_job_unpin(j);
}

void cuzk_job_unpin(job *j)
{
    CUZK_ASSERT(j->pins > 0);
    if (--j->pins == 0) {
        cuzk_job_destroy(j);
    }
}

bool cuzk_job_is_privileged(void *arg, const cuzk_sched_item *item)
{
    const job *j = item->owner;
    (void)arg;
    return j->is_privileged;
}

void cuzk_job_item(const job *j, uint32_t partition, uint64_t now_ns, cuzk_sched_item *out)
{
    *out = (cuzk_sched_item){.job = j->number,
                             .partition = partition,
                             .circuit = j->circuit,
                             .class_base = j->class_base,
                             .accepted_ns = j->accepted_ns,
                             .deadline_ns = j->deadline_ns,
                             .queued_ns = now_ns,
                             .avoid = j->partitions != NULL ? j->partitions[partition].avoid : 0,
                             .owner = (void *)(uintptr_t)j};
}

static void refresh(cuzk_sched *q, const job *j)
{
    for (uint32_t i = 0; i < q->n; i++) {
        if (q->items[i].job == j->number) {
            q->items[i].class_base = j->class_base;
            q->items[i].deadline_ns = j->deadline_ns;
        }
    }
}

void cuzk_job_refresh_items(job_queues *queues, job *j)
{
    j->is_privileged = j->rq.kind == CUZK_JOB_WINNING && j->class_base == CUZK_PRIORITY_CRITICAL;
    refresh(&queues->prep, j);
    refresh(&queues->ready, j);
    refresh(&queues->on_device, j);
    refresh(&queues->to_verify, j);
    refresh(&queues->to_aggregate, j);
}

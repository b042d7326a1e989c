/* Records, requests and buffers of a load/store unit. They come from its arena when the free lists are
 * empty, so that after a while nothing is allocated any more. */
#include "sm/lsu/unit.h"

#include <string.h>

enum { REQUESTS_AT_ONCE = 16 };

LsuOp *lsu_new_op(Lsu *lsu)
{
    LsuOp *op = lsu->free_ops;
    if (op) {
        lsu->free_ops = op->next;
    } else {
        op = ARENA_NEW(&lsu->arena, LsuOp);
        op->number = lsu->ops.count;
        VEC_PUSH(&lsu->ops, op);
    }
    lsu->live_ops++;
    return op;
}

/* The free list of buffers that hold `bytes` bytes: each class has twice the size of the one before. */
static uint32_t class_of(size_t bytes)
{
    uint32_t class = 0;
    while (((size_t)SMALLEST_BUFFER << class) < bytes)
        class ++;
    return class;
}

void *lsu_new_buffer(Lsu *lsu, size_t bytes, uint32_t *class)
{
    *class = class_of(bytes);
    void *buffer = lsu->free_buffers[*class];
    if (!buffer)
        return arena_alloc(&lsu->arena, (size_t)SMALLEST_BUFFER << *class);
    memcpy(&lsu->free_buffers[*class], buffer, sizeof buffer);
    return buffer;
}

/* A free buffer begins with the pointer to the next one. */
static void free_buffer(Lsu *lsu, void *buffer, uint32_t class)
{
    memcpy(buffer, &lsu->free_buffers[class], sizeof buffer);
    lsu->free_buffers[class] = buffer;
}

void lsu_free_op(Lsu *lsu, LsuOp *op)
{
    if (op->lines && op->lines != &op->first_line)
        free_buffer(lsu, op->lines, op->lines_class);
    if (op->staging)
        free_buffer(lsu, op->staging, op->staging_class);
    if (op->targets)
        free_buffer(lsu, op->targets, op->targets_class);
    if (op->fetch)
        free_buffer(lsu, op->fetch, op->fetch_class);
    op->next = lsu->free_ops;
    lsu->free_ops = op;
    lsu->live_ops--;
}

/* Requests are aligned, which the arena does not do for them. */
static void add_requests(Lsu *lsu)
{
    const size_t alignment = _Alignof(Request);
    uintptr_t start = (uintptr_t)arena_alloc(&lsu->arena, REQUESTS_AT_ONCE * sizeof(Request) + alignment);
    Request *requests = (Request *)((start + alignment - 1) & ~(alignment - 1));
    for (unsigned i = 0; i < REQUESTS_AT_ONCE; i++) {
        requests[i].next = lsu->free_requests;
        lsu->free_requests = &requests[i];
    }
}

Request *lsu_new_request(Lsu *lsu, RequestKind kind, const AccessLine *line)
{
    if (!lsu->free_requests)
        add_requests(lsu);
    Request *request = lsu->free_requests;
    lsu->free_requests = request->next;
    lsu->live_requests++;
    request->line = line->line;
    request->place = line->place;
    request->sm = lsu->sm->number;
    request->slice =
        interleave_near(&lsu->interleave, interleave_slice(&lsu->interleave, line->line), lsu->sm->number);
    request->kind = (uint8_t)kind;
    request->is_foreign = false;
    request->strength = REQUEST_WEAK;
    request->sectors = line->sectors;
    request->written[0] = request->written[1] = 0;
    request->atomic = NULL;
    request->next = NULL;
    return request;
}

static size_t atomic_bytes(uint32_t elements)
{
    return offsetof(AtomicWork, lanes) + elements * sizeof(AtomicLane);
}

AtomicWork *lsu_new_atomic(Lsu *lsu, uint32_t elements)
{
    uint32_t class;
    return lsu_new_buffer(lsu, atomic_bytes(elements), &class);
}

void lsu_free_request(Lsu *lsu, Request *request)
{
    if (request->atomic)
        free_buffer(lsu, request->atomic, class_of(atomic_bytes(request->atomic->count)));
    request->next = lsu->free_requests;
    lsu->free_requests = request;
    lsu->live_requests--;
}

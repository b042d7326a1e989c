/* Contexts become requests, and their replies end the moves. What is on its way is told by the number of the
 * block's slot, since a slot has one move at a time. */
#include "sm/context_engine.h"

#include <inttypes.h>

#include "exec/shared_copies.h"
#include "sm/lsu/unit.h"
#include "sm/stages.h"

/* One context on its way. Invariant: sent - answered of its requests are under way, and it is in the list
 * until all its lines are answered. */
typedef struct ContextMove {
    uint32_t index;        /* slot of the block */
    bool saves;
    uint32_t lines;        /* of the context, then those of global memory that are read again */
    uint32_t own_lines;
    uint64_t own_bytes;    /* of the context */
    uint32_t sent, answered;
} ContextMove;

struct ContextEngine {
    Sm *sm;
    VEC(ContextMove) moves;    /* in the order of coming */
    uint32_t turn;             /* where the search for the next begins, if they take turns */
    uint32_t outstanding;      /* requests that are not answered */
    Cycle free;                /* first cycle in which another line can be made */
    Cycle throttled_since;     /* there is more to send, but not until an answer comes; CYCLE_NEVER: not so */
    ContextPool pool;
};

ContextEngine *context_engine_create(Sm *sm)
{
    ContextEngine *engine = xcalloc(1, sizeof *engine);
    engine->sm = sm;
    engine->throttled_since = CYCLE_NEVER;
    return engine;
}

void context_engine_free(ContextEngine *engine)
{
    if (!engine)
        return;
    context_pool_free(&engine->pool);
    VEC_FREE(&engine->moves);
    xfree(engine);
}

ContextPool *context_engine_pool(ContextEngine *engine) { return &engine->pool; }

/* A context of no bytes takes a line all the same: where the block stands has to be kept. */
void context_engine_begin(ContextEngine *engine, uint32_t index, bool saves)
{
    Sm *sm = engine->sm;
    const BlockContext *context = &sm->blocks[index].block->context;
    const uint64_t bytes = context_saved_bytes(&context->size);
    ContextMove move = {.index = index, .saves = saves, .own_bytes = bytes ? bytes : 1};
    move.own_lines = (uint32_t)((move.own_bytes + LINE_BYTES - 1) / LINE_BYTES);
    move.lines = move.own_lines + (saves ? 0 : context->lines.count);
    VEC_PUSH(&engine->moves, move);
    sm->lsu->contexts = engine;
    sm->lsu_touched = true;
}

/* -- out -- */

static ContextMove *next_move(ContextEngine *engine)
{
    const bool in_turn = engine->sm->config->context_order == CONTEXT_ORDER_INTERLEAVED;
    const uint32_t count = engine->moves.count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = in_turn ? (engine->turn + i) % count : i;
        if (engine->moves.items[at].sent == engine->moves.items[at].lines)
            continue;
        return &engine->moves.items[at];
    }
    return NULL;
}

/* A line of global memory that is read again, data included. */
static AccessLine copied_line(const Block *block, CopyLine copied)
{
    const uint64_t address = copy_line_address(copied);
    const uint8_t sectors = copy_line_sectors(copied);
    const uint64_t first = address + (uint64_t)__builtin_ctz(sectors) * SECTOR_BYTES;
    const Allocation *found = space_find(block->launch->space, first, 1);
    AccessLine line = {.line = address, .sectors = sectors};
    if (found)
        line.place = (uint8_t *)((uintptr_t)found->host + (address - found->base));
    return line;
}

/* The last line may hold less: whole sectors travel. */
static AccessLine line_of(const ContextMove *move, const Block *block)
{
    const BlockContext *context = &block->context;
    AccessLine line = {.sectors = (1 << LINE_SECTORS) - 1};
    if (move->sent >= move->own_lines)
        return copied_line(block, context->lines.items[move->sent - move->own_lines]);
    const uint64_t rest = move->own_bytes - (uint64_t)move->sent * LINE_BYTES;
    line.line = context->address + (uint64_t)move->sent * LINE_BYTES;
    if (rest < LINE_BYTES)
        line.sectors = (uint8_t)((1u << (rest + SECTOR_BYTES - 1) / SECTOR_BYTES) - 1);
    return line;
}

static void send_line(ContextEngine *engine, ContextMove *move, Cycle now)
{
    Sm *sm = engine->sm;
    BlockSlot *slot = &sm->blocks[move->index];
    const AccessLine line = line_of(move, slot->block);
    Request *request = lsu_new_request(sm->lsu, move->saves ? REQUEST_STORE : REQUEST_LOAD, &line);
    request->ticket = move->index;
    request->is_context = true;
    if (move->saves)
        request_mark_written(request, 0, count_sectors(line.sectors) * SECTOR_BYTES);
    if (!move->sent)
        *(move->saves ? &slot->report.stay.save_begun : &slot->report.stay.restore_begun) = now;
    move->sent++;
    engine->outstanding++;
    engine->turn = (uint32_t)(move - engine->moves.items) + 1;
    engine->free = now + 1;
    sm->statistics.context_requests++;
    lsu_push_context(sm->lsu, request, now);
}

void context_engine_account(ContextEngine *engine, Cycle now)
{
    if (engine->throttled_since >= now)
        return;
    engine->sm->statistics.context_throttled_cycles += now - engine->throttled_since;
    engine->throttled_since = now;
}

Cycle context_engine_advance(ContextEngine *engine, Cycle now)
{
    const GpuConfig *config = engine->sm->config;
    Cycle next = CYCLE_NEVER;
    bool is_throttled = false;
    for (ContextMove *move; (move = next_move(engine));) {
        is_throttled = engine->outstanding >= config->context_outstanding;
        if (is_throttled || !lsu_can_send_context(engine->sm->lsu))
            break;
        if (engine->free > now) {
            next = engine->free;
            break;
        }
        send_line(engine, move, now);
    }
    context_engine_account(engine, now);
    engine->throttled_since = is_throttled ? now : CYCLE_NEVER;
    return next;
}

/* -- back -- */

static void remove_move(ContextEngine *engine, uint32_t at)
{
    for (uint32_t i = at; i + 1 < engine->moves.count; i++)
        engine->moves.items[i] = engine->moves.items[i + 1];
    engine->moves.count--;
    engine->turn -= at < engine->turn;
    if (!engine->moves.count) {
        engine->sm->lsu->contexts = NULL;
        engine->turn = 0;
    }
}

/* The block has its shared memory still: what has been read again must be the same. */
static void check_copies(Sm *sm, uint32_t index, const Request *request)
{
    const Block *block = sm->blocks[index].block;
    const CopyRun *wrong =
        request->place ? shared_copies_differ(block, request->line | request->sectors, request->data) : NULL;
    if (!wrong || sm->error.status != WB_OK)
        return;
    error_set(&sm->error, WB_ERROR_EXECUTION,
              "Kernel %s, block (%u,%u,%u): %u bytes at %u of its shared memory were not saved when it left "
              "its SM, because %s that they repeat the global memory at 0x%" PRIx64
              "; when the block came back, that held something else. %s",
              block->launch->program->name, block->index[0], block->index[1], block->index[2], wrong->bytes,
              wrong->shared,
              wrong->is_hint ? "wb_read_only() had said" : "the analysis of the kernel had found",
              wrong->global,
              wrong->is_hint ? "Neither may change once it has been called."
                             : "Somebody else writes there while the kernel runs: set context_read_only to "
                               "false.");
    sm_fail(sm, (uint32_t)__builtin_ctzll(sm->blocks[index].warp_slots));
}

void context_engine_reply(ContextEngine *engine, const Request *request)
{
    if (request->kind == REQUEST_LOAD)
        check_copies(engine->sm, request->ticket, request);
    uint32_t at = 0;
    while (engine->moves.items[at].index != request->ticket)
        at++;
    engine->outstanding--;
    if (++engine->moves.items[at].answered < engine->moves.items[at].lines)
        return;
    remove_move(engine, at);
    suspend_moved(engine->sm, request->ticket);
}

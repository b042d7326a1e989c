/* Lines of global and local memory: through the L1, out to the crossbar, and what comes back. */
#include <string.h>

#include "sm/lsu/unit.h"

static Cycle later(Cycle a, Cycle b) { return a > b ? a : b; }

static unsigned count_sectors(uint8_t sectors) { return (unsigned)__builtin_popcount(sectors); }

/* Cycles of the L1's data array for sectors of a line. */
static Cycle data_cycles(const Lsu *lsu, uint8_t sectors)
{
    const uint64_t rate = lsu->config->l1_bytes_per_cycle;
    const Cycle cycles = (count_sectors(sectors) * SECTOR_BYTES + rate - 1) / rate;
    return cycles ? cycles : 1;
}

/* -- towards the crossbar -- */

void lsu_send(Lsu *lsu, Cycle now)
{
    Sm *sm = lsu->sm;
    while (lsu->outgoing) {
        Request *request = lsu->outgoing;
        const Cycle when = crossbar_when(sm->crossbar, TO_SLICE, sm->number, request->slice, now);
        if (when > now) {
            lsu->send_when = when == CYCLE_NEVER ? LSU_ASK_AGAIN : when;
            return;
        }
        lsu->outgoing = request->next;
        lsu->outgoing_count--;
        request->next = NULL;
        const uint32_t channel = interleave_channel(&lsu->interleave, request->slice);
        crossbar_send(sm->crossbar, TO_SLICE, request, &sm->shard, (uint32_t)lsu->config->sm_count + channel,
                      now);
        lsu->statistics.requests++;
    }
}

static void push_outgoing(Lsu *lsu, Request *request, Cycle now)
{
    const bool is_first = !lsu->outgoing;
    request->next = NULL;
    *(is_first ? &lsu->outgoing : &lsu->last_outgoing->next) = request;
    lsu->last_outgoing = request;
    lsu->outgoing_count++;
    if (is_first)
        lsu_send(lsu, now);
    lsu->statistics.send_waits += lsu->outgoing != NULL;
}

static bool can_send(const Lsu *lsu) { return lsu->outgoing_count < lsu->config->l1_miss_queue; }

/* -- loads -- */

/* Bytes [from, to) of the line that are in the sectors, to where they belong in the image at `image`. */
static void copy_range(uint8_t *image, const uint8_t *data, uint64_t from, uint64_t to, uint8_t sectors)
{
    for (; sectors; sectors &= (uint8_t)(sectors - 1)) {
        const uint64_t sector = (uint64_t)__builtin_ctz(sectors) * SECTOR_BYTES;
        const uint64_t begin = later(from, sector),
                       end = sector + SECTOR_BYTES < to ? sector + SECTOR_BYTES : to;
        memcpy(image + (begin - from), data + begin, end - begin);
    }
}

static void copy_lanes(LsuOp *op, Mask lanes, const uint8_t *data, uint8_t sectors)
{
    const uint32_t bytes = op->bytes;
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = mask_first(lanes), offset = op->offset[lane];
        if (!(sectors >> offset / SECTOR_BYTES & 1))
            continue;
        uint8_t *to = op->staging + (size_t)lane * bytes;
        switch (bytes) {
        case 4:
            memcpy(to, data + offset, 4);
            break;
        case 8:
            memcpy(to, data + offset, 8);
            break;
        case 16:
            memcpy(to, data + offset, 16);
            break;
        default:
            memcpy(to, data + offset, bytes);
            break;
        }
    }
}

static void copy_in(Lsu *lsu, LsuOp *op, const AccessLine *line, const uint8_t *data, uint8_t sectors)
{
    if (!op->staging) {
        const size_t lanes = op->pattern == PATTERN_UNIFORM ? 1 : lsu->width;
        op->staging = lsu_new_buffer(lsu, lanes * op->bytes, &op->staging_class);
    }
    if (op->pattern == PATTERN_UNIFORM) {
        memcpy(op->staging, data + (op->address - line->line), op->bytes);
    } else if (op->pattern == PATTERN_CONSECUTIVE) {
        const uint64_t first = later(op->address, line->line);
        const uint64_t end = op->address + (uint64_t)lsu->width * op->bytes;
        const uint64_t to = end - line->line < LINE_BYTES ? end - line->line : LINE_BYTES;
        uint8_t *image = op->staging + (first - op->address);
        if (sectors == line->sectors)
            memcpy(image, data + (first - line->line), to - (first - line->line));
        else
            copy_range(image, data, first - line->line, to, sectors);
    } else {
        copy_lanes(op, line->lanes, data, sectors);
    }
}

/* Texels that lie in the sectors; each lies in one. */
static void copy_texels(TextureFetch *fetch, const AccessLine *line, const uint8_t *data, uint8_t sectors)
{
    const TextureLane *lanes = fetch_lanes(fetch);
    for (uint32_t row = 0; row < fetch->texels; row++) {
        TextureTexel *texels = fetch_texels(fetch, row);
        for (Mask rest = line->lanes; rest; rest &= rest - 1) {
            const unsigned lane = mask_first(rest);
            const uint64_t offset =
                texels[lane].address - line->line; /* large for a texel elsewhere, or none */
            if (offset < LINE_BYTES && sectors >> offset / SECTOR_BYTES & 1)
                memcpy(texels[lane].data, data + offset, lanes[lane].object->element_bytes);
        }
    }
}

/* Sectors of one of the load's lines are there. Where they are all that it wants, the second phase takes
 * them from where they are. */
static void take_sectors(Lsu *lsu, LsuOp *op, uint32_t index, const uint8_t *data, uint8_t sectors)
{
    const AccessLine *line = &op->lines[index];
    op->sectors_left -= count_sectors(sectors);
    if (op->is_local)
        return;
    if (op->fetch) {
        copy_texels(op->fetch, line, data, sectors);
        if (!op->sectors_left)
            lsu_perform(lsu, op, NULL);
        return;
    }
    if (op->line_count == 1 && sectors == line->sectors) {
        lsu_perform(lsu, op, data);
        return;
    }
    copy_in(lsu, op, line, data, sectors);
    if (!op->sectors_left)
        lsu_perform(lsu, op, NULL);
}

static uint64_t *load_line(Lsu *lsu, LsuOp *op, Cycle start, Cycle now)
{
    const AccessLine *line = &op->lines[op->next_line];
    const L1Load load = {line->line, line->sectors, op->is_cached, can_send(lsu), op, op->next_line};
    L1Answer answer;
    const L1Status status = l1_load(&lsu->l1, &load, &answer);
    if (status == L1_FULL)
        return &lsu->statistics.mshr_full_cycles;
    if (status == L1_CANNOT_SEND)
        return &lsu->statistics.send_full_cycles;
    const Cycle cycles = data_cycles(lsu, line->sectors);
    lsu->free = start + cycles;
    if (answer.hit) {
        take_sectors(lsu, op, op->next_line, answer.data, answer.hit);
        op->ready = start + cycles - 1 + lsu->config->l1_latency;
    }
    if (status == L1_MISS) {
        Request *request = lsu_new_request(lsu, REQUEST_LOAD, line);
        request->sectors = answer.fetch;
        request->strength = op->strength;
        request->ticket = answer.ticket;
        push_outgoing(lsu, request, now);
    }
    op->next_line++;
    return NULL;
}

/* -- stores and atomics -- */

static uint64_t *send_line(Lsu *lsu, LsuOp *op, Cycle start, Cycle now)
{
    Request *request = op->requests;
    if (!can_send(lsu))
        return &lsu->statistics.send_full_cycles;
    op->requests = request->next;
    lsu->free = start + 1;
    if (request->kind == REQUEST_ATOMIC) {
        l1_atomic(&lsu->l1, request->line, request->sectors);
    } else {
        l1_store(&lsu->l1, request->line, request->sectors, request->written,
                 op->is_local ? NULL : request->data);
        lsu->free = start + data_cycles(lsu, request->sectors);
    }
    if (request->kind == REQUEST_STORE || !request->atomic->returns)
        request->ticket = writeback_ticket(lsu->sm, op->warp);
    push_outgoing(lsu, request, now);
    return NULL;
}

uint64_t *lsu_next_line(Lsu *lsu, LsuOp *op, Cycle start, Cycle now)
{
    return op->kind == OP_LOAD ? load_line(lsu, op, start, now) : send_line(lsu, op, start, now);
}

/* -- replies -- */

static void deliver(void *context, void *owner, uint32_t index, const uint8_t *data, uint8_t sectors)
{
    Lsu *lsu = context;
    LsuOp *op = owner;
    take_sectors(lsu, op, index, data, sectors);
    if (!op->sectors_left)
        lsu_finish(lsu, op, later(op->ready, lsu->sm->now + lsu->config->l1_fill_latency));
}

static void reply_atomic(Lsu *lsu, const Request *request, Cycle now)
{
    LsuOp *op = lsu->ops.items[request->ticket];
    Step step;
    step.warp = op->threads;
    step.frame = &op->threads->frames.items[op->frame];
    step.insn = op->insn;
    step.mask = op->mask;
    atomic_work_deliver(&step, request->atomic);
    if (--op->replies_left == 0)
        lsu_finish(lsu, op, now + lsu->config->l1_fill_latency);
}

void lsu_reply(Lsu *lsu, Request *request, Cycle now)
{
    if (request->kind == REQUEST_LOAD)
        l1_arrived(&lsu->l1, request->ticket, request->sectors, request->data, deliver, lsu);
    else if (request->kind == REQUEST_ATOMIC && request->atomic->returns)
        reply_atomic(lsu, request, now);
    else
        writeback_confirmed(lsu->sm, request->ticket);
    lsu_free_request(lsu, request);
}

/* Accesses of instructions that issue become records of the load/store unit.
 *
 * Data in shared, local, constant and parameter memory moves here and now. What a store writes to global
 * memory is put into its requests, and so are an atomic's operands; a load's record keeps what its second
 * phase will need. An instruction whose lanes are in several spaces is one access for each. */
#include <string.h>

#include "sm/lsu/unit.h"
#include "sm/lsu/shared_banks.h"
#include "sm/stages.h"

enum { MAX_LANE_BYTES = 32, WORD_BYTES = 4 };

/* An access that is being handed over. */
typedef struct Handover {
    Lsu *lsu;
    Step *step;
    Access *access;
    SecondPhase *perform;
} Handover;

static WarpSlot *slot_of(const Lsu *lsu) { return &lsu->sm->warps[lsu->sm->issuing.warp]; }

static void perform_now(const Handover *handover)
{
    if (handover->perform)
        handover->perform(handover->step, handover->access);
}

/* -- records -- */

/* A record of an access that nobody waits for; nothing is to be performed later. */
static LsuOp *new_record(const Handover *handover, OpKind kind)
{
    Lsu *lsu = handover->lsu;
    const Access *access = handover->access;
    LsuOp *op = lsu_new_op(lsu);
    op->whole = op;
    op->accesses_left = 1;
    op->kind = (uint8_t)kind;
    op->warp = (uint8_t)lsu->sm->issuing.warp;
    op->strength = REQUEST_WEAK;
    op->has_registers = op->is_cached = op->is_local = op->is_copy = op->acquires = false;
    op->issued = lsu->sm->now;
    op->started = CYCLE_NEVER;
    op->ready = 0;
    op->least_cycles = lsu->lane_cycles;
    op->extra_latency = 0;
    op->timing = lsu->sm->issuing.insn;
    op->lines = NULL;
    op->line_count = op->next_line = op->sectors_left = op->replies_left = 0;
    op->requests = op->last_request = NULL;
    op->perform = NULL;
    op->threads = handover->step->warp;
    op->insn = handover->step->insn;
    op->frame = (uint32_t)(handover->step->frame - handover->step->warp->frames.items);
    op->mask = access->mask;
    op->staging = NULL;
    op->targets = NULL;
    op->fetch = NULL;
    return op;
}

/* Registers come later: the record is one of those that its instruction waits for. */
static void announce(const Handover *handover, LsuOp *op, Wait wait)
{
    Issuing *issuing = &handover->lsu->sm->issuing;
    op->has_registers = true;
    if (issuing->op) {
        op->whole = issuing->op;
        op->whole->accesses_left++;
    } else {
        issuing->op = op;
    }
    if (!issuing->pending || wait == WAIT_MEMORY)
        issuing->wait = (uint8_t)wait;
    issuing->pending = true;
}

/* Registers that are there at a cycle that is known. */
static LsuOp *known_later(const Handover *handover, Cycle ready, Wait wait)
{
    Lsu *lsu = handover->lsu;
    LsuOp *op = new_record(handover, OP_KNOWN);
    op->ready = ready;
    announce(handover, op, wait);
    op->next = NULL;
    *(lsu->known ? &lsu->last_known->next : &lsu->known) = op;
    lsu->last_known = op;
    lsu->sm->lsu_touched = true;
    return op;
}

static void keep_targets(Lsu *lsu, LsuOp *op, uint8_t *const *places)
{
    op->targets = lsu_new_buffer(lsu, lsu->width * sizeof *op->targets, &op->targets_class);
    memcpy(op->targets, places, lsu->width * sizeof *op->targets);
}

/* What the second phase will need. */
static void keep_access(const Handover *handover, LsuOp *op)
{
    Lsu *lsu = handover->lsu;
    const Access *access = handover->access;
    op->perform = handover->perform;
    op->access_kind = access->kind;
    op->space = access->space;
    op->element_bytes = access->element_bytes;
    op->vector = access->vector;
    op->pattern = access->pattern;
    op->bytes = access->bytes;
    op->values = access->values;
    op->address = access->address[0];
    op->part = access->part;
    if (access->kind == ACCESS_COPY) {
        keep_targets(lsu, op, access->targets);
        op->object = access->object;
    }
    if (access->pattern == PATTERN_ANY)
        for (unsigned lane = 0; lane < lsu->width; lane++)
            op->offset[lane] = (uint8_t)(access->address[lane] % LINE_BYTES);
}

static void keep_lines(Lsu *lsu, LsuOp *op, const AccessLine *lines, uint32_t count)
{
    op->lines = &op->first_line;
    if (count > 1)
        op->lines = lsu_new_buffer(lsu, count * sizeof *lines, &op->lines_class);
    memcpy(op->lines, lines, count * sizeof *lines);
    op->line_count = count;
    for (uint32_t i = 0; i < count; i++)
        op->sectors_left += (uint32_t)__builtin_popcount(lines[i].sectors);
}

static void add_request(LsuOp *op, Request *request)
{
    request->ticket = op->warp;
    *(op->requests ? &op->last_request->next : &op->requests) = request;
    op->last_request = request;
}

static void count_lines(Lsu *lsu, const AccessLine *lines, uint32_t count)
{
    lsu->statistics.global_lines += count;
    for (uint32_t i = 0; i < count; i++)
        lsu->statistics.global_sectors += (uint32_t)__builtin_popcount(lines[i].sectors);
}

/* -- shared memory and constants -- */

static void carry_shared(const Handover *handover)
{
    Lsu *lsu = handover->lsu;
    const Access *access = handover->access;
    const bool is_atomic = access->kind == ACCESS_ATOMIC;
    const bool returns = is_atomic && atomic_returns(handover->step);
    const BankPasses banks = shared_banks_passes(lsu->config, access, lsu->width, returns);
    LsuOp *op = new_record(handover, OP_PASSES);
    op->passes = banks.passes;
    lsu->statistics.shared_accesses++;
    lsu->statistics.shared_passes += banks.passes;
    lsu->statistics.shared_conflicts += banks.passes - banks.least;
    if (access->kind == ACCESS_LOAD || returns)
        announce(handover, op, WAIT_SHARED);
    perform_now(handover);
    lsu_enqueue(lsu, op);
}

/* Values of calls travel in registers and take no time here; kernel parameters are constants, but take
 * none either where the assembler folds their load into other instructions. */
static void carry_constant(const Handover *handover)
{
    Lsu *lsu = handover->lsu;
    const Access *access = handover->access;
    perform_now(handover);
    const bool is_value = access->space == SPACE_PARAM && access->base->kind == OPERAND_PARAM;
    if (is_value || lsu->sm->issuing.insn->kind != CLASS_MEMORY || !lsu->sm->issuing.insn->slots)
        return;
    const uint64_t grid = handover->step->warp->block->launch->grid_id;
    const uint64_t base = access->space == SPACE_PARAM ? (uint64_t)1 << 62 | grid << 20 : 0;
    const ConstResult result = const_cache_access(&lsu->constants, access, base, lsu->sm->now);
    lsu->statistics.const_accesses++;
    lsu->statistics.const_hits += result.hits;
    lsu->statistics.const_misses += result.misses;
    lsu->statistics.const_serial += result.hits + result.misses - 1;
    known_later(handover, result.ready, WAIT_SHARED);
}

/* -- local memory -- */

/* Where a warp's local memory would lie if it had an address. */
static uint64_t local_base(const Handover *handover)
{
    const Sm *sm = handover->lsu->sm;
    const uint64_t bytes = (uint64_t)handover->step->warp->block->launch->local_bytes * handover->lsu->width;
    const uint64_t span = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    return (uint64_t)1 << 63 | ((uint64_t)sm->number * MAX_WARPS + sm->issuing.warp) * span;
}

static void mark_written(Request *request, unsigned offset, unsigned bytes)
{
    const unsigned __int128 all = ~(unsigned __int128)0;
    const unsigned __int128 bits = all >> (LINE_BYTES - bytes) << offset;
    request->written[0] |= (uint64_t)bits;
    request->written[1] |= (uint64_t)(bits >> 64);
}

static void send_local(const Handover *handover, LsuOp *op, const AccessLine *lines, uint32_t count)
{
    const uint32_t bytes = handover->access->bytes;
    for (uint32_t i = 0; i < count; i++) {
        Request *request = lsu_new_request(handover->lsu, REQUEST_STORE, &lines[i]);
        for (Mask rest = lines[i].lanes; rest; rest &= rest - 1)
            mark_written(request, mask_first(rest) * WORD_BYTES % LINE_BYTES,
                         bytes < WORD_BYTES ? bytes : WORD_BYTES);
        add_request(op, request);
    }
    slot_of(handover->lsu)->pending_stores += count;
}

static void carry_local(const Handover *handover)
{
    Lsu *lsu = handover->lsu;
    AccessLine lines[MAX_LINES];
    const uint32_t count = coalesce_local(handover->access, lsu->width, local_base(handover), lines);
    const bool loads = handover->access->kind == ACCESS_LOAD;
    LsuOp *op = new_record(handover, loads ? OP_LOAD : OP_SEND);
    op->is_local = op->is_cached = true;
    lsu->statistics.local_accesses++;
    lsu->statistics.local_lines += count;
    perform_now(handover);
    if (loads) {
        keep_lines(lsu, op, lines, count);
        announce(handover, op, WAIT_MEMORY);
    } else {
        send_local(handover, op, lines, count);
    }
    lsu_enqueue(lsu, op);
}

/* -- time of textures -- */

/* The texture unit takes lanes a few at a time, as often as `passes` says; texels by integers, as of
 * surfaces, are not filtered and go faster. */
static void take_texture_time(const Handover *handover, LsuOp *op, bool by_integers, uint32_t passes)
{
    const GpuConfig *config = handover->lsu->config;
    const uint64_t lanes = (uint64_t)__builtin_popcountll(op->mask) * passes;
    const uint64_t rate = by_integers ? config->texture_fetch_lanes : config->texture_lanes;
    op->least_cycles = (lanes + rate - 1) / rate;
    op->extra_latency =
        op->least_cycles - 1 + (by_integers ? config->texture_fetch_latency : config->texture_latency);
}

/* A pass filters four texels of up to 8 bytes. */
static uint32_t texture_passes(const TextureFetch *fetch)
{
    enum { TEXELS = 4, BYTES = 32 };
    const TextureLane *lane = fetch_lanes((TextureFetch *)(uintptr_t)fetch);
    while (!lane->object)
        lane++;
    const uint32_t by_bytes = (fetch->texels * lane->object->element_bytes + BYTES - 1) / BYTES;
    const uint32_t by_texels = (fetch->texels + TEXELS - 1) / TEXELS;
    return by_bytes > by_texels ? by_bytes : by_texels;
}

/* -- global memory -- */

/* No access of the warp passes one that acquires: until it has come, the warp issues nothing. */
static void acquire(const Handover *handover, LsuOp *op)
{
    op->acquires = handover->step->insn->aux & AUX_ACQUIRE;
    if (op->acquires)
        handover->lsu->sm->acquiring |= (WarpSet)1 << op->warp;
}

/* Whether the L1 may answer a load of global memory. */
static bool is_cached(const Lsu *lsu, uint32_t aux)
{
    const bool bypasses = lsu->config->graph_l1 == GRAPH_L1_BYPASS &&
                          lsu->sm->blocks[slot_of(lsu)->block].kernel->is_graph;
    return !(aux & AUX_AT_L2) && (aux & AUX_READ_ONLY || (lsu->config->l1_global && !bypasses));
}

static void load_global(const Handover *handover, const AccessLine *lines, uint32_t count)
{
    Lsu *lsu = handover->lsu;
    const Access *access = handover->access;
    const uint32_t aux = handover->step->insn->aux;
    LsuOp *op = new_record(handover, OP_LOAD);
    keep_access(handover, op);
    keep_lines(lsu, op, lines, count);
    op->is_cached = is_cached(lsu, aux);
    op->strength = aux & AUX_SYSTEM ? REQUEST_SYSTEM : aux & AUX_STRONG ? REQUEST_STRONG : REQUEST_WEAK;
    acquire(handover, op);
    if (access->kind == ACCESS_COPY) {
        op->is_copy = true;
        slot_of(lsu)->pending_stores++;
        lsu_copy_begins(lsu, op);
        lsu->statistics.async_copies++;
    } else {
        announce(handover, op, WAIT_MEMORY);
        lsu->statistics.global_loads++;
    }
    if (handover->step->insn->action == ACTION_SURFACE_LOAD)
        take_texture_time(handover, op, true, 1);
    lsu_enqueue(lsu, op);
}

/* The bytes of all lanes, from where the second phase has put them, into the line's request. */
static void fill_request(const Access *access, const AccessLine *line, const uint8_t *staging,
                         Request *request)
{
    const uint32_t bytes = access->bytes;
    if (access->pattern == PATTERN_CONSECUTIVE) {
        const unsigned first = mask_first(line->lanes), count = (unsigned)__builtin_popcountll(line->lanes);
        const unsigned offset = (unsigned)(access->address[0] + (uint64_t)first * bytes - line->line);
        memcpy(request->data + offset, staging + (size_t)first * bytes, (size_t)count * bytes);
        mark_written(request, offset, count * bytes);
        return;
    }
    for (Mask rest = line->lanes; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest), offset = (unsigned)(access->address[lane] - line->line);
        memcpy(request->data + offset, staging + (size_t)lane * bytes, bytes);
        mark_written(request, offset, bytes);
    }
}

/* Lets the second phase write to `staging`, lane by lane in a row. */
static void perform_staged(const Handover *handover, uint8_t *staging)
{
    Access *access = handover->access;
    const uint8_t pattern = access->pattern;
    access->place[0] = staging;
    if (access->values)
        access->pattern = PATTERN_CONSECUTIVE;
    else
        for (unsigned lane = 0; lane < handover->lsu->width; lane++)
            access->place[lane] = staging + (size_t)lane * access->bytes;
    perform_now(handover);
    access->pattern = pattern;
}

/* Lanes in a row or at one place, all in one line, are written where they belong at once. */
static void perform_in_request(const Handover *handover, Request *request)
{
    Access *access = handover->access;
    const unsigned offset = (unsigned)(access->address[0] - request->line);
    const unsigned lanes = access->pattern == PATTERN_UNIFORM ? 1 : handover->lsu->width;
    access->place[0] = request->data + offset;
    perform_now(handover);
    mark_written(request, offset, lanes * access->bytes);
}

static void store_global(const Handover *handover, const AccessLine *lines, uint32_t count)
{
    Lsu *lsu = handover->lsu;
    Access *access = handover->access;
    _Alignas(64) uint8_t staging[MAX_WIDTH * MAX_LANE_BYTES];
    LsuOp *op = new_record(handover, OP_SEND);
    const bool direct = count == 1 && access->values && access->pattern != PATTERN_ANY;
    if (!direct)
        perform_staged(handover, staging);
    for (uint32_t i = 0; i < count; i++) {
        Request *request = lsu_new_request(lsu, REQUEST_STORE, &lines[i]);
        slot_of(lsu)->has_stored_far |=
            lsu->config->l2_halves > 1 && request->slice != interleave_slice(&lsu->interleave, request->line);
        if (direct)
            perform_in_request(handover, request);
        else
            fill_request(access, &lines[i], staging, request);
        add_request(op, request);
    }
    slot_of(lsu)->pending_stores += count;
    lsu->statistics.global_stores++;
    lsu_enqueue(lsu, op);
}

/* The lowest `count` lanes of a mask, or all. */
static Mask lowest_lanes(Mask lanes, unsigned count)
{
    Mask rest = lanes;
    for (unsigned i = 0; i < count; i++)
        rest &= rest - 1;
    return lanes & ~rest;
}

static void atomic_global(const Handover *handover, const AccessLine *lines, uint32_t count)
{
    Lsu *lsu = handover->lsu;
    const Access *access = handover->access;
    LsuOp *op = new_record(handover, OP_SEND);
    const bool returns = atomic_returns(handover->step);
    uint32_t requests = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (Mask rest = lines[i].lanes; rest; requests++) {
            const Mask lanes = lowest_lanes(rest, REQUEST_LANES / access->vector);
            Request *request = lsu_new_request(lsu, REQUEST_ATOMIC, &lines[i]);
            request->atomic = lsu_new_atomic(lsu, (uint32_t)__builtin_popcountll(lanes) * access->vector);
            atomic_work_fill(handover->step, access, lanes, request->atomic);
            add_request(op, request);
            request->ticket = returns ? op->number : op->warp;
            rest &= ~lanes;
        }
    }
    if (returns) {
        op->replies_left = requests;
        acquire(handover, op);
        announce(handover, op, WAIT_MEMORY);
    } else {
        slot_of(lsu)->pending_stores += requests;
    }
    lsu->statistics.global_atomics++;
    lsu_enqueue(lsu, op);
}

static void carry_global(const Handover *handover)
{
    Lsu *lsu = handover->lsu;
    AccessLine lines[MAX_WIDTH];
    const uint32_t count = coalesce_global(handover->access, lsu->width, lines);
    count_lines(lsu, lines, count);
    switch ((AccessKind)handover->access->kind) {
    case ACCESS_STORE:
        store_global(handover, lines, count);
        break;
    case ACCESS_ATOMIC:
        atomic_global(handover, lines, count);
        break;
    default:
        load_global(handover, lines, count);
        break;
    }
}

/* -- textures -- */

/* Texels of all lanes are brought together; one that has none, beyond the border or a buffer's end, is known
 * now. */
static void carry_texture(const Handover *handover)
{
    Lsu *lsu = handover->lsu;
    const TextureFetch *fetch = handover->access->fetch;
    AccessLine lines[MAX_LINES];
    const uint32_t count = coalesce_texture(fetch, lines);
    lsu->statistics.texture_reads++;
    lsu->statistics.texture_lines += count;
    if (!count) {
        perform_now(handover);
        LsuOp *known = known_later(handover, lsu->sm->now + lsu->config->l1_latency, WAIT_MEMORY);
        take_texture_time(handover, known, fetch->form->has_integers, 1);
        return;
    }
    LsuOp *op = new_record(handover, OP_LOAD);
    op->access_kind = ACCESS_TEXTURE;
    op->perform = handover->perform;
    op->is_cached = true;
    take_texture_time(handover, op, fetch->form->has_integers, texture_passes(fetch));
    op->fetch = lsu_new_buffer(lsu, fetch_bytes(fetch), &op->fetch_class);
    memcpy(op->fetch, fetch, fetch_bytes(fetch));
    keep_lines(lsu, op, lines, count);
    announce(handover, op, WAIT_MEMORY);
    lsu_enqueue(lsu, op);
}

/* -- the hook -- */

static void carry_space(const Handover *handover)
{
    switch ((Space)handover->access->space) {
    case SPACE_SHARED:
        carry_shared(handover);
        break;
    case SPACE_LOCAL:
        carry_local(handover);
        break;
    case SPACE_GLOBAL:
        carry_global(handover);
        break;
    default:
        carry_constant(handover);
        break;
    }
}

/* The lanes that are in `space`; the others repeat one of them. */
static void carry_part(const Handover *handover, Space space)
{
    Access part = *handover->access;
    part.mask = 0;
    for (Mask rest = handover->access->mask; rest; rest &= rest - 1)
        if (part.lane_space[mask_first(rest)] == space)
            part.mask |= rest & -rest;
    if (!part.mask)
        return;
    const unsigned first = mask_first(part.mask);
    for (unsigned lane = 0; lane < handover->lsu->width; lane++) {
        if (part.mask >> lane & 1)
            continue;
        part.address[lane] = part.address[first];
        part.place[lane] = part.place[first];
    }
    part.space = (uint8_t)space;
    carry_space(&(Handover){handover->lsu, handover->step, &part, handover->perform});
}

static void arrive_later(const Handover *handover)
{
    LsuOp *op = new_record(handover, OP_ARRIVE);
    keep_access(handover, op);
    keep_targets(handover->lsu, op, handover->access->place);
    slot_of(handover->lsu)->pending_stores++;
    lsu_copy_arrive(handover->lsu, op);
}

int lsu_carry_out(Step *step, Access *access, SecondPhase *perform)
{
    Sm *sm = step->warp->block->launch->machine->owner;
    const Handover handover = {sm->lsu, step, access, perform};
    if (step->warp->block->launch->watch)
        watch_issue(sm, step, access);
    switch ((AccessKind)access->kind) {
    case ACCESS_COMMIT:
        lsu_copy_mark(sm->lsu, sm->issuing.warp);
        return STEP_NEXT;
    case ACCESS_WAIT:
        lsu_copy_wait(sm->lsu, sm->issuing.warp, access->part);
        return STEP_NEXT;
    case ACCESS_SYNC:
        arrive_later(&handover);
        return STEP_NEXT;
    case ACCESS_TEXTURE:
        carry_texture(&handover);
        return STEP_NEXT;
    default:
        break;
    }
    if (access->space != SPACE_GENERIC)
        carry_space(&handover);
    else
        for (unsigned space = 0; space <= SPACE_PARAM; space++)
            carry_part(&handover, (Space)space);
    return STEP_NEXT;
}

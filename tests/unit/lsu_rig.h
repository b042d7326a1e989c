/* A load/store unit between hand-made instructions and a memory of its own, for tests.
 *
 * Instructions are scripted for cycles; the SM's shard here does nothing but issue them, take replies and
 * let the unit work. The memory answers `delay` cycles after a request came, and takes none in before
 * `opens`. */
#ifndef LSU_RIG_H
#define LSU_RIG_H

#include "exec/handlers.h"
#include "mem/crossbar.h"
#include "sim/world.h"
#include "sm/lsu/lsu.h"
#include "sm/stages.h"
#include "step_rig.h"

enum { SCRIPT_SIZE = 512, BUFFER_BYTES = 1 << 16, RIG_CONSTANT_BYTES = 4096 };

/* One instruction of a script; `ready` tells when its result could be read, CYCLE_NEVER if it did not
 * come. */
typedef struct Scripted {
    Cycle cycle, ready, replied;
    uint32_t warp;
    StepFn *run;
    Insn insn;
    PtxInsn ptx;
    Operand operands[8];
    InsnTiming timing;
    Mask mask;
    uint64_t address[LANES];
    uint64_t address2[LANES]; /* second address, or value to be stored */
    uint32_t result[4][LANES];
    unsigned result_slot, address_slot, second_slot;
    bool had_room, is_pending;
} Scripted;

typedef struct Memory {
    Shard shard;
    Crossbar *crossbar;
    Cycle opens, delay;
    struct {
        Request *request;
        Cycle ready;
    } waiting[4096];
    unsigned first, count;
    unsigned loads, stores, atomics;
} Memory;

typedef struct LsuRig {
    GpuConfig config;
    Crossbar crossbar;
    World *world;
    Sm *sm;
    Rig *rig;
    Memory memory;
    uint64_t buffer; /* device address of BUFFER_BYTES */
    uint8_t *bytes;  /* where they are */
    Cycle now;       /* end of the last run */
    Scripted script[SCRIPT_SIZE];
    unsigned count, next;
    Cycle last_reply;
} LsuRig;

static LsuRig *lsu_rig; /* of the running test; shards find it here */

/* -- the memory -- */

static void memory_move(Request *request)
{
    for (unsigned s = 0; request->place && s < LINE_SECTORS; s++)
        for (unsigned b = s * 32;
             request->kind != REQUEST_ATOMIC && (request->sectors >> s & 1) && b < s * 32 + 32; b++) {
            if (request->kind == REQUEST_LOAD)
                request->data[b] = request->place[b];
            else if (request->written[b / 64] >> b % 64 & 1)
                request->place[b] = request->data[b];
        }
    if (request->kind == REQUEST_ATOMIC)
        atomic_work_perform(request->atomic, request->place);
}

static void memory_cycle(Memory *memory, Cycle now)
{
    const Message *message;
    while (now >= memory->opens && (message = shard_take(&memory->shard, now))) {
        Request *request = message->body;
        crossbar_take(memory->crossbar, TO_SLICE, request, now);
        memory_move(request);
        memory->loads += request->kind == REQUEST_LOAD;
        memory->stores += request->kind == REQUEST_STORE;
        memory->atomics += request->kind == REQUEST_ATOMIC;
        const unsigned slot = (memory->first + memory->count++) % 4096;
        memory->waiting[slot].request = request;
        memory->waiting[slot].ready = now + memory->delay;
    }
    while (memory->count && memory->waiting[memory->first].ready <= now) {
        Request *request = memory->waiting[memory->first].request;
        if (crossbar_when(memory->crossbar, TO_SM, request->sm, request->slice, now) > now)
            break;
        crossbar_send(memory->crossbar, TO_SM, request, &memory->shard, request->sm, now);
        memory->first = (memory->first + 1) % 4096;
        memory->count--;
    }
}

static void memory_advance(Shard *shard, Cycle end)
{
    Memory *memory = (Memory *)shard;
    Cycle now = shard->wake < shard_next_arrival(shard) ? shard->wake : shard_next_arrival(shard);
    while (now < end) {
        memory_cycle(memory, now);
        const bool has_mail = shard_next_arrival(shard) != CYCLE_NEVER;
        shard->wake = memory->count || has_mail ? now + 1 : CYCLE_NEVER;
        now = shard->wake;
    }
}

/* -- the SM -- */

static void issue_scripted(LsuRig *bench, Scripted *scripted)
{
    Sm *sm = bench->sm;
    Rig *rig = bench->rig;
    WarpSlot *slot = &sm->warps[scripted->warp];
    scripted->had_room = lsu_has_room(sm->lsu);
    memcpy(rig_lanes64(rig, scripted->address_slot), scripted->address, sizeof scripted->address);
    memcpy(rig_lanes64(rig, scripted->second_slot), scripted->address2, sizeof scripted->address2);
    Issue issue = {.warp = scripted->warp, .insn = &scripted->timing};
    rig->step.issue = &issue;
    rig->step.insn = &scripted->insn;
    rig->step.mask = scripted->mask;
    assert_int_equal(scripted->run(&rig->step), STEP_NEXT);
    scripted->is_pending = issue.is_pending;
    if (issue.is_pending) {
        slot->pending_ops++;
        scoreboard_add(slot, scripted->timing.registers[0], PIPE_LSU, WAIT_MEMORY, CYCLE_NEVER, sm->now);
    }
}

/* Notes the results of instructions whose registers are there by now. */
static void note_results(LsuRig *bench)
{
    for (unsigned i = 0; i < bench->next; i++) {
        Scripted *scripted = &bench->script[i];
        Scoreboard *board = &bench->sm->warps[scripted->warp].board;
        for (uint32_t k = 0; k < board->count; k++) {
            if (!scripted->is_pending || board->entries[k].reg != scripted->timing.registers[0] ||
                board->entries[k].time == CYCLE_NEVER)
                continue;
            scripted->is_pending = false;
            scripted->ready = board->entries[k].time;
            scripted->replied = bench->last_reply;
            for (unsigned r = 0; r < 4; r++)
                memcpy(scripted->result[r], rig_lanes(bench->rig, scripted->result_slot + r),
                       sizeof *scripted->result);
            board->entries[k] = board->entries[--board->count];
            break;
        }
    }
}

static Cycle sm_test_cycle(LsuRig *bench, Cycle now)
{
    Sm *sm = bench->sm;
    const Message *message;
    sm->now = now;
    while ((message = shard_take(&sm->shard, now))) {
        crossbar_take(&bench->crossbar, TO_SM, message->body, now);
        bench->last_reply = now;
        lsu_reply(sm->lsu, message->body, now);
    }
    while (bench->next < bench->count && bench->script[bench->next].cycle <= now)
        issue_scripted(bench, &bench->script[bench->next++]);
    Cycle wake = lsu_advance(sm->lsu, now);
    note_results(bench);
    if (bench->next < bench->count && bench->script[bench->next].cycle < wake)
        wake = bench->script[bench->next].cycle;
    return wake;
}

static void sm_test_advance(Shard *shard, Cycle end)
{
    Cycle now = shard->wake < shard_next_arrival(shard) ? shard->wake : shard_next_arrival(shard);
    while (now < end) {
        shard->wake = sm_test_cycle(lsu_rig, now);
        if (shard->wake == LSU_ASK_AGAIN)
            shard->wake = end;
        now = shard->wake < shard_next_arrival(shard) ? shard->wake : shard_next_arrival(shard);
    }
}

/* -- opening, running, closing -- */

/* `change` may set knobs. */
static inline LsuRig *lsu_open(void (*change)(GpuConfig *config))
{
    LsuRig *bench = lsu_rig = calloc(1, sizeof *bench);
    assert_non_null(bench);
    knob_defaults(&config_knobs, &bench->config);
    bench->config.l2_slices = bench->config.dram_channels = 1;
    if (change)
        change(&bench->config);
    crossbar_init(&bench->crossbar, &bench->config, 0);
    bench->sm = sm_create(&bench->config, &bench->crossbar, 0, 2);
    bench->sm->shard.advance = sm_test_advance;
    bench->memory = (Memory){.shard = {.advance = memory_advance, .wake = CYCLE_NEVER},
                             .crossbar = &bench->crossbar,
                             .delay = 100};
    bench->world = world_create(2, 1, bench->config.crossbar_latency, 0);
    world_add(bench->world, &bench->sm->shard, 0);
    world_add(bench->world, &bench->memory.shard, 1);
    Rig *rig = bench->rig = rig_open(32);
    rig->launch.machine = &bench->sm->machine;
    rig->launch.error = &bench->sm->error;
    rig->launch.local_bytes = 1024;
    rig->warp.local = calloc(32, 1024);
    VEC_PUSH(&rig->warp.frames, rig->frame);
    rig->step.frame = &rig->warp.frames.items[0];
    Error error;
    assert_int_equal(space_alloc(&rig->space, BUFFER_BYTES, NULL, false, &bench->buffer, &error), WB_OK);
    bench->bytes = space_find(&rig->space, bench->buffer, 1)->host;
    for (unsigned i = 0; i < MAX_WARPS; i++)
        bench->sm->warps[i].warp = &rig->warp;
    return bench;
}

static inline void lsu_close(LsuRig *bench)
{
    for (unsigned i = 0; i < MAX_WARPS; i++)
        bench->sm->warps[i].warp = NULL;
    free(bench->rig->warp.local);
    VEC_FREE(&bench->rig->warp.frames);
    rig_close(bench->rig);
    world_free(bench->world);
    sm_free(bench->sm);
    crossbar_free(&bench->crossbar);
    free(bench);
}

/* Everything that was scripted and not yet run. */
static inline void lsu_run(LsuRig *bench)
{
    bench->sm->shard.wake = bench->script[bench->next].cycle;
    bench->memory.shard.wake = bench->memory.opens;
    const WorldEnd end = world_run(bench->world, bench->now, bench->now + 1000000);
    bench->now = end.time;
    assert_true(lsu_is_idle(bench->sm->lsu));
    for (unsigned i = 0; i < MAX_WARPS; i++) {
        assert_int_equal(bench->sm->warps[i].pending_stores, 0);
        assert_int_equal(bench->sm->warps[i].pending_ops, 0);
    }
}

/* -- scripts -- */

/* An instruction with `vector` registers of 4 bytes as result (or value) and one address. */
static inline Scripted *script(LsuRig *bench, Cycle cycle, const char *opcode, unsigned bytes,
                               unsigned vector)
{
    Rig *rig = bench->rig;
    const unsigned i = bench->count++;
    Scripted *scripted = &bench->script[i];
    assert_true(i < SCRIPT_SIZE && rig_instruction(rig, opcode));
    *scripted = (Scripted){.cycle = cycle, .ready = CYCLE_NEVER, .warp = i % MAX_WARPS, .mask = UINT32_MAX};
    scripted->ptx = rig->ptx;
    scripted->insn = rig->insn;
    scripted->insn.op = scripted->operands;
    scripted->insn.ptx = &scripted->ptx;
    scripted->insn.element_bytes = (uint8_t)bytes;
    scripted->insn.vector = (uint8_t)vector;
    scripted->insn.aux = access_aux(&rig->function, &rig->ptx);
    scripted->address_slot = 64 + i % 4 * 2;
    scripted->second_slot = 72 + i % 4 * 2;
    scripted->result_slot = i % 12 * 4;
    scripted->timing = (InsnTiming){.pipe = PIPE_LSU,
                                    .kind = CLASS_MEMORY,
                                    .slots = 1,
                                    .interval = 1,
                                    .write_count = 1,
                                    .registers = {(uint16_t)scripted->result_slot}};
    return scripted;
}

/* Operand number k: `count` entries from `first` on. */
static inline void add_operand(Scripted *scripted, Operand first, unsigned count)
{
    Insn *insn = &scripted->insn;
    const unsigned k = insn->operand_count++, at = insn->begin[k];
    for (unsigned i = 0; i < count; i++) {
        scripted->operands[at + i] = first;
        scripted->operands[at + i].offset += i * LANES * 4;
        scripted->operands[at + i].slot += i;
    }
    insn->begin[k + 1] = (uint8_t)(at + count);
}

static inline void set_addresses(Scripted *scripted, uint64_t base, uint64_t stride)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        scripted->address[lane] = base + lane * stride;
}

static inline Scripted *script_load(LsuRig *bench, Cycle cycle, const char *opcode, unsigned vector,
                                    uint64_t base, uint64_t stride)
{
    Scripted *scripted = script(bench, cycle, opcode, 4, vector);
    scripted->run = exec_load;
    add_operand(scripted, rig_register(scripted->result_slot, 4), vector);
    add_operand(scripted, rig_register(scripted->address_slot, 8), 1);
    set_addresses(scripted, base, stride);
    return scripted;
}

/* Lane l stores `value` + l. */
static inline Scripted *script_store(LsuRig *bench, Cycle cycle, const char *opcode, uint64_t base,
                                     uint64_t stride, uint32_t value)
{
    Scripted *scripted = script(bench, cycle, opcode, 4, 1);
    scripted->run = exec_store;
    add_operand(scripted, rig_register(scripted->address_slot, 8), 1);
    add_operand(scripted, rig_register(scripted->second_slot, 8), 1);
    for (unsigned lane = 0; lane < LANES; lane++)
        scripted->address2[lane] = value + lane;
    set_addresses(scripted, base, stride);
    return scripted;
}

static inline Scripted *script_atomic(LsuRig *bench, Cycle cycle, const char *opcode, bool returns,
                                      uint64_t base, uint64_t stride, uint32_t value)
{
    Scripted *scripted = script(bench, cycle, opcode, 4, 1);
    scripted->run = exec_atomic;
    if (returns)
        add_operand(scripted, rig_register(scripted->result_slot, 4), 1);
    add_operand(scripted, rig_register(scripted->address_slot, 8), 1);
    add_operand(scripted, rig_register(scripted->second_slot, 8), 1);
    for (unsigned lane = 0; lane < LANES; lane++)
        scripted->address2[lane] = value;
    set_addresses(scripted, base, stride);
    return scripted;
}

#endif

/* A core with a port into the memory partitions of partition_rig.h, in the front end's place, and a unit
 * whose registers note what the program does with them: register 0 gives what was written to it last,
 * register 1 the cycle, and a write of register 2 stops the core.
 *
 * Programs are kernels k(.param .u64 buffer); the frame of run_ptx.h makes one of a body. */
#ifndef CORE_RIG_H
#define CORE_RIG_H

#include "partition_rig.h"

#include <stdio.h>

#include "core/core.h"
#include "warpbeam_flow_layout.h"

enum { CORE_RIG_NOTES = 256, CORE_RIG_REGISTERS = 4, CORE_RIG_BYTES = 65536 };

typedef struct CoreRigNote {
    uint32_t number;
    bool is_write;
    uint64_t value;
    uint64_t first_word; /* of the program's memory at that time */
    Cycle time;
} CoreRigNote;

typedef struct CoreRig {
    Shard shard;
    Rig *rig;
    AddressSpace space;
    Module *module;
    Program *program;
    MemoryPort *port;
    Core *core;
    uint64_t buffer;     /* address of the program's memory */
    uint8_t *memory;     /* and its bytes */
    Cycle ended;         /* the cycle in which it stopped running */
    uint64_t kept;
    CoreRigNote notes[CORE_RIG_NOTES];
    uint32_t note_count;
} CoreRig;

static inline void core_rig_note(CoreRig *rig, uint32_t number, bool is_write, uint64_t value, Cycle time)
{
    CoreRigNote *note = &rig->notes[rig->note_count++];
    assert_true(rig->note_count <= CORE_RIG_NOTES);
    *note = (CoreRigNote){number, is_write, value, 0, time};
    memcpy(&note->first_word, rig->memory, sizeof note->first_word);
}

static inline uint64_t core_rig_read(void *context, uint32_t number, Cycle now)
{
    CoreRig *rig = context;
    const uint64_t value = number == 1 ? now : rig->kept;
    core_rig_note(rig, number, false, value, now);
    return value;
}

static inline void core_rig_write(void *context, uint32_t number, uint64_t value, Cycle now)
{
    CoreRig *rig = context;
    core_rig_note(rig, number, true, value, now);
    if (number == 0)
        rig->kept = value;
    if (number == 2)
        core_stop(rig->core);
}

static inline Cycle core_rig_next(const CoreRig *rig)
{
    return clock_earlier(core_next(rig->core), memory_port_next(rig->port));
}

static inline void core_rig_advance(Shard *shard, Cycle end)
{
    CoreRig *rig = (CoreRig *)shard;
    for (;;) {
        shard->wake = core_rig_next(rig);
        const Cycle now = clock_earlier(shard_next_arrival(shard), shard->wake);
        if (now >= end)
            return;
        for (const Message *message; (message = shard_take(shard, now));)
            memory_port_take(rig->port, message->body, now);
        memory_port_advance(rig->port, now, end);
        if (core_state(rig->core) == CORE_RUNS) {
            core_advance(rig->core, now);
            rig->ended = now;
        }
        memory_port_advance(rig->port, now, end);
    }
}

static inline uint64_t core_rig_no_address(void *context, uint32_t number)
{
    (void)context;
    (void)number;
    return 0;
}

static inline CoreRig *core_rig_of(const char *text, const char *kernel)
{
    CoreRig *rig = xcalloc(1, sizeof *rig);
    Error error = {0};
    rig->rig = rig_new();
    rig->rig->last = &rig->shard;
    rig->shard = (Shard){.advance = core_rig_advance, .wake = CYCLE_NEVER};
    space_init(&rig->space, 1 << 24);
    assert_int_equal(space_alloc(&rig->space, CORE_RIG_BYTES, NULL, false, &rig->buffer, &error), WB_OK);
    rig->memory = space_find(&rig->space, rig->buffer, CORE_RIG_BYTES)->host;
    if (module_parse("test.ptx", text, strlen(text), &rig->module, &error) != WB_OK)
        fail_msg("%s", error.text);
    const LinkEnvironment environment = {.variable_address = core_rig_no_address,
                                         .function_address = core_rig_no_address,
                                         .width = 32};
    if (program_link(rig->module, module_find_function(rig->module, kernel), &environment, &rig->program,
                     &error) != WB_OK)
        fail_msg("%s", error.text);
    return rig;
}

static inline CoreRig *core_rig_new(const char *text) { return core_rig_of(text, "k"); }

/* The core at that clock; in functional mode without a port. */
static inline WbStatus core_rig_build(CoreRig *rig, CoreDesignNumber design, bool is_timed, uint64_t khz,
                                      Error *error)
{
    uint8_t parameters[128] = {0};
    assert_true(rig->program->parameter_bytes <= sizeof parameters);
    memcpy(parameters, &rig->buffer, sizeof rig->buffer);
    for (uint8_t i = 0; i < 64; i++)
        parameters[16 + i] = i;
    rig_build(rig->rig, 1);
    if (is_timed)
        rig->port = memory_port_create(&rig->rig->config, &rig->rig->crossbar, &rig->shard,
                                       (uint32_t)rig->rig->config.sm_count);
    const CoreSetup setup = {
        .design = design,
        .program = rig->program,
        .parameters = parameters,
        .space = &rig->space,
        .config = &rig->rig->config,
        .device = {core_rig_read, core_rig_write, CORE_RIG_REGISTERS, rig},
        .clock = clock_of(khz, rig->rig->config.clock_khz),
        .port = rig->port,
    };
    const WbStatus status = core_create(&setup, &rig->core, error);
    if (status == WB_OK && is_timed)
        rig->shard.wake = core_rig_next(rig);
    return status;
}

/* Runs it to its end, or for that many instructions where there is no time. */
static inline void core_rig_run(CoreRig *rig)
{
    if (rig->port) {
        rig_run(rig->rig);
        assert_true(core_is_idle(rig->core) && memory_port_is_idle(rig->port));
    } else {
        core_run_untimed(rig->core, 100000000);
    }
    assert_int_not_equal(core_state(rig->core), CORE_RUNS);
}

static inline void core_rig_free(CoreRig *rig)
{
    core_free(rig->core);
    memory_port_free(rig->port);
    rig_free(rig->rig);
    program_free(rig->program);
    module_free(rig->module);
    space_destroy(&rig->space);
    xfree(rig);
}

#endif

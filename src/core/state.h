/* A core's own state, for the files of this folder. */
#ifndef CORE_STATE_H
#define CORE_STATE_H

#include "core/code.h"
#include "core/memory.h"
#include "mem/tags.h"

#define CORE_TICK_NEVER UINT64_MAX

/* Where an access goes. */
typedef enum CoreWhere {
    CORE_AT_MEMORY,  /* global memory, at `place` */
    CORE_AT_HOME,    /* the core's own: local memory and parameters, at `place` */
    CORE_AT_DEVICE,  /* the unit's register `number` */
    CORE_AT_NOTHING  /* it is wrong; core_fail_access() says why */
} CoreWhere;

typedef struct CorePlace {
    CoreWhere where;
    uint32_t number;
    uint8_t *place;
} CorePlace;

/* How a design works through time. */
typedef struct CoreEngine {
    void *(*create)(Core *core);
    void (*free)(void *engine);
    /* All ticks up to and with the last. */
    void (*advance)(void *engine, uint64_t last);
    uint64_t (*next)(const void *engine);
    void (*access_done)(void *engine, uint32_t tag, uint64_t tick);
    void (*code_done)(void *engine, uint64_t tick);
    void (*stores_visible)(void *engine, uint64_t tick);
    uint32_t tags;           /* accesses that may be under way at once */
} CoreEngine;

extern const CoreEngine core_engine_simple, core_engine_order;

/* Invariant: values[] below code.register_count are what the program has in its registers behind the last
 * instruction that ended; the error is set exactly in CORE_FAILED. */
struct Core {
    CoreSetup setup;
    const CoreDesign *design;
    CoreCode code;
    CoreLanes lanes;
    uint64_t *values;
    uint8_t *parameters, *local;
    uint32_t pc;             /* in order: of the next instruction */
    CoreState state;
    CoreStatistics statistics;
    Error error;
    const CoreEngine *engine_kind;
    void *engine;
    const CoreMemoryKind *memory_kind;
    void *memory;
    /* instruction cache */
    TagArray code_tags;
    uint64_t code_line;      /* that was found last, which is there; UINT64_MAX: none */
    AllocationCache allocations;
};

/* The sources of an instruction from values in program order. */
static inline void core_read(const Core *core, const CoreInsn *insn, uint64_t *in)
{
    for (unsigned k = 0; k < insn->input_count; k++) {
        const uint64_t value = core->values[insn->source[k]];
        in[k] = insn->negated >> k & 1 ? !value : value;
    }
}

static inline void core_write(Core *core, const CoreInsn *insn, const uint64_t *out)
{
    for (unsigned k = 0; k < insn->destination_count; k++)
        core->values[insn->to[k].number] = out[k];
}

/* Where `bytes` at the address are; `pc` is that of the instruction. */
CorePlace core_place(Core *core, uint32_t pc, uint64_t address, uint32_t bytes, bool writes);
/* The core fails, at the instruction. */
void core_fail(Core *core, uint32_t pc, WbStatus status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void core_fail_access(Core *core, uint32_t pc, uint64_t address);
/* brx.idx with an index that its list does not have. */
void core_fail_jump(Core *core, uint32_t pc, uint64_t index);
/* The instruction behind it if its guard is true, of a jump. NO_INDEX: there is none for that index. */
uint32_t core_jump_target(const CoreInsn *insn, const uint64_t *in);

/* Whether the instruction's line is in the instruction cache; if not, it is asked for in that tick. */
bool core_code_is_there(Core *core, uint32_t pc, uint64_t tick);

/* Reads or writes a register in that tick. */
uint64_t core_device_read(Core *core, uint32_t number, uint64_t tick);
void core_device_write(Core *core, uint32_t number, uint64_t value, uint64_t tick);

/* A store that has ended. */
static inline void core_count_store(Core *core, const CorePlace *place)
{
    const bool is_own = core->setup.own && place->place >= core->setup.own &&
                        place->place < core->setup.own + core->setup.own_bytes;
    core->statistics.core_stores += place->where == CORE_AT_MEMORY;
    core->statistics.core_shared_stores += place->where == CORE_AT_MEMORY && !is_own;
}

#endif

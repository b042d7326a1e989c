/* A program as a core runs it: made once of its linked form (exec/program.h).
 *
 * All that an instruction reads and writes is a number: of a register slot, a predicate, the carry, or of a
 * constant that nobody writes. So values lie in one array, and renaming is a table by number. Values are of
 * 64 bits: of registers of 4 bytes the upper half is 0, predicates and the carry are 0 or 1.
 *
 * A guarded instruction reads its guard and, as it may leave them as they are, its destinations. */
#ifndef CORE_CODE_H
#define CORE_CODE_H

#include "exec/program.h"

enum {
    CORE_SOURCES = 12,     /* of an instruction, guard and old destinations included */
    CORE_DESTINATIONS = 4,
    CORE_INSN_BYTES = 8    /* that it takes in the instruction cache */
};

/* A number that is none. */
#define CORE_NONE UINT16_MAX

typedef enum CoreKind {
    CORE_LANE,     /* the lane function of its row */
    CORE_MOVE,     /* sources of `bits` bits each side by side; taken apart again for the destinations */
    CORE_ADD,      /* the source plus `displacement` */
    CORE_NOTHING,
    CORE_LOAD,     /* source 0 plus `displacement` */
    CORE_STORE,    /* the same; the values come behind it */
    CORE_FENCE,
    CORE_BRANCH,   /* to `target`; the program ends at code_count */
    CORE_TABLE,    /* to the targets of `table`, by source 0 */
    CORE_TRAP
} CoreKind;

/* What of an instruction's results a destination gets. */
enum { CORE_RESULT, CORE_FIRST_PREDICATE, CORE_SECOND_PREDICATE, CORE_CARRY };

typedef struct CoreDestination {
    uint16_t number;
    uint8_t bytes;         /* of the register; 0: a predicate or the carry */
    uint8_t part;          /* of CORE_LANE: one of the above; of others: the element's number */
} CoreDestination;

/* Invariant: sources [0, source_count) are what it computes with; then come its guard, if it has one, and the
 * old values of its destinations, if it is guarded; input_count is the sum. */
typedef struct CoreInsn {
    const Insn *insn;
    const BranchTable *table;
    int64_t displacement;
    uint64_t window;         /* memory: what its addresses are counted from */
    uint32_t target;
    uint8_t kind;            /* CoreKind */
    uint8_t latency;         /* ticks, where it is not memory's */
    uint8_t source_count, input_count, destination_count;
    bool is_guarded;
    uint16_t negated;        /* bit k: source k is a predicate that is taken the other way round */
    uint16_t predicates;     /* bit k: source k is a predicate to its lane function */
    /* CORE_LANE: */
    bool has_carry;          /* the last source is CC.CF */
    /* CORE_MOVE: */
    uint8_t bits_in, bits_out;
    /* memory: */
    bool is_narrow;          /* the base is of 32 bits */
    bool is_strong;          /* other threads have to agree with it */
    bool is_acquire, is_release;
    uint16_t source[CORE_SOURCES];
    CoreDestination to[CORE_DESTINATIONS];
} CoreInsn;

/* Invariant: numbers below register_count are written by instructions; those from there to value_count hold
 * initial[] for ever. */
typedef struct CoreCode {
    CoreInsn *insns;
    uint32_t count;
    uint32_t register_count, value_count, value_capacity;
    uint64_t *initial;       /* [value_count] */
} CoreCode;

/* Of function 0 of the program; `parameters` are the kernel's. Fails with a sentence for the first
 * instruction that a core cannot run. */
WbStatus core_code_make(CoreCode *code, const Program *program, const uint8_t *parameters, Error *error);
void core_code_free(CoreCode *code);

/* Room of core_compute(), which makes nothing else of it: lane functions compute 32 lanes. Zero at first. */
typedef struct CoreLanes {
    _Alignas(64) uint64_t source[4][LANES];
    _Alignas(64) uint64_t result[LANES];
} CoreLanes;

/* What the instruction makes of its sources, for kinds that compute: in[source_count], out[destination_count]
 * in the form of values. */
void core_compute(const CoreInsn *insn, CoreLanes *lanes, const uint64_t *in, uint64_t *out);

/* The values of a load's destinations from the bytes that it read, and the bytes of a store from its values,
 * in[1] and so on. */
void core_unpack(const CoreInsn *insn, const uint8_t *bytes, uint64_t *out);
void core_pack(const CoreInsn *insn, const uint64_t *in, uint8_t *bytes);

static inline uint32_t core_access_bytes(const CoreInsn *insn)
{
    return (uint32_t)insn->insn->element_bytes * insn->insn->vector;
}

static inline uint64_t core_address(const CoreInsn *insn, uint64_t base)
{
    const uint64_t address = base + (uint64_t)insn->displacement;
    return (insn->is_narrow ? (uint32_t)address : address) + insn->window;
}

static inline bool core_is_guard_true(const CoreInsn *insn, const uint64_t *in)
{
    return !insn->is_guarded || in[insn->source_count];
}

/* Whether the program may go on elsewhere than behind it. */
static inline bool core_is_jump(const CoreInsn *insn)
{
    return insn->kind == CORE_BRANCH || insn->kind == CORE_TABLE;
}

#endif

/* A memory access of one warp instruction, in two phases.
 *
 * access_prepare() is what the SM does when the instruction issues: it reads the address operand,
 * resolves generic addresses to the spaces they lie in, and checks alignment, bounds and permission.
 * access_perform() is what the memory does: it moves the data between the places found and the
 * registers. The functional engine calls one right after the other. A timing model prepares at issue,
 * sends the access on its way, and performs it where the hardware would: shared and local memory in
 * the SM, global memory at the L2 slice. So an Access carries everything that the second phase needs
 * but for the registers, and nothing between the phases may depend on when the second one comes.
 * access_carry_out() stands between the two: it hands the access to the timing model, if there is one.
 * Such a model gives the second phase places of its own that hold copies of what is in memory.
 *
 * Lanes have one defined order everywhere: ascending. Where lanes store to one address, the highest
 * lane's value stays; atomics of one instruction happen lane after lane. */
#ifndef EXEC_ACCESS_H
#define EXEC_ACCESS_H

#include "exec/machine.h"
#include "exec/step.h"
#include "mem/request.h"

typedef enum AccessKind {
    ACCESS_LOAD,
    ACCESS_STORE,
    ACCESS_ATOMIC,
    ACCESS_SYNC, /* of an mbarrier object */
    ACCESS_COPY, /* a load whose bytes go to shared memory, while the threads go on */
    ACCESS_COMMIT, /* nothing but a mark: the copies before it are a group */
    ACCESS_WAIT, /* nothing but a wait until at most `part` groups of copies are under way */
    ACCESS_HINT, /* names bytes, but neither reads nor writes them */
    ACCESS_TEXTURE /* reads the texels of `fetch`; nothing else is set but the mask */
} AccessKind;

/* How the lanes' places lie to each other; what is known serves as a short cut only. */
typedef enum AccessPattern {
    PATTERN_ANY,
    PATTERN_UNIFORM,    /* all executing lanes at one place */
    PATTERN_CONSECUTIVE /* all lanes execute, lane l at the first place + l * bytes */
} AccessPattern;

/* What an access has lane by lane: large, and so apart from the rest, which can be kept until later. */
typedef struct AccessLanes {
    uint64_t address[MAX_WIDTH];
    uint8_t *place[MAX_WIDTH];
    uint8_t space[MAX_WIDTH];
} AccessLanes;

/* The caller sets the first part, mostly by access_init(); access_prepare() sets the pattern and the lanes,
 * and replaces a generic `space` by the one that all lanes are in, if there is one.
 *
 * Invariant of a prepared access: address[] and place[] are valid for every lane of the warp, lanes
 * that do not execute repeating the first one that does; every executing lane's address is a multiple
 * of `alignment`, and its place is the first of `bytes` host bytes. Loads and stores with `values` that
 * have a pattern are the exception: they do with place[0]. */
typedef struct Access {
    uint8_t kind;  /* AccessKind */
    uint8_t space; /* Space; after access_prepare() generic only where lanes differ: lane_space */
    uint8_t element_bytes;
    uint8_t vector;      /* elements */
    uint8_t pattern;     /* AccessPattern; set by access_prepare() */
    uint32_t bytes;      /* of one lane */
    uint32_t alignment;  /* a power of two */
    Mask mask;           /* lanes that access; never empty */
    const Operand *base; /* [base + displacement] */
    int64_t displacement;
    const uint64_t *offsets; /* of each lane, added to its address; null: none */
    const Operand *values;   /* registers that take what is loaded, or that hold what is stored */
    /* For second phases of the handler's own, which see them again: */
    uint32_t part;      /* any number */
    uint8_t **targets;  /* of ACCESS_COPY: where each lane's bytes go; the array is copied */
    uint8_t *object;    /* of ACCESS_COPY: the mbarrier object that is told of the bytes, or null */
    struct TextureFetch *fetch; /* of ACCESS_TEXTURE: exec/texture/texture.h; copied */

    /* Those of the caller's AccessLanes: */
    uint64_t *address;   /* within the lane's space */
    uint8_t **place;
    uint8_t *lane_space; /* set only where `space` stays generic */
} Access;

/* A copy of a prepared access for its second phase, whenever that comes, without its lanes: whoever keeps it
 * gives it places of his own. */
static inline Access access_keep(const Access *access)
{
    Access kept = *access;
    kept.offsets = NULL;
    kept.address = NULL;
    kept.place = NULL;
    kept.lane_space = NULL;
    return kept;
}

static inline void access_set_lanes(Access *access, AccessLanes *lanes)
{
    access->address = lanes->address;
    access->place = lanes->place;
    access->lane_space = lanes->space;
}

/* A load, store or atomic of the instruction's own space, element and vector at its memory operand
 * number `memory`, with the values of operand number `values`. */
void access_init(Access *access, AccessLanes *lanes, Step *step, AccessKind kind, unsigned memory,
                 unsigned values);
/* An access of the lanes of `mask` to `bytes` bytes at memory operand number `memory`, for the
 * instructions that have several of them or whose suffixes do not say the size. It has no values. */
void access_init_bytes(Access *access, AccessLanes *lanes, Step *step, AccessKind kind, Space space,
                       unsigned memory, uint32_t bytes, uint32_t alignment, Mask mask);
/* STEP_NEXT, or STEP_ERROR with the sentence of the first lane that may not do it. */
StepResult access_prepare(Step *step, Access *access);
/* Loads and stores. Atomics have their own second phase: atomic_perform(). */
SecondPhase access_perform, atomic_perform;

/* The second phase, at once or when the timing model says. `perform` may be null where the data has moved
 * already and only time is to pass. */
static inline StepResult access_carry_out(Step *step, Access *access, SecondPhase *perform)
{
    MemoryHook *hook = step->warp->block->launch->machine->memory;
    if (__builtin_expect(hook != NULL, 0))
        return (StepResult)hook(step, access, perform);
    perform(step, access);
    return STEP_NEXT;
}

static inline bool access_is_timed(const Step *step) { return step->warp->block->launch->machine->memory; }

/* Every lane's address at memory operand number `memory`, as the instruction gives it. */
void access_addresses(Step *step, unsigned memory, uint64_t *addresses);

/* Atomics on global memory, done where the line is: the lanes of `lanes` (those of one line, at most
 * REQUEST_LANES elements) with their operands; the operation (an AtomicPerform); the old values into
 * registers. */
void atomic_work_fill(Step *step, const Access *access, Mask lanes, AtomicWork *work);
void atomic_work_perform(AtomicWork *work, uint8_t *place);
void atomic_work_deliver(Step *step, const AtomicWork *work);
/* Whether the instruction's old values go anywhere. */
bool atomic_returns(const Step *step);
/* Whether some lane's operation would change what is in memory now. */
bool atomic_changes(Step *step, const Access *access);

/* The space that lane's resolved address is in. */
static inline Space access_space(const Access *access, unsigned lane)
{
    return (Space)(access->space == SPACE_GENERIC ? access->lane_space[lane] : access->space);
}

/* The window that a generic address is in: SPACE_GLOBAL for all that is in no window, SPACE_REG for
 * function addresses, which nobody may access. */
Space access_window(uint64_t address);
/* What a generic address has over the address within its space. */
uint64_t access_window_base(Space space);
/* A load from shared memory done by a short cut (shared_words.c). False: it is of another kind. */
bool access_load_words(Step *step);
/* A prepared access, on a machine that is watched: whether it changes what others may wait for
 * (access_note.c). */
void access_note(Step *step, const Access *access);

/* -- between access.c and access_apart.c -- */

/* A range of one space: `size` bytes from address `base` on, at `host` for lane 0 and `stride` bytes
 * further for each next lane. host is null where there is none. */
typedef struct AccessRange {
    uint64_t base, size, stride;
    uint8_t *host;
    bool read_only;
} AccessRange;

/* The range that an access of one lane has to lie in. */
AccessRange access_range(const Step *step, const Access *access, Space space, uint64_t address);
/* Sets every lane's address as the instruction gives it; lanes that do not execute repeat the first one that
 * does. */
void access_read_addresses(Step *step, Access *access);
/* The first phase, lane by lane. */
StepResult access_prepare_apart(Step *step, Access *access);

static inline bool access_writes(const Access *access)
{
    return access->kind != ACCESS_LOAD && access->kind != ACCESS_COPY && access->kind != ACCESS_HINT;
}

/* Loads and stores through the parameter space may come with a generic address of its window. */
static inline bool access_is_generic(const Access *access, uint64_t address)
{
    return access->space == SPACE_GENERIC || (access->space == SPACE_PARAM && address >= SPACE_PARAM_BASE);
}

/* Insn.aux of memory instructions: the last type in the low byte, the named operation above it, and what the
 * suffixes say of caches and of other threads. */
typedef enum AtomicOp {
    ATOMIC_NONE,
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS
} AtomicOp;

enum {
    AUX_TYPE_MASK = 0xFF,
    AUX_OP_SHIFT = 8,
    AUX_OP_MASK = 0xF,
    AUX_NOINC = 1 << 12,      /* cp.async.mbarrier.arrive.noinc */
    AUX_CACHE_HINT = 1 << 13, /* the last operand is a cache policy */
    AUX_FLOAT = 1 << 14,      /* the type is a floating-point one */
    AUX_AT_L2 = 1 << 15,      /* a load that an L1 must not answer: .cg, .cv, or strong beyond the block */
    AUX_ACQUIRE = 1 << 16,    /* .acquire or .acq_rel beyond the block */
    AUX_RELEASE = 1 << 17,    /* .release or .acq_rel beyond the block */
    AUX_READ_ONLY = 1 << 18,  /* .nc or ldu: nobody writes it while the kernel runs */
    AUX_UNUSED = 1 << 19,     /* of an atomic: no instruction reads its result */
    AUX_STRONG = 1 << 20,     /* a load that the GPU has to agree on: .relaxed, .acquire, .volatile or .cv */
    AUX_SYSTEM = 1 << 21      /* and the whole system: .volatile, .cv, or .sys */
};

/* Made once, while linking. */
uint32_t access_aux(const Function *function, const PtxInsn *ptx);

#endif

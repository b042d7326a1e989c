/* What is kept of each kernel that has run in cycle mode: who it was, when, its blocks, and all counters of
 * all parts of the machine over its time.
 *
 *     for (unsigned c = 0; c < components_known; c++) {
 *         uint64_t *sums = record_sums(record, c);
 *         for (size_t row = 0; row < components[c].table->count; row++)
 *             components[c].table->rows[row].name, sums[row]
 *     }
 *
 * A program may launch millions of kernels, so a record that has been closed takes few bytes: its counters
 * are packed, its names are those of all launches of the kernel. */
#ifndef API_RECORD_H
#define API_RECORD_H

#include "api/hang_record.h"
#include "api/lines.h"
#include "api/series.h"
#include "base/stat.h"
#include "depend/draft.h"
#include "grid/policy_object.h"
#include "policy_lists.h"
#include "ptx/flow_kinds.h"

/* The kinds of parts that count something. */
typedef enum Component {
    COMPONENT_EXEC, /* the engine, by SM; also counted in functional mode */
    COMPONENT_FRONT_END,
    COMPONENT_LOAD,  /* how blocks are spread over SMs */
    COMPONENT_GRAPH, /* the scheduler of blocks that depend on each other */
    COMPONENT_SM,
    COMPONENT_SCHEDULER,
    COMPONENT_LSU,
    COMPONENT_L1,
    COMPONENT_L2,
    COMPONENT_DRAM,
    COMPONENT_REQUEST_OUT, /* the crossbar's ports, both networks */
    COMPONENT_REQUEST_IN,
    COMPONENT_REPLY_OUT,
    COMPONENT_REPLY_IN,
    COMPONENT_LINK, /* to other GPUs and the host, by peer: of GPUs that have a hub */
    COMPONENT_LINK_PORT,
    COMPONENT_PCIE,
    COMPONENT_MANAGED, /* memory, of GPUs of several */
    /* what policies count, those with counters of their own: COMPONENT_admit_waves */
#define POLICY_COMPONENT(kind, file) COMPONENT_##kind##_##file,
    POLICY_COUNTERS(POLICY_COMPONENT)
#undef POLICY_COMPONENT
    COMPONENT_FIRST_LOADED, /* what those count that were loaded: component_add() */
    COMPONENT_MOST = COMPONENT_FIRST_LOADED + MOST_LOADED_POLICIES,
    COMPONENT_FIRST_POLICY = COMPONENT_LINK /* those that not all machines have */
} Component;

struct CycleMachine;

typedef struct ComponentKind {
    const char *name;     /* "l2" */
    const char *prefix;   /* of its counters in lists of all: "l2.", or "" */
    const char *instance; /* what there is one of it for: "slice" */
    const StatTable *table;
    uint32_t (*count)(const struct CycleMachine *machine);
    /* The struct of the table's counters, brought up to the cycles before `now`. */
    const void *(*at)(const struct CycleMachine *machine, uint32_t index, Cycle now);
    /* Instead, of what not all machines have: what it has counted there; null: it is not in use. */
    const void *(*counted)(const struct CycleMachine *machine, uint32_t index, const StatTable *table);
} ComponentKind;

extern ComponentKind components[COMPONENT_MOST];
extern unsigned components_known; /* these are in use, from the first on */
/* What a policy counts that was loaded, if it does: there is no GPU that does not know it. */
void component_add(const LoadedPolicy *policy);
/* Parts of the kind; 0: the machine has none, or does not use that policy. */
uint32_t component_count(const ComponentKind *kind, const struct CycleMachine *machine);
const void *component_at(const ComponentKind *kind, const struct CycleMachine *machine, uint32_t index,
                         Cycle now);

/* Counters of all parts of one kind. Schedulers are numbered through all SMs. */
typedef struct ComponentRecord {
    uint32_t count;   /* parts; 0: of a policy or unit that was not in use, which reports leave out */
    uint64_t *values; /* [count * table->count], part by part; null: only sums are kept */
} ComponentRecord;

/* What its blocks waited for, of a kernel of a dependency graph: level_count is 0 of others. Blocks of all
 * kernels of the graph are numbered in one row; those of the graph's joins follow. */
typedef struct GraphRecord {
    uint32_t grid;        /* the kernel's number in the graph */
    uint32_t first;       /* number of its block 0 */
    uint32_t level_count; /* of the graph */
    uint32_t *levels;     /* [block_count]; null with `edges`: the knob block_records is off */
    VEC(GraphEdge) edges; /* whose child is a block of this kernel; of the first one, also a join */
    uint64_t left_out;    /* edges beyond those that are kept */
} GraphRecord;

/* How its time on the machine came to its end. */
typedef enum RecordStatus {
#define STATUS(identifier, name, description) RECORD_##identifier,
#include "api/record_status.def"
#undef STATUS
    RECORD_STATUS_COUNT
} RecordStatus;
extern const char *const record_status_names[RECORD_STATUS_COUNT];

/* Invariant: hang is there only of a deadlock, a spin or a limit, and failure with every status but
 * RECORD_ENDED. Where there is a failure, `ended` says when the kernel was cut off, and blocks that had not
 * been dispatched are on NO_SM. While the kernel runs its record is open (HostKernel.record): counts and
 * times come with its end, and a status other than RECORD_ENDED says already why it will not come. */
typedef struct KernelRecord {
    uint32_t number;      /* in the order of launches, from 0 */
    const char *name;     /* of the kernel, for people; the GPU's, as is the next */
    const char *symbol;   /* the same as in the PTX */
    uint32_t grid[3], block[3];
    uint32_t registers;   /* of a thread */
    RegisterKinds kinds;  /* the same by kind, of kernels of a flow graph; of others none */
    uint32_t shared_bytes;/* of a block, static and dynamic */
    uint32_t local_bytes; /* of a thread */
    uint32_t blocks_per_sm; /* that fit */
    Cycle launched, started, ended; /* started: the first block could be dispatched */
    uint64_t warp_instructions, thread_instructions; /* its own, whoever ran beside it */
    uint64_t block_count;
    RecordStatus status;
    char *failure;        /* why it did not end, one sentence or some; null: it did */
    HangRecord *hang;     /* null: it does not hang, or many do */
    bool is_alone;        /* no other kernel ran at any time of its; else counters hold what those did, too */
    BlockRecord *blocks;  /* [block_count] by index in the grid; null: the knob block_records is off */
    uint8_t *counters;    /* packed: sums over all parts of each component, one after the other */
    uint8_t *by_sm;       /* packed: accesses of each SM that L2 looked up, then those that DRAM served */
    uint32_t stream;      /* that it was launched in, by number */
    EventLog *log;        /* null: the knobs timeline and block_records are off */
    Series *series;       /* null once it is closed, if it has no interval */
    GraphRecord graph;
    LineRecord *lines;    /* [line_count] by file and line; null: the knob profile_lines is off */
    uint32_t line_count;
    ComponentRecord components[]; /* [components_known] */
} KernelRecord;

static inline Cycle record_cycles(const KernelRecord *record) { return record->ended - record->launched; }

/* The counters of all parts of a machine at the beginning of a cycle. Reading them all is most of what a
 * short kernel costs, so those who need them for the same cycle share a snapshot: each holds it until it lets
 * go of it. */
typedef struct Snapshot {
    uint32_t holders;
    Cycle time;
    uint64_t *sums[COMPONENT_MOST];   /* [table->count] over all parts */
    uint64_t *values[COMPONENT_MOST]; /* [count * table->count]; null: only sums were asked for */
    uint64_t *columns;                 /* what a series begins and ends with */
} Snapshot;

/* Held by the caller. */
Snapshot *snapshot_take(const struct CycleMachine *machine, Cycle now, bool details);
Snapshot *snapshot_hold(Snapshot *snapshot);
/* Null: nothing to do. */
void snapshot_let_go(Snapshot *snapshot);
/* Fills in the record's components with what was counted between the snapshots; `details`: of every part, if
 * both have that. */
void record_counters(KernelRecord *record, const struct CycleMachine *machine, const Snapshot *before,
                     const Snapshot *after, bool details);
/* Whether reports of the kernel show it: a policy or unit only where it was in use. */
static inline bool record_has(const KernelRecord *record, unsigned component)
{
    return !components[component].counted || record->components[component].count;
}
/* Sums of the component's counters over all its parts; the caller frees them. */
uint64_t *record_sums(const KernelRecord *record, Component component);
/* Of each SM, CORE_ACCESSES or CORE_DRAM of the whole kernel; the caller frees them. */
uint64_t *record_by_sm(const KernelRecord *record, CoreRow row);
/* Its series has ended: what only those need who asked for samples is dropped. */
void record_close_series(KernelRecord *record);
void record_free(KernelRecord *record);

#endif

/* The inside of the C API's handles.
 *
 * Every call of the API begins with gpu_begin() and ends with gpu_end(), so that a failure's sentence
 * stays readable until the next failure, and errors that inner functions record in `attempt` never
 * mix with those of an earlier call. */
#ifndef API_GPU_H
#define API_GPU_H

#include "api/cycle.h"
#include "api/kept.h"
#include "api/progress.h"
#include "api/run_info.h"
#include "api/system.h"
#include "api/timeline.h"
#include "api/cache_touch.h"
#include "config/config.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/stat.h"
#include "base/vec.h"
#include "exec/functional/functional.h"
#include "exec/machine.h"
#include "exec/program.h"
#include "exec/texture/texture.h"
#include "watch/profile.h"

/* A kernel of a loaded module. program is null until the kernel is first used, timing until it first runs in
 * cycle mode. */
struct WbKernel {
    WbModule *module;
    uint32_t function;
    char *plain;               /* name for people, without parameters */
    char *full;                /* and with them; null: none other was called the same when it was linked */
    Program *program;
    ProgramTiming *timing;
    uint32_t timing_machine;   /* number of the machine that timing was made for */
    uint32_t registers;        /* given by the user; 0: as compiled or allocated */
    WbCompiledKernel compiled; /* by an assembler; 0 registers: that is not known; without a name */
    uint32_t allowed_shared;   /* bytes of dynamic shared memory, by the user; 0: as much as without asking */
};

/* Invariant: addresses[v] is 0 exactly for variables that are not in device memory. The functions of
 * all modules that a GPU ever loaded are numbered in one row, so their addresses never repeat. */
/* A module that is on several GPUs is one of these for each. Invariant: `first` is the one whose managed
 * variables, and if has_text_of_first whose text, it uses: itself unless it was loaded beside another, which
 * in turn may have been. That one stays, though it may be unloaded, while `users` others need it. */
struct WbModule {
    WbGpu *gpu;
    Module *module;
    WbModule *first;
    uint32_t users;
    bool has_text_of_first;
    bool is_unloaded;
    uint64_t *addresses;       /* [variable_count] */
    uint64_t first_function;   /* number of function 0 */
    uint64_t constant_bytes;   /* of its .const variables */
    WbKernel *kernels;
    uint32_t kernel_count;
};

/* Bytes of dynamic shared memory that a kernel may give another one that it launches, unless the host has
 * asked for more. */
enum { SHARED_WITHOUT_ASKING = 48 * 1024 };

/* The text of an error in device memory, for kernels. */
typedef struct ErrorText {
    int32_t error;
    bool is_name;
    uint64_t address;
} ErrorText;

/* Counters of the GPU since it was opened or they were reset, over all launches. */
typedef struct GpuStatistics {
    WbStat *rows;              /* of all components, one table after the other */
    uint64_t *values[COMPONENT_MOST]; /* [table->count], but for the engine's: those are the machine's */
    size_t count;
    Arena arena;
} GpuStatistics;

/* A program of the aggregator. */
typedef struct Firmware {
    const char *policy;        /* its name, or its path */
    WbModule *module;
} Firmware;

/* Texts that are kept once. */
typedef struct Names {
    Arena arena;
    VEC(const char *) texts;
    Map numbers;
} Names;

typedef enum Pass { PASS_NONE, PASS_EARLY, PASS_LAST } Pass;

struct WbGpu {
    System *system;
    uint32_t index;            /* in it */
    Clock clock;               /* its cycles in those of the system */
    GpuConfig config;
    AddressSpace space;
    Machine machine;
    DeviceHeap heap;
    TextureTable textures;
    VEC(WbModule *) modules;
    Timeline timeline;
    Progress progress;
    DeviceRuntime runtime;     /* what kernels launch by */
    WbModule *services;        /* kernels of the runtime's own; null before the first use */
    VEC(Firmware) firmware;    /* of the aggregator, as far as it was used */
    WbQueries queries;         /* of the user; all null: none */
    VEC(ErrorText) error_texts;
    OuterUnits *units;         /* beside the SMs, of these; null before the first */
    uint64_t next_function, next_grid;
    CycleMachine *cycle;       /* null before the first launch in cycle mode */
    CacheTouches touches;           /* of its memory, before there is one */
    bool is_flushed;                /* before there was one */
    uint32_t machines_made;
    Cycle now;                 /* simulated time, in cycles of the SMs; system_set_now() sets it */
    uint32_t next_record;
    uint64_t workspace;        /* where blocks of cooperative launches meet; 0 before the first */
    double seconds;            /* of the host's clock, spent in launches */
    VEC(KernelRecord *) records;
    Names names;               /* of their kernels */
    SourceFiles sources;       /* that lines of records are of */
    uint32_t edges_kept;       /* of dependency graphs, by all records */
    Kept kept;                 /* for timelines */
    RunInfo run;
    Untimed untimed;
    Pass pass;                 /* of a launch that runs in several */
    uint64_t pass_version;     /* of the space when it began */
    GpuStatistics statistics;
    Strays strays;             /* that were told, since they were reset */
    WbOutput *notice;          /* null: nobody wants them */
    void *notice_context;
    bool newer_ptx_is_told;    /* that a module is for a newer GPU */
    Violations violations;     /* of dependencies, since they were reset */
    Profile *profile;          /* null: launches are not recorded */
    Error attempt, last;
    Error unreported;          /* of a launch that failed inside a call that returns nothing */
};

/* Returns the cleared error of this call. */
Error *gpu_begin(WbGpu *gpu);
/* Keeps the sentence of a failed call; returns the status. */
WbStatus gpu_end(WbGpu *gpu, WbStatus status);
/* The whole of a call whose argument is wrong: keeps the sentence; returns WB_ERROR_ARGUMENT. */
WbStatus gpu_refuse(WbGpu *gpu, const char *sentence);
/* Whether any GPU of the process is open. */
bool gpus_open(void);
/* A statistic as wb_stat_at() and wb_stat_find() have it, within a call; `index` is that of one. */
WbStat gpu_stat_at(const WbGpu *gpu, size_t index);
/* Whether the counters of the component belong into reports of the GPU. */
bool gpu_shows(const WbGpu *gpu, unsigned component);
bool gpu_stat_find(const WbGpu *gpu, const char *name, WbStat *stat);
/* A copy of the text that lives as long as the records do. */
const char *gpu_keep_name(WbGpu *gpu, const char *name);
/* Cycles that take at least so many nanoseconds. */
Cycle gpu_cycles(const WbGpu *gpu, uint64_t nanoseconds);

/* A cycle of the system as one of the GPU that begins then or later, and the other way round. */
static inline Cycle gpu_local(const WbGpu *gpu, Cycle system)
{
    return system == CYCLE_NEVER ? system : clock_tick(gpu->clock, system);
}
static inline Cycle gpu_world(const WbGpu *gpu, Cycle cycle)
{
    return cycle == CYCLE_NEVER ? cycle : clock_cycle(gpu->clock, cycle);
}

/* That the stream, if it is not the default one, is the GPU's. */
WbStatus stream_check(WbGpu *gpu, const WbStream *stream, Error *error);

/* Compares a launch with kernel and GPU. */
WbStatus launch_check(WbKernel *kernel, const WbLaunch *launch, Error *error);
/* Checks a launch and makes a kernel of it, with the arguments laid out as its parameters. */
WbStatus launch_make(WbKernel *kernel, const WbLaunch *launch, HostKernel *made, Error *error);
/* Fills in what engine and SMs need to know of a launch whose grid, block, dynamic shared memory and
 * parameters are set. */
WbStatus launch_complete(WbGpu *gpu, WbKernel *kernel, bool cooperative, Launch *launch, Error *error);

/* -- watching launches (watch.c) -- */

/* Gives the launch a grid of the profile, if there is one. */
WbStatus watch_order(WbGpu *gpu, HostKernel *kernel, Error *error);
/* The launch of a graph is about to start: the checker watches its kernels, where the knob says so. */
void watch_graph(WbGpu *gpu, Operation *operation);

/* -- accesses outside of allocations (strays.c) -- */

/* Kernels have ended: what they did outside of allocations is told, if it is news. */
void strays_tell(WbGpu *gpu);

/* -- launches by kernels (device_launch.c) -- */

/* What is launched from now on goes to functional mode, or to the cycle machine. */
void device_launch_begin(WbGpu *gpu, bool is_timed);
/* A run has failed: nothing that was launched is left. */
void device_launch_drop(WbGpu *gpu);
/* The kernel at a function's address; null: there is none. */
WbKernel *device_launch_kernel(WbGpu *gpu, uint64_t address);
/* Checks a launch by a kernel, and fills in what engine and SMs need to know. */
DeviceError device_launch_describe(WbGpu *gpu, const LaunchRequest *request, WbKernel **kernel,
                                   Launch *launch);

/* The address of a kernel of the runtime's own (device_service.c). */
uint64_t device_service_kernel(void *gpu, ServiceKernel kernel);
/* What kernels may ask about the GPU (device_query.c). */
DeviceQueries device_queries(WbGpu *gpu);

/* For people, and as the PTX has it. */
const char *kernel_name(const WbKernel *kernel);
const char *kernel_symbol(const WbKernel *kernel);
WbStatus kernel_link(WbKernel *kernel, Error *error);
/* Frees program and timing. */
void kernel_unlink(WbKernel *kernel);
/* What the pipelines of the GPU's cycle machine need to know about a linked kernel. */
const ProgramTiming *kernel_timing(WbKernel *kernel);
uint32_t kernel_registers(const WbKernel *kernel);
uint32_t kernel_max_threads(const WbKernel *kernel);
/* What wb_kernel_info and wb_kernel_occupancy say, of a linked kernel. */
WbKernelInfo kernel_info(const WbKernel *kernel);
uint32_t kernel_occupancy(const WbKernel *kernel, uint32_t threads, uint64_t dynamic_shared_bytes);
/* What a block of a linked kernel takes of an SM. */
Resources kernel_resources(const WbKernel *kernel, uint32_t threads, uint32_t shared_bytes);
/* Blocks of a linked kernel that fit on one SM at once; 0 when not even one does. */
uint32_t kernel_blocks_per_sm(const WbKernel *kernel, uint32_t threads, uint32_t shared_bytes);
/* Makes a module of the parsed text, which it takes over. */
/* Values of the knob newer_ptx. */
typedef enum NewerPtx { NEWER_PTX_TELL, NEWER_PTX_TAKE, NEWER_PTX_REFUSE } NewerPtx;
WbStatus module_check_target(WbGpu *gpu, const Module *parsed, Error *error);
WbStatus module_load_parsed(WbGpu *gpu, Module *parsed, WbModule **module, Error *error);
/* Reads and links texts. */
WbStatus module_read(WbGpu *gpu, const WbSource *sources, size_t count, Module **parsed, Error *error);
uint64_t module_function_address(const WbModule *module, uint32_t function);
/* Takes what the units of launches without timing have counted over, before they are freed. */
void statistics_keep_units(WbGpu *gpu);
void statistics_init(GpuStatistics *statistics);
void statistics_free(GpuStatistics *statistics);
/* Adds what was counted between two snapshots to the GPU's. */
void statistics_add(WbGpu *gpu, const Snapshot *before, const Snapshot *after);
void gpu_drop_records(WbGpu *gpu);
void textures_free(TextureTable *textures);
/* The object of a .texref or .surfref variable: its handle. It and the name live until it is dropped. */
uint64_t texture_add_reference(WbGpu *gpu, const char *name, bool is_surface);
void texture_drop_reference(WbGpu *gpu, uint64_t handle);
/* Frees the module and its variables; the caller takes it out of gpu->modules. */
void module_release(WbModule *module);

#endif

#include "registry/registry.h"

#include <stdio.h>
#include <string.h>

#include "channels/channels.h"
#include "claso/claso.h"
#include "correlation/correlation.h"
#include "demo/demo.h"
#include "dtbl/dtbl.h"
#include "multi/multi.h"
#include "rnn/rnn.h"
#include "saws/saws.h"
#include "six/six.h"
#include "sync/sync.h"
#include "together/together.h"
#include "wireframe/wireframe.h"

const char *const input_size_names[INPUT_SIZES] = {
    [INPUT_SMALL] = "small", [INPUT_FULL] = "full", [INPUT_TINY] = "tiny"};

/* What a workload runs with. */
typedef struct Wish {
    size_t index, mode;
    InputSize size;
    InputChoice choice;
    WbGpu *gpu;         /* the first */
    WbGpu *const *gpus; /* all, of suites that take several */
    uint32_t gpu_count;
    const char *folder;    /* of the suite's files */
    const char *workloads; /* of all suites */
} Wish;

typedef struct Suite {
    const char *name;
    size_t count;
    const WorkloadMode *modes;
    size_t mode_count;
    bool sizes[INPUT_SIZES];
    const char *const *settings;
    const char *(*about)(size_t index, const char **name);
    bool (*has_mode)(size_t index, size_t mode); /* null: all workloads have all modes */
    bool (*run)(const Wish *wish, Host *host);
    uint32_t most_gpus;
    /* Why a workload does not have a mode, as the end of a sentence; null: nothing is said. */
    const char *(*refusal)(size_t index, size_t mode);
} Suite;

static const WorkloadMode plain_modes[] = {{"plain", "Launches from the host, as it is written"}};

/* As the enum WireframeMode. */
static const WorkloadMode wireframe_modes[WIREFRAME_MODES] = {
    [WIREFRAME_GLOBAL] = {"global", "A launch for every wave, which the host waits for"},
    [WIREFRAME_CDP] = {"cdp", "Kernels launched by the device"},
    [WIREFRAME_BARRIERS] = {"barriers", "One launch, a dependency graph with a barrier between waves"},
    [WIREFRAME_LRR] = {"lrr", "One launch, a dependency graph, ready blocks in turn"},
    [WIREFRAME_LVL] = {"lvl", "One launch, a dependency graph, no block far ahead of the others"},
};

/* As the enum LaunchMode. */
static const WorkloadMode dtbl_modes[LAUNCH_MODES] = {
    [LAUNCH_FLAT] = {"flat", "No launches by the device"},
    [LAUNCH_CDP] = {"cdp", "Kernels launched by the device"},
    [LAUNCH_DTBL] = {"dtbl", "Groups of thread blocks launched by the device"},
};

/* As the enum SyncMode. */
static const WorkloadMode sync_modes[SYNC_MODES] = {
    [SYNC_REKL] = {"rekl", "Repeated launches by the host where blocks have to meet"},
    [SYNC_DP] = {"dp", "Kernels launched by the device where blocks have to meet"},
    [SYNC_MUTEX] = {"mutex", "One launch, a barrier that counts blocks by an atomic"},
    [SYNC_FLAGS] = {"flags", "One launch, a barrier of flags in memory"},
    [SYNC_PT_NEIGHBOUR] = {"pt-neighbour", "Persistent threads, each with items side by side"},
    [SYNC_PT_INTERLEAVED] = {"pt-interleaved", "Persistent threads, each with every so-manyth item"},
    [SYNC_PT_QUEUE] = {"pt-queue", "Persistent threads that take jobs from a queue"},
    [SYNC_PEERWAVE] = {"peerwave", "Persistent threads, blocks wait for their neighbours by flags"},
    [SYNC_GSYNC] = {"gsync", "One launch, global sync of all blocks"},
    [SYNC_WS] = {"ws", "One launch, blocks wait for signals of others"},
    [SYNC_WS_ORDER] = {"ws-order", "The same, blocks dispatched in the order of dependencies"},
    [SYNC_DP_LEVELS] = {"dp-levels", "One thread of the device launches all rounds"},
    [SYNC_FLAGS_WS] = {"flags-ws", "One launch, blocks wait for each other by polling flags in memory"},
};

/* As the enum ChannelsMode. */
static const WorkloadMode channels_modes[CHANNELS_MODES] = {
    [CHANNELS_FLOW] = {"flow", "Tasks that feed each other through channels"},
    [CHANNELS_FLAT] = {"flat", "No launches by the device"},
};

/* As the enum TogetherMode. */
static const WorkloadMode together_modes[TOGETHER_MODES] = {
    [TOGETHER_HOST] = {"host", "Launches by the host, level by level"},
    [TOGETHER_CDP] = {"cdp", "Kernels launched by the device"},
    [TOGETHER_DTBL] = {"dtbl", "Groups of thread blocks launched by the device"},
    [TOGETHER_BARRIERS] = {"barriers", "One launch, a dependency graph with a barrier between waves"},
    [TOGETHER_LRR] = {"lrr", "One launch, a dependency graph, ready blocks in turn"},
    [TOGETHER_LVL] = {"lvl", "One launch, a dependency graph, no block far ahead of the others"},
    [TOGETHER_GSYNC] = {"gsync", "One launch, global sync of all blocks"},
    [TOGETHER_WS] = {"ws", "One launch, blocks wait for signals of others"},
    [TOGETHER_WS_ORDER] = {"ws-order", "The same, blocks dispatched in the order of dependencies"},
    [TOGETHER_CHANNELS] = {"channels", "Tasks that feed each other through channels"},
};

/* As the enum RecurrentMode. */
static const WorkloadMode rnn_modes[RECURRENT_MODES] = {
    [RECURRENT_FLAGS] = {"flags", "One launch, layers wait for values that show whether they are written"},
    [RECURRENT_STREAM] = {"stream", "A kernel for each layer and step, in streams that wait for events"},
    [RECURRENT_PERSISTENT] = {"persistent", "One launch, a barrier of all blocks behind each layer and step"},
    [RECURRENT_ARRAYS] = {"arrays", "One launch, layers wait by flag arrays, an entry a block"},
    [RECURRENT_ENTRY] = {"entry", "One launch, layers wait by flag arrays, one entry for all blocks"},
    [RECURRENT_COUNTER] = {"counter", "One launch, layers wait by counters in memory"},
    [RECURRENT_SPLIT] = {"split", "The same as arrays, the two products of a layer by blocks of their own"},
    [RECURRENT_HARDWARE] = {"hardware", "One launch, layers wait for signals by wb_wait()"},
};

/* As the enum MultiMode. */
static const WorkloadMode multi_modes[MULTI_MODES] = {
    [MULTI_HOST] = {"host", "A kernel for each step on each GPU, behind which the host waits for all"},
    [MULTI_FLAGS] = {"flags", "One kernel on each GPU, which polls flags of the other GPUs"},
    [MULTI_PREFETCH] = {"prefetch", "The same, a neighbour's data is read as soon as its flag is there"},
    [MULTI_PUSH] = {"push", "One kernel on each GPU, flags are written to those who wait for them"},
    [MULTI_HARDWARE] = {"hardware", "One kernel on each GPU, the GPUs' units tell each other over the links"},
    [MULTI_NETWORK] = {"network", "One kernel on each GPU, by wb_put() to GPUs of other nodes (node_gpus)"},
    [MULTI_COPY] = {"copy", "Words move by copies that the host asks for"},
    [MULTI_READ] = {"read", "Words move by a kernel of the GPU that gets them"},
    [MULTI_WRITE] = {"write", "Words move by a kernel of the GPU that has them"},
};

/* Launches that wait: the device runtime's usual 2,048 are too few for some inputs. */
static const char *const launch_settings[] = {"pending_launches", "1048576", NULL};
/* Tasks launch tasks, and blocks that wait lie in a queue without a bound. */
static const char *const together_settings[] = {
    "pending_launches", "1048576", "launch_depth", "0", "preempted_global", "1048576", NULL};
static const char *const no_settings[] = {NULL};

/* A run of a kernel whose suite only says whether the result is right. */
static bool judge(Host *host, bool right)
{
    if (!right && host->status == WB_OK)
        snprintf(host->error, sizeof host->error, "The result is not the one computed without the GPU.");
    return right && host->status == WB_OK;
}

static const char *demo_about(size_t index, const char **name)
{
    *name = demo_kernels[index].name;
    return demo_kernels[index].about;
}

static bool demo_run(const Wish *wish, Host *host)
{
    *host = host_begin(wish->gpu, wish->folder, "demo.ptx");
    return judge(host, demo_kernels[wish->index].run(host));
}

static const char *six_about(size_t index, const char **name)
{
    *name = six_programs[index].name;
    return six_programs[index].about;
}

static bool six_begin(const Wish *wish, Host *host)
{
    const SixProgram *program = &six_programs[wish->index];
    return judge(host, six_run(program, wish->gpu, wish->folder, program->size, host));
}

static const char *correlation_about(size_t index, const char **name)
{
    *name = correlation_kernels[index].name;
    return correlation_kernels[index].about;
}

static bool correlation_run(const Wish *wish, Host *host)
{
    *host = host_begin(wish->gpu, wish->folder, "correlation.ptx");
    host->measured_size = wish->size == INPUT_FULL;
    return judge(host, host->status == WB_OK && correlation_kernels[wish->index].run(host));
}

static const char *dtbl_about(size_t index, const char **name)
{
    *name = dtbl_benchmarks[index].name;
    return dtbl_benchmarks[index].about;
}

static bool dtbl_begin(const Wish *wish, Host *host)
{
    char data[4096];
    snprintf(data, sizeof data, "%s/data", wish->workloads);
    const DtblRun run = {.mode = (LaunchMode)wish->mode,
                         .size = wish->size,
                         .seed = wish->choice.seed,
                         .least = wish->choice.least,
                         .data = data};
    return dtbl_run(&dtbl_benchmarks[wish->index], &run, wish->gpu, wish->folder, host);
}

static const char *wireframe_about(size_t index, const char **name)
{
    *name = wireframe_benchmarks[index].name;
    return wireframe_benchmarks[index].about;
}

static bool wireframe_begin(const Wish *wish, Host *host)
{
    const WireframeRun run = {.mode = (WireframeMode)wish->mode, .size = wish->size};
    return wireframe_run(&wireframe_benchmarks[wish->index], &run, wish->gpu, wish->folder, host);
}

static const char *sync_about(size_t index, const char **name)
{
    *name = sync_benchmarks[index].name;
    return sync_benchmarks[index].about;
}

static bool sync_has_mode(size_t index, size_t mode)
{
    return sync_has(&sync_benchmarks[index], (SyncMode)mode);
}

static bool sync_begin(const Wish *wish, Host *host)
{
    const SyncRun run = {.mode = (SyncMode)wish->mode, .size = wish->size};
    return sync_run(&sync_benchmarks[wish->index], &run, wish->gpu, wish->folder, host);
}

static const char *claso_about(size_t index, const char **name)
{
    *name = claso_benchmarks[index].benchmark.name;
    return claso_benchmarks[index].benchmark.about;
}

static bool claso_begin(const Wish *wish, Host *host)
{
    return benchmark_run(&claso_benchmarks[wish->index].benchmark, &(BenchmarkRun){.size = wish->size},
                         wish->gpu, wish->workloads, host);
}

static const char *saws_about(size_t index, const char **name)
{
    *name = saws_benchmarks[index].benchmark.name;
    return saws_benchmarks[index].benchmark.about;
}

static bool saws_begin(const Wish *wish, Host *host)
{
    return benchmark_run(&saws_benchmarks[wish->index].benchmark, &(BenchmarkRun){.size = wish->size},
                         wish->gpu, wish->workloads, host);
}

static const char *channels_about(size_t index, const char **name)
{
    *name = channels_benchmarks[index].name;
    return channels_benchmarks[index].about;
}

static bool channels_has_mode(size_t index, size_t mode)
{
    return channels_has(&channels_benchmarks[index], (ChannelsMode)mode);
}

static bool channels_begin(const Wish *wish, Host *host)
{
    const ChannelsRun run = {.mode = (ChannelsMode)wish->mode, .size = wish->size};
    return channels_run(&channels_benchmarks[wish->index], &run, wish->gpu, wish->folder, host);
}

static const char *together_about(size_t index, const char **name)
{
    *name = together_problems[index].name;
    return together_problems[index].about;
}

static bool together_has_mode(size_t index, size_t mode)
{
    return together_has(&together_problems[index], (TogetherMode)mode);
}

static const char *together_why_not(size_t index, size_t mode)
{
    return together_refusal(&together_problems[index], (TogetherMode)mode);
}

static bool together_begin(const Wish *wish, Host *host)
{
    const TogetherRun run = {.mode = (TogetherMode)wish->mode, .size = wish->size};
    return together_run(&together_problems[wish->index], &run, wish->gpu, wish->folder, host);
}

static const char *rnn_about(size_t index, const char **name)
{
    *name = recurrent_benchmarks[index].name;
    return recurrent_benchmarks[index].about;
}

static bool rnn_begin(const Wish *wish, Host *host)
{
    const RecurrentRun run = {.mode = (RecurrentMode)wish->mode, .size = wish->size};
    return recurrent_run(&recurrent_benchmarks[wish->index], &run, wish->gpu, wish->folder, host);
}

static const char *multi_about(size_t index, const char **name)
{
    *name = multi_programs[index].name;
    return multi_programs[index].about;
}

static bool multi_has_mode(size_t index, size_t mode)
{
    return multi_has(&multi_programs[index], (MultiMode)mode);
}

static bool multi_begin(const Wish *wish, Host *host)
{
    const MultiRun run = {.mode = (MultiMode)wish->mode, .size = wish->size};
    return multi_run(&multi_programs[wish->index], &run, wish->gpus, wish->gpu_count, wish->folder, host);
}

static const Suite suites[] = {
    {"demo", DEMO_COUNT, plain_modes, 1, {[INPUT_SMALL] = true}, no_settings, demo_about, NULL, demo_run, 1,
     NULL},
    {"six", SIX_COUNT, plain_modes, 1, {[INPUT_SMALL] = true}, no_settings, six_about, NULL, six_begin, 1,
     NULL},
    {"correlation",
     CORRELATION_COUNT,
     plain_modes,
     1,
     {[INPUT_SMALL] = true, [INPUT_FULL] = true},
     no_settings,
     correlation_about,
     NULL,
     correlation_run,
     1,
     NULL},
    {"dtbl",
     DTBL_WORKLOADS,
     dtbl_modes,
     LAUNCH_MODES,
     {true, true, true},
     launch_settings,
     dtbl_about,
     NULL,
     dtbl_begin,
     1,
     NULL},
    {"wireframe",
     WIREFRAME_BENCHMARKS,
     wireframe_modes,
     WIREFRAME_MODES,
     {true, true, true},
     no_settings,
     wireframe_about,
     NULL,
     wireframe_begin,
     1,
     NULL},
    {"sync",
     SYNC_BENCHMARKS,
     sync_modes,
     SYNC_MODES,
     {true, true, true},
     launch_settings,
     sync_about,
     sync_has_mode,
     sync_begin,
     1,
     NULL},
    {"claso",
     CLASO_BENCHMARKS,
     plain_modes,
     1,
     {true, true, true},
     no_settings,
     claso_about,
     NULL,
     claso_begin,
     1,
     NULL},
    {"saws",
     SAWS_BENCHMARKS,
     plain_modes,
     1,
     {true, true, true},
     no_settings,
     saws_about,
     NULL,
     saws_begin,
     1,
     NULL},
    {"channels",
     CHANNELS_BENCHMARKS,
     channels_modes,
     CHANNELS_MODES,
     {true, true, true},
     no_settings,
     channels_about,
     channels_has_mode,
     channels_begin,
     1,
     NULL},
    {"together",
     TOGETHER_PROBLEMS,
     together_modes,
     TOGETHER_MODES,
     {true, true, true},
     together_settings,
     together_about,
     together_has_mode,
     together_begin,
     1,
     together_why_not},
    {"rnn",
     RECURRENT_BENCHMARKS,
     rnn_modes,
     RECURRENT_MODES,
     {true, true, true},
     no_settings,
     rnn_about,
     NULL,
     rnn_begin,
     1,
     NULL},
    {"multi",
     MULTI_PROGRAMS,
     multi_modes,
     MULTI_MODES,
     {true, true, true},
     no_settings,
     multi_about,
     multi_has_mode,
     multi_begin,
     MULTI_GPUS,
     NULL},
};
enum { SUITE_COUNT = sizeof suites / sizeof *suites };

static void list_modes(const Suite *suite, Workload *workload)
{
    for (size_t i = 0; i < suite->mode_count; i++)
        if (!suite->has_mode || suite->has_mode(workload->index, i))
            workload->modes[workload->mode_count++] = suite->modes[i];
}

/* The suite's number of a mode that a workload lists. */
static size_t mode_in_suite(const Workload *workload, size_t mode)
{
    const Suite *suite = &suites[workload->suite];
    size_t found = 0;
    while (suite->modes[found].name != workload->modes[mode].name)
        found++;
    return found;
}

bool workload_at(size_t index, Workload *workload)
{
    for (size_t s = 0; s < SUITE_COUNT; index -= suites[s++].count) {
        const Suite *suite = &suites[s];
        if (index >= suite->count)
            continue;
        const char *name;
        *workload = (Workload){.description = suite->about(index, &name),
                               .settings = suite->settings,
                               .most_gpus = suite->most_gpus,
                               .has_choice = suite->run == dtbl_begin,
                               .suite = s,
                               .index = index};
        snprintf(workload->name, sizeof workload->name, "%s/%s", suite->name, name);
        list_modes(suite, workload);
        memcpy(workload->sizes, suite->sizes, sizeof workload->sizes);
        return true;
    }
    return false;
}

WorkloadNaming workload_naming(const Workload *workload, const char *text)
{
    const char *alone = strchr(workload->name, '/') + 1;
    const size_t length = strlen(text);
    if (strcmp(workload->name, text) == 0)
        return NAMED_IN_FULL;
    if (strcmp(alone, text) == 0)
        return NAMED_WITHOUT_SUITE;
    return strncmp(workload->name, text, length) == 0 || strncmp(alone, text, length) == 0
               ? NAMED_BY_BEGINNING
               : NAMED_NOT;
}

bool workload_find(const char *name, Workload *workload)
{
    size_t found = 0;
    Workload other;
    for (size_t i = 0; workload_at(i, &other); i++) {
        const WorkloadNaming naming = workload_naming(&other, name);
        if (naming < NAMED_WITHOUT_SUITE)
            continue;
        *workload = other;
        found++;
        if (naming == NAMED_IN_FULL)
            return true;
    }
    return found == 1;
}

static bool is_mode_before(size_t suite, const char *name)
{
    for (size_t s = 0; s < suite; s++)
        for (size_t i = 0; i < suites[s].mode_count; i++)
            if (strcmp(suites[s].modes[i].name, name) == 0)
                return true;
    return false;
}

bool workload_mode_at(size_t index, WorkloadMode *mode)
{
    for (size_t s = 0; s < SUITE_COUNT; s++)
        for (size_t i = 0; i < suites[s].mode_count; i++)
            if (!is_mode_before(s, suites[s].modes[i].name) && index-- == 0) {
                *mode = suites[s].modes[i];
                return true;
            }
    return false;
}

const char *workload_refusal(const Workload *workload, const char *mode)
{
    const Suite *suite = &suites[workload->suite];
    for (size_t i = 0; suite->refusal && i < suite->mode_count; i++)
        if (strcmp(suite->modes[i].name, mode) == 0)
            return suite->refusal(workload->index, i);
    return NULL;
}

bool workload_run_with(const Workload *workload, size_t mode, InputSize size, InputChoice choice,
                       WbGpu *const *gpus, uint32_t count, const char *workloads, Host *host)
{
    char folder[4096];
    const Suite *suite = &suites[workload->suite];
    snprintf(folder, sizeof folder, "%s/%s", workloads, suite->name);
    const Wish wish = {workload->index, mode_in_suite(workload, mode), size, choice, gpus[0], gpus, count,
                       folder, workloads};
    return suite->run(&wish, host);
}

bool workload_run_on(const Workload *workload, size_t mode, InputSize size, WbGpu *const *gpus,
                     uint32_t count, const char *workloads, Host *host)
{
    return workload_run_with(workload, mode, size, (InputChoice){0}, gpus, count, workloads, host);
}

bool workload_run(const Workload *workload, size_t mode, InputSize size, WbGpu *gpu, const char *workloads,
                  Host *host)
{
    return workload_run_on(workload, mode, size, &gpu, 1, workloads, host);
}

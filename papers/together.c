/* Runs the five problems by all mechanisms, and shows which is best where, what two of them give together,
 * and what each costs. */
#include "papers/together.h"

#include <math.h>
#include <string.h>

#include "papers/study.h"
#include "papers/sync_host.h"

const char *const together_columns[TG_COLUMNS] = {
    [TG_GTX480] = "gtx480", [TG_K20C] = "k20c",           [TG_GTX970] = "gtx970",
    [TG_H200] = "h200",     [TG_LRR] = "LRR",             [TG_TWO_LEVEL] = "two-level",
    [TG_SAWS] = "SAWS",     [TG_CLASO] = "CLASO",         [TG_DYNCTA] = "DYNCTA",
};

#define AT(mode, column) [(TOGETHER_##mode) * TG_COLUMNS + (column)]
#define ON(mode, name, column, gpu) AT(mode, column) = {name "-" gpu, {NULL}, NULL, gpu}
#define WITH(mode, name, column, what, setting) AT(mode, column) = {name "-" what, {setting}, NULL, NULL}
#define MECHANISM(mode, name)                                                                                \
    ON(mode, name, TG_GTX480, "gtx480"), ON(mode, name, TG_K20C, "k20c"),                                    \
        ON(mode, name, TG_GTX970, "gtx970"), ON(mode, name, TG_H200, "h200"),                                \
        WITH(mode, name, TG_LRR, "with-lrr", "warp_scheduler=lrr"),                                          \
        WITH(mode, name, TG_TWO_LEVEL, "with-two-level", "warp_scheduler=two-level"),                        \
        WITH(mode, name, TG_SAWS, "with-saws", "warp_scheduler=saws"),                                       \
        WITH(mode, name, TG_CLASO, "with-claso", "block_admit=claso"),                                       \
        WITH(mode, name, TG_DYNCTA, "with-dyncta", "block_admit=dyncta")

static const StudyMode modes[TG_MODES] = {
    MECHANISM(HOST, "host"),         MECHANISM(CDP, "cdp"), MECHANISM(DTBL, "dtbl"),
    MECHANISM(BARRIERS, "barriers"), MECHANISM(LRR, "lrr"), MECHANISM(LVL, "lvl"),
    MECHANISM(GSYNC, "gsync"),       MECHANISM(WS, "ws"),   MECHANISM(WS_ORDER, "ws-order"),
    MECHANISM(CHANNELS, "channels"),
    [TG_SIDE + TG_GTX480] = {"side-gtx480", {NULL}, NULL, "gtx480"},
    [TG_SIDE + TG_K20C] = {"side-k20c", {NULL}, NULL, "k20c"},
    [TG_SIDE + TG_GTX970] = {"side-gtx970", {NULL}, NULL, "gtx970"},
    [TG_SIDE + TG_H200] = {"side-h200", {NULL}, NULL, "h200"},
};

/* Those that the suite needs whatever the GPU, and the same host for all GPUs. */
static const char *const settings[] = {"mode=cycle",
                                       "block_records=false",
                                       "record_details=0",
                                       "pending_launches=1048576",
                                       "launch_depth=0",
                                       "preempted_global=1048576",
                                       SYNC_HOST_SETTINGS,
                                       NULL};

static const char *const statistics[] = {[TGS_KEYS] = "order_entries_peak", NULL};

static const char *benchmark_at(size_t index)
{
    return index < TOGETHER_PROBLEMS ? together_problems[index].name : NULL;
}

/* CLASO has no meaning for tasks of channels, and is refused. The search by channels takes a minute a run:
 * policies run without it. */
bool together_runs(size_t problem, TogetherMode mode, TogetherColumn column)
{
    if (mode == TOGETHER_CHANNELS && (column == TG_CLASO || (column >= TG_GPUS && problem == TOGETHER_GRAPH)))
        return false;
    return together_has(&together_problems[problem], mode);
}

static bool has(size_t problem, size_t mode)
{
    if (mode >= TG_SIDE)
        return problem == TOGETHER_STENCIL;
    return together_runs(problem, (TogetherMode)(mode / TG_COLUMNS), (TogetherColumn)(mode % TG_COLUMNS));
}

static bool execute(const Run *run, const PaperOptions *options, WbGpu *gpu, Host *host)
{
    char directory[4096];
    const size_t mode = run->index % TG_MODES;
    const TogetherRun how = {.mode = (TogetherMode)(mode / TG_COLUMNS), .size = options->size};
    paper_data("workloads/together", directory, sizeof directory);
    if (mode >= TG_SIDE)
        return together_side(options->size, gpu, directory, host);
    return together_run(&together_problems[run->index / TG_MODES], &how, gpu, directory, host);
}

double together_time(const Results *results, size_t problem, TogetherMode mode, TogetherColumn column)
{
    const RunResult *result = results_at(results, problem, (int)(mode * TG_COLUMNS + column));
    return result ? result->nanoseconds / 1e3 : NAN;
}

double together_speedup(const Results *results, size_t problem, TogetherMode mode, TogetherColumn column)
{
    const TogetherColumn gpu = column < TG_GPUS ? column : TG_POLICY_GPU;
    return quotient(together_time(results, problem, TOGETHER_HOST, gpu),
                    together_time(results, problem, mode, column));
}

static double metric(const Results *results, const RunResult *result, int which)
{
    (void)results, (void)which;
    return result->nanoseconds / 1e3;
}

static const Study study = {
    .paper = &paper_together,
    .experiment = {.gpu = "gtx970", .settings = settings, .statistics = statistics, .execute = execute},
    .benchmark_count = TOGETHER_PROBLEMS,
    .mode_count = TG_MODES,
    .figure_count = TOGETHER_FIGURES,
    .modes = modes,
    .has = has,
    .metric = metric,
    .figure = together_figure,
};

static bool run(const PaperOptions *options, Error *error) { return study_run(&study, options, error); }

const Paper paper_together = {
    .name = "together",
    .title = "All mechanisms on one machine: five problems, ten mechanisms, four GPUs",
    .remark = "Nothing of this was published: the tables stand alone. Time is simulated time of the host "
              "from the first launch until it knows the result. Speedups are the time by launches of the host "
              "over that of the mechanism, on the same GPU with its own policies. A dash is a combination "
              "that has no meaning, and is refused.",
    .benchmark = benchmark_at,
    .run = run,
};

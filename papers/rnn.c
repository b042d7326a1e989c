/* Runs the networks of chapter 5 of the synchronization thesis in all ways in which their cells can follow
 * each other, on the thesis's GPU and on an H200, and shows figures 12 to 15 and 32 to 34 and the claims. */
#include "papers/rnn.h"

#include <string.h>

#include "papers/study.h"
#include "papers/sync_host.h"
#include "rnn/rnn.h"

/* A network. */
typedef struct Input {
    const char *name, *kind;
    uint32_t layers, hidden;
    bool is_long;
} Input;

#define SHAPES(KIND, kind)                                                                                   \
    [RN_##KIND] = {kind, kind, 4, 128, false}, [RN_##KIND##_2L] = {kind "-2l", kind, 2, 128, false},         \
    [RN_##KIND##_8L] = {kind "-8l", kind, 8, 128, false},                                                    \
    [RN_##KIND##_H64] = {kind "-h64", kind, 4, 64, false},                                                   \
    [RN_##KIND##_H256] = {kind "-h256", kind, 4, 256, false},                                                \
    [RN_##KIND##_LONG] = {kind "-long", kind, 4, 128, true}

static const Input inputs[RN_INPUTS] = {
    SHAPES(BASIC, "basic"),
    SHAPES(GRU, "gru"),
    SHAPES(LSTM, "lstm"),
    [RN_GROUPED] = {"grouped", "grouped", 4, 128, false},
    [RN_PHASED] = {"phased", "phased", 4, 128, false},
};

/* 100 steps are what the code has that the thesis's streams are made of [5.2.2, its reference 70]; fewer take
 * less time to simulate. */
static const uint32_t lengths[INPUT_SIZES][2] = {
    [INPUT_TINY] = {2, 3}, [INPUT_SMALL] = {20, 50}, [INPUT_FULL] = {100, 250}};

enum { BATCH = 4, GROUPS = 2 }; /* [3.2.3.3]; groups of 64 units */

#define TITANX(name)                                                                                         \
    {                                                                                                        \
        name, {SYNC_HOST_SETTINGS}, NULL, NULL                                                               \
    }
#define H200(name)                                                                                           \
    {                                                                                                        \
        name, {NULL}, NULL, "h200"                                                                           \
    }

static const StudyMode modes[RN_MODES] = {
    [RN_STREAM] = TITANX("stream"),
    [RN_PERSISTENT] = TITANX("persistent"),
    [RN_SPLIT] = TITANX("split"),
    [RN_ARRAYS] = TITANX("arrays"),
    [RN_ENTRY] = TITANX("entry"),
    [RN_COUNTER] = TITANX("counter"),
    [RN_FLAGS] = TITANX("flags"),
    [RN_HARDWARE] = TITANX("hardware"),
    [RN_H200 + RN_STREAM] = H200("h200-stream"),
    [RN_H200 + RN_PERSISTENT] = H200("h200-persistent"),
    [RN_H200 + RN_SPLIT] = H200("h200-split"),
    [RN_H200 + RN_ARRAYS] = H200("h200-arrays"),
    [RN_H200 + RN_ENTRY] = H200("h200-entry"),
    [RN_H200 + RN_COUNTER] = H200("h200-counter"),
    [RN_H200 + RN_FLAGS] = H200("h200-flags"),
    [RN_H200 + RN_HARDWARE] = H200("h200-hardware"),
};

static const RecurrentMode ways[RN_MODES_A_GPU] = {
    [RN_STREAM] = RECURRENT_STREAM, [RN_PERSISTENT] = RECURRENT_PERSISTENT, [RN_SPLIT] = RECURRENT_SPLIT,
    [RN_ARRAYS] = RECURRENT_ARRAYS, [RN_ENTRY] = RECURRENT_ENTRY,           [RN_COUNTER] = RECURRENT_COUNTER,
    [RN_FLAGS] = RECURRENT_FLAGS,   [RN_HARDWARE] = RECURRENT_HARDWARE,
};

static const char *const settings[] = {"mode=cycle", "block_records=false", "record_details=0", NULL};

static const char *const statistics[] = {
#define KEEP(name, statistic) statistic,
    RNN_STATISTICS
#undef KEEP
        NULL};

static const char *benchmark_at(size_t index) { return index < RN_INPUTS ? inputs[index].name : NULL; }

/* Networks of one shape run in all ways, on both GPUs; others do in those of figures 32 to 34. */
static bool has(size_t input, size_t mode)
{
    const bool is_usual = strcmp(inputs[input].name, inputs[input].kind) == 0;
    return is_usual || (mode < RN_H200 && mode != RN_ENTRY && mode != RN_COUNTER);
}

/* Smaller for tests. */
RnnShape rnn_shape(RnnInput index, InputSize size)
{
    const Input *input = &inputs[index];
    const bool tiny = size == INPUT_TINY;
    return (RnnShape){.kind = input->kind,
                      .layers = tiny ? input->layers / 2 : input->layers,
                      .hidden = tiny ? 64 : input->hidden,
                      .steps = lengths[size][input->is_long],
                      .batch = BATCH,
                      .groups = strcmp(input->kind, "grouped") == 0 ? GROUPS : 1};
}

static bool execute(const Run *run, const PaperOptions *options, WbGpu *gpu, Host *host)
{
    char directory[4096];
    const RnnShape shape = rnn_shape((RnnInput)(run->index / RN_MODES), options->size);
    const RecurrentRun how = {.mode = ways[run->index % RN_MODES_A_GPU],
                              .size = options->size,
                              .layers = shape.layers,
                              .hidden = shape.hidden,
                              .steps = shape.steps,
                              .batch = shape.batch,
                              .groups = shape.groups};
    paper_data("workloads/rnn", directory, sizeof directory);
    return recurrent_run(recurrent_find(shape.kind), &how, gpu, directory, host);
}

/* Kernels that compute cells, by streams: those of the products before them are not counted. */
static void sample_wave(WbGpu *gpu, RunResult *result)
{
    WbRecord record;
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < wb_record_count(gpu); i++) {
        if (wb_record_at(gpu, i, &record) != WB_OK || !strstr(record.name, "rnn_stream_state"))
            continue;
        result->samples[RN_CELL_CYCLES] += (double)(record.ended - record.started);
        first = record.started < first ? record.started : first;
        last = record.ended > last ? record.ended : last;
    }
    if (last)
        result->samples[RN_WAVE_CYCLES] = (double)(last - first);
}

static void sample(const Run *run, WbGpu *gpu, RunResult *result)
{
    WbRecord record;
    (void)run;
    for (size_t i = 0; i < wb_record_count(gpu); i++) {
        if (wb_record_at(gpu, i, &record) != WB_OK)
            continue;
        result->samples[RN_KERNELS]++;
        result->samples[RN_PASSES] += strncmp(record.name, "rnn_wait", strlen("rnn_wait")) == 0;
        result->samples[RN_BLOCKS] = record.grid.x;
    }
    sample_wave(gpu, result);
}

static const Study study = {
    .paper = &paper_rnn,
    .experiment = {.gpu = "titanx",
                   .settings = settings,
                   .statistics = statistics,
                   .execute = execute,
                   .sample = sample},
    .benchmark_count = RN_INPUTS,
    .mode_count = RN_MODES,
    .figure_count = RNN_FIGURES,
    .modes = modes,
    .has = has,
    .claims_of = "sync-thesis",
    .claims_prefix = "R",
    .metric = rnn_metric,
    .figure = rnn_figure,
    .judge = rnn_judge,
};

static bool run(const PaperOptions *options, Error *error) { return study_run(&study, options, error); }

const Paper paper_rnn = {
    .name = "rnn",
    .title =
        "Recurrent networks with wait-signal (synchronization thesis, chapter 5): figures 12 to 15 and 32 to "
        "34, on titanx and h200",
    .remark =
        "Time is simulated time of the host from the call that runs the network until it knows its end: "
        "launches included. Speedups are times over each other. A network has four layers of 128 units "
        "unless its name says otherwise: 2l, 8l: layers; h64, h256: units; long: 2.5 times the steps.",
    .benchmark = benchmark_at,
    .run = run,
};

/* Runs the programs for several GPUs on 1, 2, 4 and 8 GPUs in all ways in which they can meet, over NVLink,
 * some of them over PCIe, and on 2 and 4 nodes, and shows what that costs and how it scales. */
#include "papers/multi_gpu.h"

#include <math.h>

#include "papers/study.h"

/* A program, and the side and steps of its data with inputs of each size. Small ones are as small as still
 * keep the SMs of one GPU busy, so that eight GPUs can be simulated in seconds. */
typedef struct Input {
    const char *name;
    uint32_t side[INPUT_SIZES], steps[INPUT_SIZES];
} Input;

#define SIZES(small, full)                                                                                   \
    {                                                                                                        \
        [INPUT_SMALL] = small, [INPUT_FULL] = full                                                           \
    }

static const Input inputs[MG_INPUTS] = {
    [MG_STENCIL2D] = {"stencil2d", SIZES(512, 2048), SIZES(8, 16)},
    [MG_STENCIL2D_WEAK] = {"stencil2d_weak", SIZES(512, 2048), SIZES(8, 16)},
    [MG_STENCIL3D] = {"stencil3d", SIZES(64, 128), SIZES(6, 12)},
    [MG_STENCIL3D_WEAK] = {"stencil3d_weak", SIZES(64, 128), SIZES(6, 12)},
    [MG_BFS] = {"bfs", SIZES(16384, 131072), {0}},
    [MG_BFS_WEAK] = {"bfs_weak", SIZES(16384, 131072), {0}},
    [MG_LSTM] = {"lstm", SIZES(128, 256), SIZES(8, 32)},
    [MG_LSTM_WEAK] = {"lstm_weak", SIZES(128, 256), SIZES(8, 32)},
    [MG_MEET] = {"meet", {0}, SIZES(8, 16)},
    [MG_RING] = {"ring", SIZES(256 << 10, 1 << 20), {0}},
    [MG_TREE] = {"tree", SIZES(256 << 10, 1 << 20), {0}},
    [MG_ONESHOT] = {"oneshot", SIZES(256 << 10, 1 << 20), {0}},
    [MG_TWOSHOT] = {"twoshot", SIZES(256 << 10, 1 << 20), {0}},
};

const char *const multi_gpu_ways[MG_WAYS] = {[MG_HOST] = "host",
                                             [MG_FLAGS] = "flags",
                                             [MG_PREFETCH] = "prefetch",
                                             [MG_PUSH] = "push",
                                             [MG_HARDWARE] = "hardware",
                                             [MG_PCIE_HOST] = "host, PCIe",
                                             [MG_PCIE_FLAGS] = "flags, PCIe",
                                             [MG_NETWORK] = "network, 1 node",
                                             [MG_NODES_2] = "network, 2 nodes",
                                             [MG_NODES_4] = "network, 4 nodes"};

static const MultiMode modes_of_ways[MG_WAYS] = {
    [MG_HOST] = MULTI_HOST,       [MG_FLAGS] = MULTI_FLAGS,       [MG_PREFETCH] = MULTI_PREFETCH,
    [MG_PUSH] = MULTI_PUSH,       [MG_HARDWARE] = MULTI_HARDWARE, [MG_PCIE_HOST] = MULTI_HOST,
    [MG_PCIE_FLAGS] = MULTI_FLAGS, [MG_NETWORK] = MULTI_NETWORK,     [MG_NODES_2] = MULTI_NETWORK,
    [MG_NODES_4] = MULTI_NETWORK};

#define NVLINK(way, name)                                                                                    \
    [(way)*MG_COUNTS] = {name "-1", {NULL}, NULL, NULL},                                                     \
    [(way)*MG_COUNTS + 1] = {name "-2", {NULL}, NULL, NULL},                                                 \
    [(way)*MG_COUNTS + 2] = {name "-4", {NULL}, NULL, NULL},                                                 \
    [(way)*MG_COUNTS + 3] = {name "-8", {NULL}, NULL, NULL}
#define OVER_PCIE "link_topology=pcie"
#define PCIE(way, name)                                                                                      \
    [(way)*MG_COUNTS] = {name "-1", {OVER_PCIE}, NULL, NULL},                                                \
    [(way)*MG_COUNTS + 1] = {name "-2", {OVER_PCIE}, NULL, NULL},                                            \
    [(way)*MG_COUNTS + 2] = {name "-4", {OVER_PCIE}, NULL, NULL},                                            \
    [(way)*MG_COUNTS + 3] = {name "-8", {OVER_PCIE}, NULL, NULL}
/* As many GPUs of a node as there are of all, divided by the nodes. */
#define NODES_2(way, name)                                                                                   \
    [(way)*MG_COUNTS] = {name "-1", {NULL}, NULL, NULL},                                                     \
    [(way)*MG_COUNTS + 1] = {name "-2", {"node_gpus=1"}, NULL, NULL},                                        \
    [(way)*MG_COUNTS + 2] = {name "-4", {"node_gpus=2"}, NULL, NULL},                                        \
    [(way)*MG_COUNTS + 3] = {name "-8", {"node_gpus=4"}, NULL, NULL}
#define NODES_4(way, name)                                                                                   \
    [(way)*MG_COUNTS] = {name "-1", {NULL}, NULL, NULL},                                                     \
    [(way)*MG_COUNTS + 1] = {name "-2", {NULL}, NULL, NULL},                                                 \
    [(way)*MG_COUNTS + 2] = {name "-4", {"node_gpus=1"}, NULL, NULL},                                        \
    [(way)*MG_COUNTS + 3] = {name "-8", {"node_gpus=2"}, NULL, NULL}

static const StudyMode modes[MG_MODES] = {
    NVLINK(MG_HOST, "host"),           NVLINK(MG_FLAGS, "flags"),       NVLINK(MG_PREFETCH, "prefetch"),
    NVLINK(MG_PUSH, "push"),           NVLINK(MG_HARDWARE, "hardware"), PCIE(MG_PCIE_HOST, "pcie-host"),
    PCIE(MG_PCIE_FLAGS, "pcie-flags"), NVLINK(MG_NETWORK, "network"),   NODES_2(MG_NODES_2, "nodes2"),
    NODES_4(MG_NODES_4, "nodes4"),
};

static const char *const settings[] = {"mode=cycle", "block_records=false", "record_details=0", NULL};
static const char *const statistics[] = {NULL};

static const char *benchmark_at(size_t index) { return index < MG_INPUTS ? inputs[index].name : NULL; }

/* No node is without a GPU. Over PCIe those whose ways differ most run: what is exchanged is a halo, a vertex, or nothing. */
static bool has(size_t input, size_t mode)
{
    const MultiGpuWay way = (MultiGpuWay)(mode / MG_COUNTS);
    const bool is_alone = mode % MG_COUNTS == 0;
    if ((way == MG_NODES_2 && is_alone) || (way == MG_NODES_4 && mode % MG_COUNTS < 2))
        return false;
    if (way == MG_PCIE_HOST || way == MG_PCIE_FLAGS)
        return !is_alone && (input == MG_MEET || input == MG_STENCIL2D || input == MG_BFS);
    if (input > MG_MEET && is_alone)
        return false;
    return multi_has(multi_find(inputs[input].name), modes_of_ways[way]);
}

static uint32_t gpus_of(const Run *run) { return 1u << run->index % MG_COUNTS; }

static bool execute_on(const Run *run, const PaperOptions *options, WbGpu *const *gpus, uint32_t count,
                       Host *host)
{
    char directory[4096];
    const Input *input = &inputs[run->index / MG_MODES];
    const MultiGpuWay way = (MultiGpuWay)(run->index % MG_MODES / MG_COUNTS);
    const MultiRun how = {.mode = modes_of_ways[way],
                          .size = options->size,
                          .side = input->side[options->size],
                          .steps = input->steps[options->size]};
    paper_data("workloads/multi", directory, sizeof directory);
    const bool right = multi_run(multi_find(input->name), &how, gpus, count, directory, host);
    if (right && how.mode != MULTI_HOST)
        host->total_time = multi_together(gpus, count);
    return right;
}

double multi_gpu_time(const Results *results, MultiGpuInput input, MultiGpuWay way, size_t count)
{
    const RunResult *result = results_at(results, input, (int)(way * MG_COUNTS + count));
    return result ? result->nanoseconds / 1e3 : NAN;
}

uint32_t multi_gpu_meetings(const Results *results, MultiGpuInput input, size_t count)
{
    static const uint32_t layers = 8, tiny = 3;
    const uint32_t given = inputs[input].steps[results->size], steps = given ? given : tiny;
    switch (input) {
    case MG_STENCIL2D:
    case MG_STENCIL2D_WEAK:
    case MG_STENCIL3D:
    case MG_STENCIL3D_WEAK:
        return steps - 1;
    case MG_LSTM:
        return layers + steps - 2;
    case MG_LSTM_WEAK:
        return (layers / 4 << count) + steps - 2;
    case MG_MEET:
        return steps;
    default:
        return 0;
    }
}

static double metric(const Results *results, const RunResult *result, int which)
{
    (void)results, (void)which;
    return result->nanoseconds / 1e3;
}

static const Study study = {
    .paper = &paper_multi_gpu,
    .experiment = {.gpu = "h200",
                   .settings = settings,
                   .statistics = statistics,
                   .gpus = gpus_of,
                   .execute_on = execute_on},
    .benchmark_count = MG_INPUTS,
    .mode_count = MG_MODES,
    .figure_count = MULTI_GPU_FIGURES,
    .modes = modes,
    .has = has,
    .metric = metric,
    .figure = multi_gpu_figure,
};

static bool run(const PaperOptions *options, Error *error) { return study_run(&study, options, error); }

const Paper paper_multi_gpu = {
    .name = "multi-gpu",
    .title =
        "Several GPUs of one host and of several nodes (synchronization thesis, sections 8.1 and 8.2): "
        "strong and weak scaling, and what meeting costs, on h200",
    .remark =
        "Nothing of this was published: the tables stand alone. With the host, time is that of the host's "
        "timeline from the first launch until it knows the end; with one kernel on each GPU, from when all "
        "kernels have begun until the last has ended.",
    .benchmark = benchmark_at,
    .run = run,
};

/* The tables: a row for each program and way to meet, a column for each number of GPUs. */
#include "papers/multi_gpu.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const counts[MG_COUNTS] = {"1 GPU", "2 GPUs", "4 GPUs", "8 GPUs"};

typedef double Value(const Results *results, MultiGpuInput input, MultiGpuWay way, size_t count);

/* What a run takes beside the same program and way on one GPU. Over PCIe a GPU alone is the same as any, and one node
 * too. */
static double alone(const Results *results, MultiGpuInput input, MultiGpuWay way)
{
    const bool has_nodes = way == MG_NODES_2 || way == MG_NODES_4;
    const MultiGpuWay same = way == MG_PCIE_HOST    ? MG_HOST
                             : way == MG_PCIE_FLAGS ? MG_FLAGS
                             : has_nodes            ? MG_NETWORK
                                                    : way;
    return multi_gpu_time(results, input, same, 0);
}

static double a_meeting(const Results *results, MultiGpuInput input, MultiGpuWay way, size_t count)
{
    return quotient(multi_gpu_time(results, input, way, count), multi_gpu_meetings(results, input, count));
}

static double speedup(const Results *results, MultiGpuInput input, MultiGpuWay way, size_t count)
{
    return quotient(alone(results, input, way), multi_gpu_time(results, input, way, count));
}

static double efficiency(const Results *results, MultiGpuInput input, MultiGpuWay way, size_t count)
{
    return 100 * speedup(results, input, way, count);
}

/* Of a run's time, what its meetings would take if nobody had anything else to do. */
static double share(const Results *results, MultiGpuInput input, MultiGpuWay way, size_t count)
{
    const MultiGpuWay same = way == MG_PREFETCH ? MG_FLAGS : way;
    const double meetings = multi_gpu_meetings(results, input, count);
    return 100 * quotient(meetings * a_meeting(results, MG_MEET, same, count),
                          multi_gpu_time(results, input, way, count));
}

typedef struct Table {
    const char *name, *title, *unit;
    Value *value;
    int decimals;
    MultiGpuInput inputs[MG_INPUTS];
    size_t input_count;
    size_t first; /* number of GPUs */
} Table;

static const Table tables[MULTI_GPU_FIGURES] = {
    {"meeting",
     "What it costs all GPUs to meet once, with nothing else to do",
     "us",
     a_meeting,
     2,
     {MG_MEET},
     1,
     0},
    {"strong",
     "Strong scaling: one input parted among GPUs; speedup over one GPU that meets the same way",
     "times",
     speedup,
     2,
     {MG_STENCIL2D, MG_STENCIL3D, MG_BFS, MG_LSTM},
     4,
     0},
    {"weak",
     "Weak scaling: as much for every GPU; time of one GPU over that of all",
     "%",
     efficiency,
     0,
     {MG_STENCIL2D_WEAK, MG_STENCIL3D_WEAK, MG_BFS_WEAK, MG_LSTM_WEAK},
     4,
     0},
    {"share",
     "Meetings at what they cost alone, of the time of a run with strong scaling",
     "%",
     share,
     0,
     {MG_STENCIL2D, MG_STENCIL3D, MG_LSTM},
     3,
     0},
    {"allreduce",
     "All-reduce of one vector of each GPU",
     "us",
     multi_gpu_time,
     1,
     {MG_RING, MG_TREE, MG_ONESHOT, MG_TWOSHOT},
     4,
     1},
};

static bool has_row(const Results *results, const Table *table, MultiGpuInput input, MultiGpuWay way)
{
    for (size_t i = table->first; i < MG_COUNTS; i++)
        if (!isnan(table->value(results, input, way, i)))
            return true;
    return false;
}

static void put_row(Sheet *sheet, const Results *results, const Table *table, MultiGpuInput input,
                    MultiGpuWay way)
{
    char name[64];
    snprintf(name, sizeof name, "%s, %s", results->benchmark(input), multi_gpu_ways[way]);
    sheet_text(sheet, name);
    for (size_t i = table->first; i < MG_COUNTS; i++)
        sheet_number(sheet, table->value(results, input, way, i), table->decimals);
}

Sheet multi_gpu_figure(const Results *results, size_t index)
{
    const Table *table = &tables[index];
    Sheet sheet = {.name = table->name, .title = table->title};
    sheet_column(&sheet, "program, way");
    for (size_t i = table->first; i < MG_COUNTS; i++)
        sheet_column_in(&sheet, counts[i], table->unit);
    for (size_t i = 0; i < table->input_count; i++)
        for (MultiGpuWay way = 0; way < MG_WAYS; way++)
            if (has_row(results, table, table->inputs[i], way))
                put_row(&sheet, results, table, table->inputs[i], way);
    return sheet;
}

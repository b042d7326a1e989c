#include "polybench/polybench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "polybench/program.h"

enum { SECTOR_BYTES = 32 };

const PolybenchProgram polybench_programs[POLYBENCH_PROGRAMS] = {
    {"conv2d", "Convolution of an image with 3 x 3 weights", polybench_conv2d},
    {"mm2", "Product of three matrices, one after the other", polybench_mm2},
    {"conv3d", "Convolution of a volume, a launch for each plane", polybench_conv3d},
    {"mm3", "Product of two products of matrices", polybench_mm3},
    {"adi", "Alternating directions: sweeps along rows and columns", polybench_adi},
    {"atax", "A matrix times a vector, then the transposed matrix times that", polybench_atax},
    {"bicg", "A transposed matrix and the matrix itself, times a vector each", polybench_bicg},
    {"correlation", "Correlation of the columns of a matrix", polybench_correlation},
    {"covariance", "Covariance of the columns of a matrix", polybench_covariance},
    {"doitgen", "Planes of a volume times a matrix, in place", polybench_doitgen},
    {"fdtd", "Finite differences in time on three planes", polybench_fdtd},
    {"gemm", "Product of two matrices, added to a third", polybench_gemm},
    {"gemver", "A matrix with two outer products added, times vectors", polybench_gemver},
    {"gesummv", "Sum of two matrices times a vector", polybench_gesummv},
    {"gramschmidt", "Orthogonal columns of a matrix, one after the other", polybench_gramschmidt},
    {"jacobi1d", "A stencil of three points", polybench_jacobi1d},
    {"jacobi2d", "A stencil of five points", polybench_jacobi2d},
    {"lu", "Triangular factors of a matrix", polybench_lu},
    {"mvt", "A matrix and the transposed one, times a vector each", polybench_mvt},
    {"syr2k", "Symmetric product of two matrices, added to a third", polybench_syr2k},
    {"syrk", "A matrix times itself transposed, added to another", polybench_syrk},
};

const PolybenchKernel polybench_kernels[POLYBENCH_KERNELS] = {
    {"conv2d", "conv2d", 1},
    {"mm2_1", "mm2", 1},
    {"mm2_2", "mm2", 2},
    {"conv3d", "conv3d", 8},
    {"mm3_1", "mm3", 1},
    {"mm3_2", "mm3", 2},
    {"mm3_3", "mm3", 3},
    {"adi_1", "adi", 1},
    {"adi_2", "adi", 2},
    {"adi_3", "adi", 3},
    {"adi_4", "adi", 8},
    {"atax_1", "atax", 1},
    {"atax_2", "atax", 2},
    {"bicg_1", "bicg", 1},
    {"bicg_2", "bicg", 2},
    {"correlation_mean", "correlation", 1},
    {"correlation_std", "correlation", 2},
    {"correlation_reduce", "correlation", 3},
    {"correlation_corr", "correlation", 4},
    {"covariance_mean", "covariance", 1},
    {"covariance_reduce", "covariance", 2},
    {"covariance_covar", "covariance", 3},
    {"doitgen_1", "doitgen", 7},
    {"doitgen_2", "doitgen", 8},
    {"fdtd_1", "fdtd", 7},
    {"fdtd_2", "fdtd", 8},
    {"fdtd_3", "fdtd", 6},
    {"gemm", "gemm", 1},
    {"gemver_1", "gemver", 1},
    {"gemver_2", "gemver", 2},
    {"gemver_3", "gemver", 3},
    {"gesummv", "gesummv", 1},
    {"gramschmidt_1", "gramschmidt", 7},
    {"gramschmidt_2", "gramschmidt", 8},
    {"gramschmidt_3", "gramschmidt", 6},
    {"jacobi1d_1", "jacobi1d", 7},
    {"jacobi1d_2", "jacobi1d", 8},
    {"jacobi2d_1", "jacobi2d", 7},
    {"jacobi2d_2", "jacobi2d", 8},
    {"lu_1", "lu", 7},
    {"lu_2", "lu", 8},
    {"mvt_1", "mvt", 1},
    {"mvt_2", "mvt", 2},
    {"syr2k", "syr2k", 1},
    {"syrk", "syrk", 1},
};

PolybenchArray *polybench_array(PolybenchRun *run, size_t count)
{
    PolybenchArray *array = &run->arrays[run->array_count++];
    *array = (PolybenchArray){host_array(run->host, count, sizeof *array->at),
                              host_buffer(run->host, NULL, count * sizeof *array->at), count, 1};
    return array;
}

void polybench_copy(PolybenchRun *run, PolybenchArray *array)
{
    if (array->at)
        host_write(run->host, array->device, array->at, array->count * sizeof *array->at);
}

/* -- counters of a launch -- */

static double counted(const WbGpu *gpu, size_t record, const char *name)
{
    WbStat stat = {0};
    return wb_record_stat(gpu, record, name, &stat) == WB_OK ? (double)stat.value : 0;
}

static double percent(double part, double all) { return all > 0 ? 100 * part / all : 0; }

/* As the profiler counts: stores look sectors up, too, and what is on its way is no miss. Stores are counted
 * here by the request; those of these kernels have sectors alike. */
static double l1_hits(const WbGpu *gpu, size_t record)
{
    const double misses = counted(gpu, record, "l1.sector_misses"),
                 loaded = misses + counted(gpu, record, "l1.sector_hits") +
                          counted(gpu, record, "l1.sector_merges"),
                 all = counted(gpu, record, "lsu.global_sectors"),
                 store_hits = counted(gpu, record, "l1.store_hits"),
                 stores = store_hits + counted(gpu, record, "l1.store_misses"),
                 stored = stores > 0 ? (all - loaded) * store_hits / stores : 0;
    return percent(loaded - misses + stored, all);
}

/* What came from the other half of L2 is no miss, nor is a store that fetches nothing. */
static double l2_hits(const WbGpu *gpu, size_t record)
{
    static const char *const sectors[] = {"l2.load_hits",  "l2.load_pending",  "l2.load_misses",
                                          "l2.store_hits", "l2.store_pending", "l2.store_misses"};
    double all = 0;
    for (size_t i = 0; i < sizeof sectors / sizeof *sectors; i++)
        all += counted(gpu, record, sectors[i]);
    return percent(all - counted(gpu, record, "l2.fetches"), all);
}

static PolybenchLaunch read_counters(const Host *host, const char *kernel)
{
    PolybenchLaunch launch = {.kernel = kernel, .cycles = (double)host->cycles};
    const size_t records = wb_record_count(host->gpu);
    WbRecord record;
    if (!records || wb_record_at(host->gpu, records - 1, &record) != WB_OK)
        return launch;
    const double issued = counted(host->gpu, records - 1, "scheduler.issued");
    launch.instructions = issued > 0 ? issued : (double)record.warp_instructions;
    launch.dram_read = SECTOR_BYTES * counted(host->gpu, records - 1, "l2.fetches");
    launch.l1_hits = l1_hits(host->gpu, records - 1);
    launch.l2_hits = l2_hits(host->gpu, records - 1);
    return launch;
}

bool polybench_launch(PolybenchRun *run, const char *kernel, WbDim3 grid, WbDim3 block,
                      const WbArgument *arguments, size_t count)
{
    if (run->host->status != WB_OK || run->count == run->limit)
        return false;
    host_launch(run->host, kernel, grid, block, arguments, (uint32_t)count);
    if (run->host->status != WB_OK)
        return false;
    run->launches[run->count++] = read_counters(run->host, kernel);
    return true;
}

PolybenchLaunch polybench_mean(const PolybenchRun *run, const char *kernel)
{
    PolybenchLaunch mean = {.kernel = kernel};
    double n = 0;
    for (size_t i = 0; i < run->count; i++) {
        const PolybenchLaunch *launch = &run->launches[i];
        if (strcmp(launch->kernel, kernel) != 0)
            continue;
        mean.cycles += launch->cycles, mean.instructions += launch->instructions;
        mean.dram_read += launch->dram_read, mean.l1_hits += launch->l1_hits, mean.l2_hits += launch->l2_hits;
        n++;
    }
    mean.cycles /= n, mean.instructions /= n, mean.dram_read /= n, mean.l1_hits /= n, mean.l2_hits /= n;
    return mean;
}

/* -- running -- */

/* NaNs are equal, whatever their bits. */
static bool is_right(const PolybenchArray *array, float got, float expected)
{
    if (array->adders > 1)
        return got >= expected && got <= (float)array->adders * expected * 1.00001f;
    return got == expected || (isnan(got) && isnan(expected));
}

/* False: the device has something else, or there was a failure; the host has the sentence. */
static bool compare(const PolybenchRun *run, size_t index)
{
    Host *host = run->host;
    const PolybenchArray *array = &run->arrays[index];
    float *got = host_array(host, array->count, sizeof *got);
    if (got)
        host_read(host, got, array->device, array->count * sizeof *got);
    size_t i = 0;
    while (host->status == WB_OK && i < array->count && is_right(array, got[i], array->at[i]))
        i++;
    if (host->status == WB_OK && i < array->count)
        snprintf(host->error, sizeof host->error,
                 "Array %zu has %g at %zu after %zu launches, where the host computed %g.", index,
                 (double)got[i], i, run->count, (double)array->at[i]);
    free(got);
    return i == array->count;
}

const PolybenchProgram *polybench_program(const char *name)
{
    for (size_t i = 0; i < POLYBENCH_PROGRAMS; i++)
        if (!strcmp(polybench_programs[i].name, name))
            return &polybench_programs[i];
    return NULL;
}

bool polybench_run(const PolybenchProgram *program, size_t limit, bool measured_size, WbGpu *gpu,
                   const char *directory, Host *host, PolybenchRun *run)
{
    *host = host_begin(gpu, directory, "polybench.ptx");
    host->measured_size = measured_size;
    *run = (PolybenchRun){.host = host, .limit = limit};
    program->run(run);
    bool right = true;
    for (size_t i = 0; right && i < run->array_count; i++)
        right = compare(run, i);
    for (size_t i = 0; i < run->array_count; i++) {
        host_free(host, run->arrays[i].device);
        free(run->arrays[i].at);
    }
    return right && host->status == WB_OK;
}

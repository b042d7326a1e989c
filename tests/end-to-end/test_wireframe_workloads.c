/* The benchmarks of the Wireframe paper on tiny inputs: whoever keeps the order of tiles, the results are,
 * bit by bit, those computed without the GPU, however the matrix is cut, and cycle mode gives the same bytes
 * for any number of threads. As many blocks fit on an SM as the paper has. The dependencies that benchmarks
 * tell are those of their waves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "harness.h"
#include "warpbeam_graph.h"
#include "wireframe/wireframe.h"

#define DIRECTORY SOURCE_DIRECTORY "/workloads/wireframe"

static const char *const mode_names[WIREFRAME_MODES] = {"Global", "CDP", "barriers", "LRR", "LVL"};

/* Fails the test unless the result is right and every two tiles that touch the same cells are ordered by the
 * graph, where there is one. The caller closes the GPU, which tells what has happened. */
static WbGpu *run(const WireframeBenchmark *benchmark, const WireframeRun *how, const char *name,
                  const char *const *knobs)
{
    Host host;
    WbGpu *gpu = harness_open(name, knobs);
    if (!wireframe_run(benchmark, how, gpu, DIRECTORY, &host))
        fail_msg("%s, %s, %u tiles, %s: %s", benchmark->name, mode_names[how->mode], how->tiles, name,
                 host.error);
    if (wb_graph_violations(gpu) > 0)
        fail_msg("%s, %s: %s", benchmark->name, mode_names[how->mode], wb_graph_violation(gpu, 0));
    host_end(&host);
    return gpu;
}

/* Tiles of one warp and of several, of one part of 128 columns and of two, and tiles hardly larger than the
 * least. All modes have the first cut. */
static void test_functional(void **state)
{
    static const uint32_t tiles[] = {9, 1, 2, 27};
    (void)state;
    for (size_t i = 0; i < WIREFRAME_BENCHMARKS; i++)
        for (int mode = 0; mode < WIREFRAME_MODES; mode++)
            for (size_t cut = 0; cut < (mode == WIREFRAME_GLOBAL ? 4 : 1); cut++) {
                const WireframeRun how = {
                    .mode = (WireframeMode)mode, .size = INPUT_TINY, .tiles = tiles[cut]};
                wb_gpu_close(run(&wireframe_benchmarks[i], &how, cut < 2 ? "gtx480" : "h200",
                                 (const char *const[]){"mode=functional", "graph_check=true", NULL}));
            }
}

/* The widest tiles; one at the right edge and one before another; parts of 128 columns that are full, and one
 * of 4 columns. */
static void test_wide_tiles(void **state)
{
    static const uint32_t widths[] = {508, 1016, 256, 132};
    (void)state;
    for (size_t i = 0; i < WIREFRAME_BENCHMARKS; i++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            WireframeBenchmark wide = wireframe_benchmarks[i];
            wide.cells[INPUT_TINY] = (WavefrontCells){widths[w], 9};
            const WireframeRun how = {.mode = WIREFRAME_LRR, .size = INPUT_TINY, .tiles = w == 1 ? 2 : 1};
            wb_gpu_close(run(&wide, &how, "gtx480",
                             (const char *const[]){"mode=functional", "graph_check=true", NULL}));
        }
}

/* Eight blocks, the most that an SM of the paper runs, fit on one with the largest tiles of each of its
 * graphs: here one such tile is all that there is. */
static void test_places(void **state)
{
    static const uint32_t tiles[] = {32, 64, 96};
    (void)state;
    for (size_t i = 0; i < WIREFRAME_BENCHMARKS; i++)
        for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++) {
            WireframeBenchmark one = wireframe_benchmarks[i];
            const WavefrontCells full = one.cells[INPUT_FULL];
            WbRecord record;
            one.cells[INPUT_TINY] = (WavefrontCells){(full.width / 4 + tiles[t] - 1) / tiles[t] * 4,
                                                     (full.height + tiles[t] - 1) / tiles[t]};
            const WireframeRun how = {.mode = WIREFRAME_LVL, .size = INPUT_TINY, .tiles = 1};
            WbGpu *gpu = run(&one, &how, "gtx480", (const char *const[]){"mode=cycle", NULL});
            assert_int_equal(wb_record_at(gpu, 0, &record), WB_OK);
            if (record.blocks_per_sm != 8)
                fail_msg("%s, %u x %u tiles: %u blocks of %u registers a thread and %u bytes fit on an SM",
                         one.name, tiles[t], tiles[t], record.blocks_per_sm, record.registers,
                         record.shared_bytes);
            wb_gpu_close(gpu);
        }
}

static uint64_t statistic(const WbGpu *gpu, const char *name)
{
    WbStat stat;
    if (wb_stat_find(gpu, name, &stat) != WB_OK)
        fail_msg("there is no statistic %s", name);
    return stat.value;
}

/* Who launched how many blocks, and which of them waited off their SM. */
static void check_launches(const WbGpu *gpu, WireframeMode mode, uint32_t waves, uint32_t tiles)
{
    const uint64_t nested = mode == WIREFRAME_CDP ? waves : 0;
    assert_int_equal(wb_record_count(gpu), mode == WIREFRAME_GLOBAL ? waves : 1);
    assert_int_equal(statistic(gpu, "device_kernels"), nested);
    assert_int_equal(statistic(gpu, "blocks_suspended"), nested);
    assert_int_equal(statistic(gpu, "blocks_ended"), tiles + (nested ? 1 : 0));
}

/* The report of a run in cycle mode, to be freed. `knob` may be null. */
static char *report(const WireframeBenchmark *benchmark, const WireframeRun *how, const char *knob)
{
    const WavefrontShape shape = wireframe_shape(benchmark, how);
    WbGpu *gpu =
        run(benchmark, how, "gtx480", (const char *const[]){"mode=cycle", "graph_check=true", knob, NULL});
    check_launches(gpu, how->mode, benchmark->waves(shape), shape.across * shape.down);
    char *text = harness_report(gpu);
    wb_gpu_close(gpu);
    return text;
}

/* In every mode. The test fails unless the knob, which says how the host is to run, changes nothing; null: it
 * is run once. */
static void run_modes(const WireframeBenchmark *benchmark, uint32_t tiles, const char *knob)
{
    for (int mode = 0; mode < WIREFRAME_MODES; mode++) {
        const WireframeRun how = {.mode = (WireframeMode)mode, .size = INPUT_TINY, .tiles = tiles, .seed = 7};
        char *one = report(benchmark, &how, NULL), *other = knob ? report(benchmark, &how, knob) : NULL;
        if (other && strcmp(one, other) != 0)
            fail_msg("%s, %s: the report is another one with %s", benchmark->name, mode_names[mode], knob);
        free(one), free(other);
    }
}

/* Few cells, as threads that meet after every window take long where they have no processor each. */
static void test_cycle(void **state)
{
    (void)state;
    for (size_t i = 0; i < WIREFRAME_BENCHMARKS; i++) {
        WireframeBenchmark less = wireframe_benchmarks[i];
        less.cells[INPUT_TINY] = (WavefrontCells){40, 40};
        run_modes(&less, 4, i == 0 ? "threads=2" : i == 1 ? "window=7" : NULL);
    }
    run_modes(wireframe_find("dtw"), 1, NULL);
    run_modes(wireframe_find("sor"), 3, NULL);
}

/* Where the run is cut off; slices are short so that it is there. */
typedef struct Cut {
    WbGpu *gpu;
    Cycle at;
} Cut;

static bool goes_on(void *context, const WbProgress *progress)
{
    const Cut *cut = context;
    cut->gpu->progress.slice = 64;
    return progress->cycles < cut->at;
}

/* Instructions of the kernel's blocks, and of what they launched, are those that the machine has executed. */
static void check_cut(const WbGpu *gpu)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        const KernelRecord *record = gpu->records.items[i];
        assert_true(record->launched <= record->started && record->started <= record->ended);
        if (record->warp_instructions)
            assert_true(record->started < record->ended);
        sum += record->warp_instructions;
    }
    if (sum != statistic(gpu, "warp_instructions"))
        fail_msg("cut off in cycle %llu: %llu instructions of kernels, %llu of the machine",
                 (unsigned long long)gpu->now, (unsigned long long)sum,
                 (unsigned long long)statistic(gpu, "warp_instructions"));
}

/* Counters of kernels that are cut off agree, wherever that is: at a cycle, at the one by a quarter later, and
 * so on. Under the address sanitizer, which finds no more that way, there are fewer. */
#ifdef __SANITIZE_ADDRESS__
enum { CUTS_TO_DOUBLE = 1 };
#else
enum { CUTS_TO_DOUBLE = 4 };
#endif

static void test_cut_off(void **state)
{
    (void)state;
    WireframeBenchmark less = *wireframe_find("sor");
    less.cells[INPUT_TINY] = (WavefrontCells){40, 40};
    for (int mode = 0; mode < WIREFRAME_MODES; mode++) {
        const WireframeRun how = {.mode = (WireframeMode)mode, .size = INPUT_TINY, .tiles = 3};
        bool cut_off = true;
        for (Cycle at = 64; cut_off; at += at / CUTS_TO_DOUBLE + 64) {
            Host host;
            WbGpu *gpu = harness_open("gtx480", (const char *const[]){"mode=cycle", "timeline=true", NULL});
            Cut cut = {gpu, at};
            wb_set_progress(gpu, goes_on, &cut, 0);
            gpu->progress.slice = 64;
            cut_off = !wireframe_run(&less, &how, gpu, DIRECTORY, &host);
            check_cut(gpu);
            host_end(&host);
            wb_gpu_close(gpu);
        }
    }
}

/* What was told last, and the most launches by kernels that were. */
static WbProgress told;
static uint64_t device_launches;

static bool watch(void *context, const WbProgress *now)
{
    (void)context;
    assert_true(now->blocks_ended <= now->blocks);
    device_launches = now->device_launches > device_launches ? now->device_launches : device_launches;
    told = *now;
    return true;
}

/* Progress knows how many launches the host will make, and counts the blocks that kernels launch. */
static void test_progress(void **state)
{
    (void)state;
    WireframeBenchmark less = *wireframe_find("sor");
    less.cells[INPUT_TINY] = (WavefrontCells){40, 40};
    for (int mode = WIREFRAME_GLOBAL; mode <= WIREFRAME_CDP; mode++) {
        const WireframeRun how = {.mode = (WireframeMode)mode, .size = INPUT_TINY, .tiles = 3};
        const uint32_t waves = less.waves(wireframe_shape(&less, &how));
        WbGpu *gpu = harness_open("gtx480", (const char *const[]){"mode=cycle", NULL});
        Host host;
        device_launches = 0;
        wb_set_progress(gpu, watch, NULL, 0);
        assert_true(wireframe_run(&less, &how, gpu, DIRECTORY, &host));
        assert_int_equal(told.launches_expected, mode == WIREFRAME_GLOBAL ? waves : 1);
        assert_int_equal(device_launches > 0,
                         mode == WIREFRAME_CDP); /* when it is told depends on the host */
        assert_true(device_launches <= waves);
        host_end(&host);
        wb_gpu_close(gpu);
    }
}

/* The longest way of dependencies to every tile, for tiles in the order of rows. */
typedef struct Levels {
    WavefrontShape shape;
    uint32_t *of_tile;
    uint32_t x, y;  /* whose parents are being added */
    uint32_t level; /* of that tile, so far */
} Levels;

static void add_parent(void *context, uint32_t x, uint32_t y)
{
    Levels *levels = context;
    assert_true(x < levels->shape.across && y < levels->shape.down);
    assert_true(y < levels->y || (y == levels->y && x < levels->x));
    const uint32_t level = levels->of_tile[y * levels->shape.across + x] + 1;
    if (level > levels->level)
        levels->level = level;
}

static void check_levels(const WireframeBenchmark *benchmark, WavefrontShape shape)
{
    Levels levels = {.shape = shape, .of_tile = calloc(shape.across * shape.down, sizeof(uint32_t))};
    assert_non_null(levels.of_tile);
    for (levels.y = 0; levels.y < shape.down; levels.y++)
        for (levels.x = 0; levels.x < shape.across; levels.x++) {
            levels.level = 0;
            benchmark->parents(shape, levels.x, levels.y, add_parent, &levels);
            levels.of_tile[levels.y * shape.across + levels.x] = levels.level;
            assert_int_equal(levels.level, levels.x + levels.y);
        }
    assert_int_equal(levels.of_tile[shape.across * shape.down - 1] + 1, benchmark->waves(shape));
    free(levels.of_tile);
}

static void test_dependencies(void **state)
{
    (void)state;
    for (size_t i = 0; i < WIREFRAME_BENCHMARKS; i++) {
        check_levels(&wireframe_benchmarks[i], (WavefrontShape){60, 40, 6, 4});
        check_levels(&wireframe_benchmarks[i], (WavefrontShape){40, 60, 1, 7});
        check_levels(&wireframe_benchmarks[i], wireframe_shape(&wireframe_benchmarks[i], &(WireframeRun){0}));
    }
}

/* All sizes can be cut into the 1K, 4K and 9K nodes of the paper, except the tiny ones. */
static void test_sizes(void **state)
{
    (void)state;
    for (size_t i = 0; i < WIREFRAME_BENCHMARKS; i++) {
        const WireframeBenchmark *benchmark = &wireframe_benchmarks[i];
        assert_ptr_equal(wireframe_find(benchmark->name), benchmark);
        for (int size = INPUT_SMALL; size <= INPUT_FULL; size++)
            assert_true(benchmark->cells[size].width >= 4 * 96 && benchmark->cells[size].height >= 4 * 96);
    }
    assert_null(wireframe_find("vectoradd"));
}

/* Fails the test unless a matrix of that many columns cannot be cut so. */
static void refuse(uint32_t width, uint32_t tiles, const char *sentence)
{
    Host host;
    WireframeBenchmark benchmark = *wireframe_find("heat2d");
    WbGpu *gpu = harness_open("gtx480", (const char *const[]){"mode=functional", NULL});
    const WireframeRun how = {.size = INPUT_TINY, .tiles = tiles};
    benchmark.cells[INPUT_TINY].width = width;
    assert_false(wireframe_run(&benchmark, &how, gpu, DIRECTORY, &host));
    assert_int_equal(host.status, WB_ERROR_ARGUMENT);
    assert_string_equal(host.error, sentence);
    host_end(&host);
    wb_gpu_close(gpu);
}

static void test_impossible_tiles(void **state)
{
#define REST "tiles: a tile has at least 4 rows, and 4 to 508 columns, a multiple of 4."
    (void)state;
    refuse(152, 28, "heat2d has 152 x 110 cells, which cannot be cut into 28 x 28 " REST); /* too few rows */
    refuse(104, 27, "heat2d has 104 x 110 cells, which cannot be cut into 27 x 27 " REST);
    refuse(150, 5, "heat2d has 150 x 110 cells, which cannot be cut into 5 x 5 " REST);
    refuse(1020, 2, "heat2d has 1020 x 110 cells, which cannot be cut into 2 x 2 " REST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functional),   cmocka_unit_test(test_wide_tiles),
        cmocka_unit_test(test_places),       cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_cut_off),      cmocka_unit_test(test_progress),
        cmocka_unit_test(test_dependencies), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_impossible_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

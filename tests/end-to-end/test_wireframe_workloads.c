/* The benchmarks of the Wireframe paper on tiny inputs, a launch for every wave: the results are, bit by bit,
 * those computed without the GPU, however the matrix is cut, and the dependencies that benchmarks tell are
 * those of their waves. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "wireframe/wireframe.h"

#define DIRECTORY SOURCE_DIRECTORY "/workloads/wireframe"

/* Fails the test unless the result is right. How many kernels were recorded. */
static size_t run(const WireframeBenchmark *benchmark, const WireframeRun *how, const char *name,
                  const char *const *knobs)
{
    Host host;
    WbGpu *gpu = harness_open(name, knobs);
    if (!wireframe_run(benchmark, how, gpu, DIRECTORY, &host))
        fail_msg("%s, %u tiles, %s: %s", benchmark->name, how->tiles, name, host.error);
    const size_t records = wb_record_count(gpu);
    host_end(&host);
    wb_gpu_close(gpu);
    return records;
}

/* Tiles with more rows than a block has lanes, with as many strips as warps and not, and tiles hardly larger
 * than the least. */
static void test_functional(void **state)
{
    static const uint32_t tiles[] = {1, 2, 5, 27};
    static const char *const gpus[] = {"gtx480", "h200"};
    (void)state;
    for (size_t i = 0; i < WIREFRAME_BENCHMARKS; i++)
        for (size_t cut = 0; cut < sizeof tiles / sizeof *tiles; cut++)
            for (size_t gpu = 0; gpu < sizeof gpus / sizeof *gpus; gpu++)
                run(&wireframe_benchmarks[i], &(WireframeRun){.size = INPUT_TINY, .tiles = tiles[cut]},
                    gpus[gpu], (const char *const[]){"mode=functional", NULL});
}

static void test_cycle(void **state)
{
    (void)state;
    for (size_t i = 0; i < WIREFRAME_BENCHMARKS; i++) {
        const WireframeBenchmark *benchmark = &wireframe_benchmarks[i];
        const WireframeRun how = {.size = INPUT_TINY, .seed = 7};
        const size_t kernels = run(benchmark, &how, "gtx480", (const char *const[]){"mode=cycle", NULL});
        assert_int_equal(kernels, benchmark->waves(wireframe_shape(benchmark, &how)));
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

static void test_too_many_tiles(void **state)
{
    Host host;
    (void)state;
    WbGpu *gpu = harness_open("gtx480", (const char *const[]){"mode=functional", NULL});
    const WireframeRun how = {.size = INPUT_TINY, .tiles = 28};
    assert_false(wireframe_run(wireframe_find("heat2d"), &how, gpu, DIRECTORY, &host));
    assert_int_equal(host.status, WB_ERROR_ARGUMENT);
    assert_string_equal(host.error, "heat2d has 150 x 110 cells, too few for 28 x 28 tiles: a tile has at "
                                    "least 4 on each side.");
    host_end(&host);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functional),     cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_dependencies),   cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_too_many_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

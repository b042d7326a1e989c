/* Dependencies between blocks of a CUDA program's launches, and orders of them: which launch takes them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>

#include "api/gpu.h"
#include "program.h"
#include "rt/links.h"

int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);

enum { TO_HOST = 2, INVALID_VALUE = 1, INVALID_CONFIGURATION = 9, BLOCKS = 6 };

/* From the last block to the first; the context counts calls. */
static void backwards(WbLink *link, void *context)
{
    ++*(uint32_t *)context;
    wb_add_dependency(link, (WbDim3){link->block.x + 1, 0, 0});
}

static void forwards(WbLink *link, void *context)
{
    ++*(uint32_t *)context;
    wb_add_dependency(link, (WbDim3){link->block.x - 1, 0, 0});
}

/* Blocks of append add their digits without atomics: only one after the other gives all of them. */
static int launch_blocks(void *cell, uint32_t blocks, void *stream)
{
    uint32_t digit = 1;
    void *arguments[] = {&cell, &digit};
    return cudaLaunchKernel(kernels.append, (WbDim3){blocks, 1, 1}, (WbDim3){1, 1, 1}, arguments, 0, stream);
}

static void *make_cell(void)
{
    void *cell = NULL;
    assert_int_equal(cudaMalloc(&cell, 4), 0);
    assert_int_equal(cudaMemset(cell, 0, 4), 0);
    return cell;
}

static uint32_t take_cell(void *cell)
{
    uint32_t value;
    assert_int_equal(cudaMemcpy(&value, cell, sizeof value, TO_HOST), 0);
    assert_int_equal(cudaFree(cell), 0);
    return value;
}

static void the_next_launch_takes_them(void **state)
{
    (void)state;
    uint32_t calls = 0;
    void *cell = make_cell(), *stream = NULL;
    assert_int_equal(cudaStreamCreate(&stream), 0);
    assert_int_equal(wb_cuda_map_next_launch(forwards, &calls), 1);
    assert_int_equal(wb_cuda_map_next_launch(backwards, &calls), 1); /* in place of the other */
    assert_int_equal(launch_blocks(cell, BLOCKS, stream), 0);
    assert_int_equal(calls, BLOCKS);
    assert_int_equal(launch_blocks(cell, 1, stream), 0); /* behind it, and without */
    assert_int_equal(cudaDeviceSynchronize(), 0);
    assert_int_equal(calls, BLOCKS);
    assert_int_equal(take_cell(cell), 1111111);
    assert_int_equal(cudaStreamDestroy(stream), 0);
}

static void edges_are_copied(void **state)
{
    (void)state;
    WbEdge edges[BLOCKS - 1];
    void *cell = make_cell();
    for (uint32_t i = 0; i + 1 < BLOCKS; i++)
        edges[i] = (WbEdge){i + 1, i};
    assert_int_equal(wb_cuda_edges_next_launch(edges, BLOCKS - 1), 1);
    for (uint32_t i = 0; i + 1 < BLOCKS; i++)
        edges[i] = (WbEdge){0, 0};
    assert_int_equal(launch_blocks(cell, BLOCKS, NULL), 0);
    assert_int_equal(take_cell(cell), 111111);
}

/* What a launch that fails was to have, the next one does not get. */
static void a_refused_launch_uses_them_up(void **state)
{
    (void)state;
    uint32_t calls = 0;
    void *cell = make_cell();
    const WbEdge stray = {0, BLOCKS};
    wb_cuda_edges_next_launch(&stray, 1);
    assert_int_equal(launch_blocks(cell, BLOCKS, NULL), INVALID_VALUE);
    assert_int_equal(launch_blocks(cell, 1, NULL), 0);
    wb_cuda_map_next_launch(forwards, &calls);
    assert_int_equal(launch_blocks(cell, 0, NULL), INVALID_CONFIGURATION);
    assert_int_equal(launch_blocks(cell, 1, NULL), 0);
    wb_cuda_map_next_launch(forwards, &calls);
    wb_cuda_map_next_launch(NULL, NULL);
    assert_int_equal(launch_blocks(cell, 1, NULL), 0);
    assert_int_equal(calls, 0);
    assert_int_equal(take_cell(cell), 111);
}

/* The number of blocks of the latest kernel whose dispatch came before that of the block. */
static uint32_t place_of(uint32_t block)
{
    const WbGpu *gpu = rt_gpu();
    const KernelRecord *record = gpu->records.items[gpu->records.count - 1];
    uint32_t before = 0;
    for (uint32_t i = 0; i < record->block_count; i++)
        before += record->blocks[i].dispatched < record->blocks[block].dispatched;
    return before;
}

static void an_order_is_taken_once(void **state)
{
    (void)state;
    int keys[] = {3, 1, 2, 1};
    assert_int_equal(wb_gpu_set(rt_gpu(), "kernel_records", "true"), WB_OK);
    assert_int_equal(wb_gpu_set(rt_gpu(), "block_records", "true"), WB_OK);
    void *cell = make_cell();
    assert_int_equal(wb_cuda_order_next_launch(keys, 4), 1);
    keys[0] = keys[1] = keys[2] = keys[3] = 0; /* they were copied */
    const uint32_t places[] = {3, 0, 2, 1};
    for (int ordered = 1; ordered >= 0; ordered--) {
        assert_int_equal(launch_blocks(cell, 4, NULL), 0);
        assert_int_equal(cudaDeviceSynchronize(), 0);
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(place_of(i), ordered ? places[i] : i);
    }
    take_cell(cell);
}

static void orders_that_are_refused(void **state)
{
    (void)state;
    const int keys[] = {1, 0, 2, 3};
    uint32_t calls = 0;
    void *cell = make_cell();
    wb_cuda_order_next_launch(keys, 4);
    assert_int_equal(launch_blocks(cell, 3, NULL), INVALID_VALUE);
    wb_cuda_order_next_launch(keys, 4);
    wb_cuda_map_next_launch(forwards, &calls); /* beside the order */
    assert_int_equal(launch_blocks(cell, 4, NULL), INVALID_VALUE);
    wb_cuda_order_next_launch(keys, 4);
    wb_cuda_edges_next_launch(NULL, 0);
    assert_int_equal(launch_blocks(cell, 4, NULL), INVALID_VALUE);
    calls = 0;
    wb_cuda_map_next_launch(forwards, &calls);
    wb_cuda_order_next_launch(keys, 4);
    wb_cuda_map_next_launch(NULL, NULL);
    wb_cuda_order_next_launch(NULL, 0);
    assert_int_equal(launch_blocks(cell, 3, NULL), 0); /* both were taken back */
    assert_int_equal(calls, 0);
    take_cell(cell);
}

static void a_capture_takes_no_order(void **state)
{
    (void)state;
    const int keys[] = {1, 0};
    void *cell = make_cell(), *stream = NULL, *graph = NULL;
    assert_int_equal(cudaStreamCreate(&stream), 0);
    assert_int_equal(cudaStreamBeginCapture(stream, 0), 0);
    wb_cuda_order_next_launch(keys, 2);
    assert_int_not_equal(launch_blocks(cell, 2, stream), 0);
    cudaStreamEndCapture(stream, &graph);
    assert_int_equal(cudaStreamDestroy(stream), 0);
    cudaGetLastError();
    take_cell(cell);
}

static void *launch_elsewhere(void *cell)
{
    assert_int_equal(launch_blocks(cell, 1, NULL), 0);
    return NULL;
}

static void each_thread_has_its_own(void **state)
{
    (void)state;
    uint32_t calls = 0;
    void *cell = make_cell();
    pthread_t thread;
    wb_cuda_map_next_launch(forwards, &calls);
    assert_int_equal(pthread_create(&thread, NULL, launch_elsewhere, cell), 0);
    pthread_join(thread, NULL);
    assert_int_equal(calls, 0);
    assert_int_equal(launch_blocks(cell, BLOCKS, NULL), 0);
    assert_int_equal(calls, BLOCKS);
    assert_int_equal(take_cell(cell), 1111111);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_launch_takes_them),
        cmocka_unit_test(edges_are_copied),
        cmocka_unit_test(a_refused_launch_uses_them_up),
        cmocka_unit_test(an_order_is_taken_once),
        cmocka_unit_test(orders_that_are_refused),
        cmocka_unit_test(a_capture_takes_no_order),
        cmocka_unit_test(each_thread_has_its_own),
    };
    return cmocka_run_group_tests_name("links", tests, program_begin, NULL);
}

/* Streams, events, host functions and errors of the runtime: order and overlap in simulated time, and the
 * documented error for what is wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>

#include "program.h"

enum { TO_DEVICE = 1, TO_HOST = 2 };
enum { INVALID_VALUE = 1, INVALID_HANDLE = 400, NOT_READY = 600, ILLEGAL_ADDRESS = 700, NOT_PERMITTED = 800 };

static void *make_stream(unsigned flags)
{
    void *stream = NULL;
    assert_int_equal(cudaStreamCreateWithFlags(&stream, flags), 0);
    return stream;
}

static void *make_event(unsigned flags)
{
    void *event = NULL;
    assert_int_equal(cudaEventCreateWithFlags(&event, flags), 0);
    return event;
}

static void *make_cells(size_t count)
{
    void *cells = NULL;
    assert_int_equal(cudaMalloc(&cells, count * sizeof(uint32_t)), 0);
    assert_int_equal(cudaMemset(cells, 0, count * sizeof(uint32_t)), 0);
    return cells;
}

static uint32_t read_cell(const void *cell)
{
    uint32_t value;
    assert_int_equal(cudaMemcpy(&value, cell, sizeof value, TO_HOST), 0);
    return value;
}

static float elapsed(void *start, void *end)
{
    float milliseconds = -1;
    assert_int_equal(cudaEventElapsedTime(&milliseconds, start, end), 0);
    return milliseconds;
}

/* Simulated milliseconds of spin() once in each of the streams. */
static float time_of_spins(void *const *streams, unsigned count, void *cells)
{
    void *start = make_event(0), *end = make_event(0), *joint = make_event(2);
    assert_int_equal(cudaEventRecord(start, streams[0]), 0);
    for (unsigned i = 1; i < count; i++)
        assert_int_equal(cudaStreamWaitEvent(streams[i], start, 0), 0);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(launch(kernels.spin, cells, 2000, streams[i]), 0);
    for (unsigned i = 1; i < count; i++) {
        assert_int_equal(cudaEventRecord(joint, streams[i]), 0);
        assert_int_equal(cudaStreamWaitEvent(streams[0], joint, 0), 0);
    }
    assert_int_equal(cudaEventRecord(end, streams[0]), 0);
    assert_int_equal(cudaEventSynchronize(end), 0);
    const float time = elapsed(start, end);
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    cudaEventDestroy(joint);
    return time;
}

static void streams_overlap(void **state)
{
    (void)state;
    void *cells = make_cells(4), *a = make_stream(1), *b = make_stream(1);
    const float one = time_of_spins((void *[]){a}, 1, cells);
    const float both = time_of_spins((void *[]){a, b}, 2, cells);
    const float twice = time_of_spins((void *[]){a, a}, 2, cells);
    assert_true(one > 0);
    assert_true(both < one * 1.5f);
    assert_true(twice > one * 1.8f);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaFree(cells);
}

/* The legacy stream waits for blocking streams and they for it; a non-blocking one takes no part. */
static void legacy_stream_orders(void **state)
{
    (void)state;
    void *cell = make_cells(1), *blocking = make_stream(0);
    assert_int_equal(launch(kernels.append, cell, 1, blocking), 0);
    assert_int_equal(launch(kernels.append, cell, 2, NULL), 0);
    assert_int_equal(launch(kernels.append, cell, 3, blocking), 0);
    assert_int_equal(cudaDeviceSynchronize(), 0);
    assert_int_equal(read_cell(cell), 123);
    void *const free_stream[] = {make_stream(1)};
    void *start = make_event(0), *end = make_event(0);
    assert_int_equal(cudaEventRecord(start, NULL), 0);
    assert_int_equal(launch(kernels.spin, cell, 4000, NULL), 0);
    assert_int_equal(cudaEventRecord(end, free_stream[0]), 0);
    assert_int_equal(cudaDeviceSynchronize(), 0);
    assert_true(elapsed(start, end) <= 0.0001f);
    cudaStreamDestroy(blocking);
    cudaStreamDestroy(free_stream[0]);
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    cudaFree(cell);
}

static void events_order_streams(void **state)
{
    (void)state;
    void *cell = make_cells(1), *a = make_stream(1), *b = make_stream(1), *event = make_event(2);
    assert_int_equal(launch(kernels.spin, cell, 1000, a), 0);
    assert_int_equal(launch(kernels.append, cell, 1, a), 0);
    assert_int_equal(cudaEventRecord(event, a), 0);
    assert_int_equal(cudaEventQuery(event), NOT_READY);
    assert_int_equal(cudaStreamWaitEvent(b, event, 0), 0);
    assert_int_equal(launch(kernels.append, cell, 2, b), 0);
    assert_int_equal(cudaStreamSynchronize(b), 0);
    assert_int_equal(cudaEventQuery(event), 0);
    assert_int_equal(read_cell(cell), 100012);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaEventDestroy(event);
    cudaFree(cell);
    cudaGetLastError();
}

static void polling_comes_to_an_end(void **state)
{
    (void)state;
    void *cell = make_cells(1), *stream = make_stream(0);
    unsigned polls = 0;
    assert_int_equal(launch(kernels.spin, cell, 20000, stream), 0);
    while (cudaStreamQuery(stream) == NOT_READY)
        polls++;
    assert_true(polls > 0);
    assert_int_equal(cudaStreamQuery(stream), 0);
    assert_int_equal(cudaGetLastError(), 0);
    cudaStreamDestroy(stream);
    cudaFree(cell);
}

static void event_errors(void **state)
{
    (void)state;
    void *fresh = make_event(0), *untimed = make_event(2), *timed = make_event(0), *event = NULL;
    float time;
    assert_int_equal(cudaEventQuery(fresh), 0);
    assert_int_equal(cudaEventSynchronize(fresh), 0);
    assert_int_equal(cudaEventRecord(timed, NULL), 0);
    assert_int_equal(cudaEventRecord(untimed, NULL), 0);
    assert_int_equal(cudaEventElapsedTime(&time, timed, timed), NOT_READY);
    assert_int_equal(cudaDeviceSynchronize(), 0);
    assert_int_equal(cudaEventElapsedTime(&time, timed, timed), 0);
    assert_int_equal(cudaEventElapsedTime(&time, timed, fresh), INVALID_HANDLE);
    assert_int_equal(cudaEventElapsedTime(&time, untimed, timed), INVALID_HANDLE);
    assert_int_equal(cudaEventElapsedTime(NULL, timed, timed), INVALID_VALUE);
    assert_int_equal(cudaEventCreateWithFlags(&event, 8), INVALID_VALUE);
    assert_int_equal(cudaEventCreateWithFlags(&event, 4), INVALID_VALUE);
    assert_int_equal(cudaEventCreate(NULL), INVALID_VALUE);
    assert_int_equal(cudaEventDestroy(fresh), 0);
    assert_int_equal(cudaEventDestroy(fresh), INVALID_HANDLE);
    assert_int_equal(cudaEventRecord(fresh, NULL), INVALID_HANDLE);
    assert_int_equal(cudaEventRecord(NULL, NULL), INVALID_HANDLE);
    assert_int_equal(cudaEventRecordWithFlags(timed, NULL, 2), INVALID_VALUE);
    cudaEventDestroy(untimed);
    cudaEventDestroy(timed);
    cudaGetLastError();
}

static void stream_errors(void **state)
{
    (void)state;
    void *stream = make_stream(0), *other = NULL, *event = make_event(0);
    assert_int_equal(cudaStreamCreateWithFlags(&other, 2), INVALID_VALUE);
    assert_int_equal(cudaStreamCreate(NULL), INVALID_VALUE);
    assert_int_equal(cudaStreamDestroy(NULL), INVALID_HANDLE);
    assert_int_equal(cudaStreamDestroy(event), INVALID_HANDLE);
    assert_int_equal(cudaStreamDestroy(stream), 0);
    assert_int_equal(cudaStreamDestroy(stream), INVALID_HANDLE);
    assert_int_equal(cudaStreamSynchronize(stream), INVALID_HANDLE);
    assert_int_equal(cudaStreamWaitEvent(stream, event, 0), INVALID_HANDLE);
    assert_int_equal(launch(kernels.append, NULL, 0, stream), INVALID_HANDLE);
    assert_int_equal(cudaStreamSynchronize((void *)(uintptr_t)0x1234), INVALID_HANDLE);
    cudaEventDestroy(event);
    cudaGetLastError();
}

static void stream_answers(void **state)
{
    (void)state;
    int least = 7, greatest = 7, priority = 7;
    unsigned flags = 7;
    unsigned long long a_id = 0, b_id = 0;
    void *a = NULL, *b = make_stream(0);
    assert_int_equal(cudaDeviceGetStreamPriorityRange(&least, &greatest), 0);
    assert_true(greatest < least);
    assert_int_equal(cudaStreamCreateWithPriority(&a, 1, greatest - 10), 0);
    assert_int_equal(cudaStreamGetPriority(a, &priority), 0);
    assert_int_equal(priority, greatest);
    assert_int_equal(cudaStreamGetFlags(a, &flags), 0);
    assert_int_equal(flags, 1);
    assert_int_equal(cudaStreamGetFlags(b, &flags), 0);
    assert_int_equal(flags, 0);
    assert_int_equal(cudaStreamGetId(a, &a_id), 0);
    assert_int_equal(cudaStreamGetId(b, &b_id), 0);
    assert_true(a_id != b_id);
    assert_int_equal(cudaStreamGetFlags(a, NULL), INVALID_VALUE);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaGetLastError();
}

/* -- default streams of threads -- */

static void *id_of_thread(void *place)
{
    cudaStreamGetId_ptsz(NULL, place);
    return NULL;
}

static void threads_have_streams(void **state)
{
    (void)state;
    unsigned long long mine = 0, same = 0, other = 0, legacy = 0;
    pthread_t thread;
    assert_int_equal(cudaStreamGetId_ptsz(NULL, &mine), 0);
    assert_int_equal(cudaStreamGetId((void *)2, &same), 0);
    assert_int_equal(cudaStreamGetId(NULL, &legacy), 0);
    assert_int_equal(pthread_create(&thread, NULL, id_of_thread, &other), 0);
    pthread_join(thread, NULL);
    assert_true(mine == same && mine != other && mine != legacy && other != 0);
    void *cell = make_cells(1);
    uint32_t digit = 5;
    void *arguments[] = {&cell, &digit};
    assert_int_equal(
        cudaLaunchKernel_ptsz(kernels.append, (WbDim3){1, 1, 1}, (WbDim3){1, 1, 1}, arguments, 0, NULL), 0);
    assert_int_equal(cudaStreamSynchronize_ptsz(NULL), 0);
    assert_int_equal(read_cell(cell), 5);
    cudaFree(cell);
}

/* -- host functions -- */

typedef struct Seen {
    uint32_t *cell, value;
    int error, calls, status;
    void *stream;
} Seen;

static void look(void *context)
{
    Seen *seen = context;
    seen->value = *seen->cell;
    seen->error = cudaStreamSynchronize(NULL);
    seen->calls++;
}

static void callback(void *stream, int status, void *context)
{
    Seen *seen = context;
    seen->stream = stream;
    seen->status = status;
    look(context);
}

static void host_functions_run_in_order(void **state)
{
    (void)state;
    uint32_t copied = 0;
    Seen seen = {.cell = &copied, .status = -1};
    void *cell = make_cells(1), *stream = make_stream(0);
    assert_int_equal(launch(kernels.append, cell, 7, stream), 0);
    assert_int_equal(cudaMemcpyAsync(&copied, cell, sizeof copied, TO_HOST, stream), 0);
    assert_int_equal(cudaLaunchHostFunc(stream, look, &seen), 0);
    assert_int_equal(cudaStreamSynchronize(stream), 0);
    assert_int_equal(seen.value, 7);
    assert_int_equal(seen.error, NOT_PERMITTED);
    assert_int_equal(cudaStreamAddCallback(stream, callback, &seen, 0), 0);
    assert_int_equal(cudaStreamSynchronize(stream), 0);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(seen.status, 0);
    assert_ptr_equal(seen.stream, stream);
    assert_int_equal(cudaLaunchHostFunc(stream, NULL, NULL), INVALID_VALUE);
    assert_int_equal(cudaStreamAddCallback(stream, callback, &seen, 1), INVALID_VALUE);
    cudaStreamDestroy(stream);
    cudaFree(cell);
    cudaGetLastError();
}

/* -- errors -- */

static void *last_error_of_thread(void *place)
{
    *(int *)place = cudaGetLastError();
    return NULL;
}

static void last_error_is_the_threads(void **state)
{
    (void)state;
    int other = -1;
    pthread_t thread;
    assert_int_equal(cudaGetLastError(), 0);
    assert_int_equal(cudaStreamCreate(NULL), INVALID_VALUE);
    assert_int_equal(pthread_create(&thread, NULL, last_error_of_thread, &other), 0);
    pthread_join(thread, NULL);
    assert_int_equal(other, 0);
    assert_int_equal(cudaPeekAtLastError(), INVALID_VALUE);
    assert_int_equal(cudaGetLastError(), INVALID_VALUE);
    assert_int_equal(cudaGetLastError(), 0);
}

static void errors_have_names(void **state)
{
    (void)state;
    assert_string_equal(cudaGetErrorName(0), "cudaSuccess");
    assert_string_equal(cudaGetErrorString(0), "no error");
    assert_string_equal(cudaGetErrorName(700), "cudaErrorIllegalAddress");
    assert_string_equal(cudaGetErrorString(700), "an illegal memory access was encountered");
    assert_string_equal(cudaGetErrorString(1), "invalid argument");
    assert_string_equal(cudaGetErrorName(12345), "unrecognized error code");
    assert_string_equal(cudaGetErrorString(-1), "unrecognized error code");
}

static void never_called(void *context) { *(int *)context = 1; }

static void keep_status(void *stream, int status, void *context)
{
    (void)stream;
    *(int *)context = status;
}

static void failed_kernels_stick(void **state)
{
    (void)state;
    int called = 0, statuses[2] = {-1, -1};
    void *cell = make_cells(1), *stream = make_stream(0);
    assert_int_equal(cudaStreamAddCallback(stream, keep_status, &statuses[0], 0), 0);
    assert_int_equal(cudaLaunchKernel(kernels.fault, (WbDim3){1, 1, 1}, (WbDim3){1, 1, 1}, NULL, 0, stream),
                     0);
    assert_int_equal(cudaLaunchHostFunc(stream, never_called, &called), 0);
    assert_int_equal(cudaStreamAddCallback(stream, keep_status, &statuses[1], 0), 0);
    assert_int_equal(cudaStreamSynchronize(stream), ILLEGAL_ADDRESS);
    assert_int_equal(called, 0);
    assert_int_equal(statuses[0], 0);
    assert_int_equal(statuses[1], ILLEGAL_ADDRESS);
    assert_int_equal(cudaStreamSynchronize(NULL), ILLEGAL_ADDRESS);
    assert_int_equal(launch(kernels.append, cell, 1, NULL), ILLEGAL_ADDRESS);
    assert_int_equal(cudaGetLastError(), ILLEGAL_ADDRESS);
    assert_int_equal(cudaGetLastError(), ILLEGAL_ADDRESS);
    assert_int_equal(cudaFree(cell), ILLEGAL_ADDRESS);
    assert_int_equal(cudaDeviceReset(), 0);
    assert_int_equal(cudaGetLastError(), 0);
    assert_int_equal(cudaDeviceSynchronize(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_overlap),
        cmocka_unit_test(legacy_stream_orders),
        cmocka_unit_test(events_order_streams),
        cmocka_unit_test(polling_comes_to_an_end),
        cmocka_unit_test(event_errors),
        cmocka_unit_test(stream_errors),
        cmocka_unit_test(stream_answers),
        cmocka_unit_test(threads_have_streams),
        cmocka_unit_test(host_functions_run_in_order),
        cmocka_unit_test(last_error_is_the_threads),
        cmocka_unit_test(errors_have_names),
        cmocka_unit_test(failed_kernels_stick),
    };
    return cmocka_run_group_tests(tests, program_begin, NULL);
}

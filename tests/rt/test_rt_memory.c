/* Memory, copies, arrays and pools as programs of CUDA 13's runtime see them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CUDART_MAJOR 13
#include "rt/cudart/abi.h"
#include "rt/ipc.h"

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_PITCH = 12, INVALID_SYMBOL = 13,
       INVALID_CHANNELS = 20, INVALID_DIRECTION = 21, INVALID_DEVICE = 101, INVALID_HANDLE = 400,
       ALREADY_REGISTERED = 712, NOT_REGISTERED = 713, NOT_SUPPORTED = 801 };
enum { HOST_TO_HOST, TO_DEVICE, TO_HOST, ON_DEVICE, AS_POINTERS };

int cudaMalloc(void **pointer, size_t size);
int cudaFree(void *pointer);
int cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
int cudaMalloc3D(PitchedPointer *box, Extent extent);
int cudaMemGetInfo(size_t *free, size_t *total);
int cudaMallocManaged(void **pointer, size_t size, unsigned flags);
int cudaMemAdvise(const void *pointer, size_t size, int advice, Location location);
int cudaMemPrefetchAsync(const void *pointer, size_t size, Location location, unsigned flags, void *stream);
int cudaPointerGetAttributes(PointerAttributes *attributes, const void *pointer);
int cudaHostAlloc(void **pointer, size_t size, unsigned flags);
int cudaFreeHost(void *pointer);
int cudaHostRegister(void *pointer, size_t size, unsigned flags);
int cudaHostUnregister(void *pointer);
int cudaHostGetDevicePointer(void **device, void *pointer, unsigned flags);
int cudaHostGetFlags(unsigned *flags, void *pointer);
int cudaMemcpy(void *destination, const void *source, size_t size, int kind);
int cudaMemcpyAsync(void *destination, const void *source, size_t size, int kind, void *stream);
int cudaMemcpy2D(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                 size_t width, size_t height, int kind);
int cudaMemcpy3D(const BoxCopy *box);
int cudaMemcpyPeer(void *destination, int destination_device, const void *source, int source_device,
                   size_t size);
int cudaMemset(void *pointer, int value, size_t size);
int cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height);
int cudaMemset3D(PitchedPointer memory, int value, Extent extent);
int cudaMemcpyToSymbol(const void *symbol, const void *source, size_t size, size_t offset, int kind);
int cudaMallocArray(void **array, const ChannelFormat *format, size_t width, size_t height, unsigned flags);
int cudaMalloc3DArray(void **array, const ChannelFormat *format, Extent extent, unsigned flags);
int cudaFreeArray(void *array);
int cudaArrayGetInfo(ChannelFormat *format, Extent *extent, unsigned *flags, void *array);
int cudaMemcpyToArray(void *array, size_t x, size_t y, const void *source, size_t size, int kind);
int cudaMemcpy2DFromArray(void *destination, size_t pitch, void *array, size_t x, size_t y, size_t width,
                          size_t height, int kind);
int cudaMemcpy2DArrayToArray(void *destination, size_t destination_x, size_t destination_y, void *source,
                             size_t source_x, size_t source_y, size_t width, size_t height, int kind);
int cudaMallocAsync(void **pointer, size_t size, void *stream);
int cudaFreeAsync(void *pointer, void *stream);
int cudaMallocFromPoolAsync(void **pointer, size_t size, void *pool, void *stream);
int cudaMemPoolCreate(void **pool, const PoolProperties *properties);
int cudaMemPoolDestroy(void *pool);
int cudaMemPoolGetAttribute(void *pool, int attribute, void *value);
int cudaMemPoolSetAttribute(void *pool, int attribute, void *value);
int cudaDeviceGetDefaultMemPool(void **pool, int device);
int cudaDeviceGetMemPool(void **pool, int device);
int cudaDeviceSetMemPool(int device, void *pool);
int cudaIpcGetMemHandle(RtExported *handle, void *pointer);
int cudaIpcOpenMemHandle(void **pointer, RtExported handle, unsigned flags);
int cudaIpcCloseMemHandle(void *pointer);
int cudaStreamCreate(void **stream);
int cudaStreamSynchronize(void *stream);
int cudaMemsetAsync(void *pointer, int value, size_t size, void *stream);
int cudaDeviceSynchronize(void);
int cudaGetLastError(void);

static void bytes_come_back(void **state)
{
    (void)state;
    uint8_t sent[100], got[100] = {0};
    void *memory, *other;
    for (int i = 0; i < 100; i++)
        sent[i] = (uint8_t)(i * 7);
    assert_int_equal(cudaMalloc(&memory, 100), SUCCESS);
    assert_int_equal(cudaMalloc(&other, 100), SUCCESS);
    assert_int_equal(cudaMemcpy(memory, sent, 100, TO_DEVICE), SUCCESS);
    assert_int_equal(cudaMemcpy(other, memory, 100, ON_DEVICE), SUCCESS);
    assert_int_equal(cudaMemset((uint8_t *)other + 50, 9, 10), SUCCESS);
    assert_int_equal(cudaMemcpy(got, other, 100, AS_POINTERS), SUCCESS);
    memset(sent + 50, 9, 10);
    assert_memory_equal(sent, got, 100);
    memset(got, 0, sizeof got);
    assert_int_equal(cudaMemcpy(got, sent, 100, HOST_TO_HOST), SUCCESS);
    assert_memory_equal(sent, got, 100);
    assert_int_equal(cudaMemcpyPeer(memory, 0, other, 0, 100), SUCCESS);
    assert_int_equal(cudaMemcpyPeer(memory, 1, other, 0, 100), INVALID_DEVICE);
    assert_int_equal(cudaFree(memory), SUCCESS);
    assert_int_equal(cudaFree(other), SUCCESS);
}

static void bad_pointers_are_errors(void **state)
{
    (void)state;
    uint8_t host[64] = {0};
    void *memory;
    assert_int_equal(cudaMalloc(NULL, 64), INVALID_VALUE);
    assert_int_equal(cudaMalloc(&memory, 0), SUCCESS);
    assert_null(memory);
    assert_int_equal(cudaFree(NULL), SUCCESS);
    assert_int_equal(cudaMalloc(&memory, SIZE_MAX / 2), OUT_OF_MEMORY);
    assert_int_equal(cudaMalloc(&memory, 64), SUCCESS);
    assert_int_equal(cudaMemcpy(memory, host, 65, TO_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaMemcpy((uint8_t *)memory + 60, host, 5, TO_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaMemcpy(memory, host, 8, 5), INVALID_DIRECTION);
    assert_int_equal(cudaMemcpy(memory, host, 8, -1), INVALID_DIRECTION);
    assert_int_equal(cudaMemcpy(host, memory, 8, TO_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaMemcpy(host, memory, 8, HOST_TO_HOST), INVALID_VALUE);
    assert_int_equal(cudaMemcpy(memory, NULL, 8, TO_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaMemcpy(NULL, memory, 8, TO_HOST), INVALID_VALUE);
    assert_int_equal(cudaMemcpy(memory, NULL, 0, TO_DEVICE), SUCCESS);
    assert_int_equal(cudaMemcpyAsync(memory, host, 8, TO_DEVICE, (void *)host), INVALID_HANDLE);
    assert_int_equal(cudaMemset(memory, 0, 65), INVALID_VALUE);
    assert_int_equal(cudaMemset(host, 0, 8), INVALID_VALUE);
    assert_int_equal(cudaMemcpyToSymbol(host, host, 8, 0, TO_DEVICE), INVALID_SYMBOL);
    assert_int_equal(cudaFree((uint8_t *)memory + 8), INVALID_VALUE);
    assert_int_equal(cudaFree(host), INVALID_VALUE);
    assert_int_equal(cudaFree(memory), SUCCESS);
    assert_int_equal(cudaFree(memory), INVALID_VALUE);
    assert_int_equal(cudaMemcpy(host, memory, 8, TO_HOST), INVALID_VALUE);
    assert_int_equal(cudaMemcpy(host, memory, 8, AS_POINTERS), INVALID_VALUE);
    assert_int_equal(cudaMemset(memory, 0, 8), INVALID_VALUE);
    assert_int_equal(cudaGetLastError(), INVALID_VALUE);
    assert_int_equal(cudaGetLastError(), SUCCESS);
}

static void rows_and_boxes_keep_their_shape(void **state)
{
    (void)state;
    enum { WIDTH = 10, HEIGHT = 4, DEPTH = 3 };
    uint8_t sent[DEPTH][HEIGHT][WIDTH], got[DEPTH][HEIGHT][WIDTH] = {0};
    PitchedPointer box;
    for (int i = 0; i < DEPTH * HEIGHT * WIDTH; i++)
        ((uint8_t *)sent)[i] = (uint8_t)i;
    assert_int_equal(cudaMalloc3D(&box, (Extent){WIDTH, HEIGHT, DEPTH}), SUCCESS);
    assert_int_equal(box.pitch % 512, 0);
    assert_int_equal(box.width, WIDTH);
    assert_int_equal(box.height, HEIGHT);
    BoxCopy copy = {.source = {sent, WIDTH, WIDTH, HEIGHT}, .destination = box,
                    .extent = {WIDTH, HEIGHT, DEPTH}, .kind = TO_DEVICE};
    assert_int_equal(cudaMemcpy3D(&copy), SUCCESS);
    assert_int_equal(cudaMemset3D(box, 200, (Extent){3, 2, 2}), SUCCESS);
    assert_int_equal(cudaMemset2D((uint8_t *)box.pointer + 5, box.pitch, 201, 2, HEIGHT), SUCCESS);
    copy = (BoxCopy){.source = box, .destination = {got, WIDTH, WIDTH, HEIGHT},
                     .extent = {WIDTH, HEIGHT, DEPTH}, .kind = TO_HOST};
    assert_int_equal(cudaMemcpy3D(&copy), SUCCESS);
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            memset(sent[z][y], 200, 3);
    for (int y = 0; y < HEIGHT; y++)
        memset(sent[0][y] + 5, 201, 2);
    assert_memory_equal(sent, got, sizeof sent);
    copy.source_position = (Position){2, 1, 1};
    copy.extent = (Extent){3, 2, 1};
    assert_int_equal(cudaMemcpy3D(&copy), SUCCESS);
    assert_memory_equal(got[0][1], &sent[1][2][2], 3);
    copy.extent.depth = DEPTH;
    assert_int_equal(cudaMemcpy3D(&copy), INVALID_VALUE);
    copy.source_array = box.pointer;
    assert_int_equal(cudaMemcpy3D(&copy), INVALID_VALUE);
    assert_int_equal(cudaMemcpy2D(got, WIDTH, box.pointer, box.pitch, WIDTH, 2, TO_HOST), SUCCESS);
    assert_memory_equal(got[0][1], sent[0][1], WIDTH);
    assert_int_equal(cudaMemcpy2D(got, 5, box.pointer, box.pitch, WIDTH, 2, TO_HOST), INVALID_PITCH);
    assert_int_equal(cudaMemcpy2D(got, WIDTH, box.pointer, 5, WIDTH, 2, TO_HOST), INVALID_PITCH);
    assert_int_equal(cudaFree(box.pointer), SUCCESS);
}

static void host_memory_is_known(void **state)
{
    (void)state;
    void *pinned, *managed, *device, *known;
    unsigned flags = 0;
    size_t free_before, free_after, total;
    PointerAttributes attributes;
    assert_int_equal(cudaHostAlloc(&pinned, 100, 2 | 4), SUCCESS);
    assert_int_equal(cudaHostAlloc(&known, 100, 8), INVALID_VALUE);
    assert_int_equal(cudaHostGetFlags(&flags, (uint8_t *)pinned + 50), SUCCESS);
    assert_int_equal(flags, 6);
    assert_int_equal(cudaHostGetDevicePointer(&known, (uint8_t *)pinned + 4, 0), SUCCESS);
    assert_ptr_equal(known, (uint8_t *)pinned + 4);
    assert_int_equal(cudaPointerGetAttributes(&attributes, pinned), SUCCESS);
    assert_int_equal(attributes.type, 1);
    assert_ptr_equal(attributes.host_pointer, pinned);
    assert_int_equal(cudaMemGetInfo(&free_before, &total), SUCCESS);
    assert_int_equal(cudaMallocManaged(&managed, 1 << 20, 1), SUCCESS);
    assert_int_equal(cudaMallocManaged(&known, 0, 1), INVALID_VALUE);
    assert_int_equal(cudaMallocManaged(&known, 8, 7), INVALID_VALUE);
    assert_int_equal(cudaMemGetInfo(&free_after, &total), SUCCESS);
    assert_true(free_after + (1 << 20) <= free_before && free_before <= total);
    memset(managed, 3, 100);
    assert_int_equal(cudaMemcpy(pinned, managed, 100, AS_POINTERS), SUCCESS);
    assert_memory_equal(pinned, managed, 100);
    assert_int_equal(cudaPointerGetAttributes(&attributes, managed), SUCCESS);
    assert_int_equal(attributes.type, 3);
    assert_int_equal(cudaMemAdvise(managed, 100, 1, (Location){LOCATION_DEVICE, 0}), SUCCESS);
    assert_int_equal(cudaMemAdvise(managed, 100, 3, (Location){LOCATION_DEVICE, 1}), INVALID_DEVICE);
    assert_int_equal(cudaMemAdvise(managed, 100, 7, (Location){LOCATION_DEVICE, 0}), INVALID_VALUE);
    assert_int_equal(cudaMemPrefetchAsync(managed, 100, (Location){LOCATION_HOST, 0}, 0, NULL), SUCCESS);
    assert_int_equal(cudaMemPrefetchAsync(pinned, 100, (Location){LOCATION_HOST, 0}, 0, NULL), INVALID_VALUE);
    assert_int_equal(cudaMalloc(&device, 8), SUCCESS);
    assert_int_equal(cudaPointerGetAttributes(&attributes, device), SUCCESS);
    assert_int_equal(attributes.type, 2);
    assert_null(attributes.host_pointer);
    assert_int_equal(cudaPointerGetAttributes(&attributes, &flags), SUCCESS);
    assert_int_equal(attributes.type, 0);
    assert_int_equal(attributes.device, -2);
    assert_int_equal(cudaFreeHost(device), INVALID_VALUE);
    assert_int_equal(cudaFree(pinned), INVALID_VALUE);
    assert_int_equal(cudaFree(device), SUCCESS);
    assert_int_equal(cudaFree(managed), SUCCESS);
    assert_int_equal(cudaFreeHost(pinned), SUCCESS);
    assert_int_equal(cudaFreeHost(pinned), INVALID_VALUE);
}

static void registered_memory_is_known_until_unregistered(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned flags = 9;
    uint8_t *memory = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(cudaHostRegister(memory, 2 * page, 1), SUCCESS);
    assert_int_equal(cudaHostRegister(memory + page, 2 * page, 0), ALREADY_REGISTERED);
    assert_int_equal(cudaHostRegister(memory + 2 * page, page, 16), INVALID_VALUE);
    assert_int_equal(cudaHostRegister(NULL, page, 0), INVALID_VALUE);
    assert_int_equal(cudaHostGetFlags(&flags, memory), SUCCESS);
    assert_int_equal(flags, 1);
    assert_int_equal(cudaMemset(memory, 5, 2 * page), SUCCESS);
    assert_int_equal(memory[2 * page - 1], 5);
    assert_int_equal(cudaHostUnregister(memory + page), INVALID_VALUE);
    assert_int_equal(cudaHostUnregister(memory), SUCCESS);
    assert_int_equal(cudaHostUnregister(memory), NOT_REGISTERED);
    assert_int_equal(cudaMemset(memory, 5, page), INVALID_VALUE);
    munmap(memory, 4 * page);
}

static void arrays_take_and_give_elements(void **state)
{
    (void)state;
    const ChannelFormat format = {32, 32, 0, 0, 2};
    ChannelFormat known;
    Extent extent;
    unsigned flags;
    float sent[4][6][2], got[4][6][2] = {0};
    void *array, *other;
    for (int i = 0; i < 4 * 6 * 2; i++)
        ((float *)sent)[i] = (float)i;
    assert_int_equal(cudaMallocArray(&array, &format, 6, 4, 2), SUCCESS);
    assert_int_equal(cudaMallocArray(&other, &format, 6, 4, 0), SUCCESS);
    assert_int_equal(cudaArrayGetInfo(&known, &extent, &flags, array), SUCCESS);
    assert_memory_equal(&known, &format, sizeof format);
    assert_true(extent.width == 6 && extent.height == 4 && extent.depth == 0 && flags == 2);
    assert_int_equal(cudaMemcpyToArray(array, 0, 0, sent, sizeof sent, TO_DEVICE), SUCCESS);
    assert_int_equal(cudaMemcpyToArray(array, 8, 0, sent, sizeof sent, TO_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaMemcpy2DArrayToArray(other, 8, 1, array, 0, 0, 16, 2, ON_DEVICE), SUCCESS);
    assert_int_equal(cudaMemcpy2DFromArray(got, sizeof *got, other, 0, 0, sizeof *got, 4, TO_HOST), SUCCESS);
    assert_memory_equal(&got[1][1], &sent[0][0], 16);
    assert_memory_equal(&got[2][1], &sent[1][0], 16);
    assert_true(got[0][0][0] == 0);
    const BoxCopy copy = {.source_array = array, .source_position = {1, 1, 0},
                          .destination = {got, sizeof *got, 6, 4}, .extent = {5, 3, 1}, .kind = TO_HOST};
    assert_int_equal(cudaMemcpy3D(&copy), SUCCESS);
    assert_memory_equal(got[2], &sent[3][1], 5 * 8);
    assert_int_equal(cudaMemcpy2DFromArray(got, sizeof *got, other, 8, 0, sizeof *got, 4, TO_HOST),
                     INVALID_VALUE);
    assert_int_equal(cudaMemcpy2DFromArray(got, 8, other, 0, 0, sizeof *got, 4, TO_HOST), INVALID_PITCH);
    assert_int_equal(cudaFreeArray(array), SUCCESS);
    assert_int_equal(cudaFreeArray(array), INVALID_HANDLE);
    assert_int_equal(cudaArrayGetInfo(NULL, NULL, NULL, array), INVALID_HANDLE);
    assert_int_equal(cudaFreeArray(other), SUCCESS);
    assert_int_equal(cudaFreeArray(NULL), SUCCESS);
}

static void array_shapes_are_checked(void **state)
{
    (void)state;
    const ChannelFormat byte = {8, 0, 0, 0, 1}, odd = {8, 16, 0, 0, 1}, gap = {8, 0, 8, 0, 1},
                        three = {8, 8, 8, 0, 1}, small_float = {8, 0, 0, 0, 2};
    void *array;
    assert_int_equal(cudaMallocArray(&array, &odd, 4, 4, 0), INVALID_CHANNELS);
    assert_int_equal(cudaMallocArray(&array, &gap, 4, 4, 0), INVALID_CHANNELS);
    assert_int_equal(cudaMallocArray(&array, &three, 4, 4, 0), INVALID_CHANNELS);
    assert_int_equal(cudaMallocArray(&array, &small_float, 4, 4, 0), INVALID_CHANNELS);
    assert_int_equal(cudaMallocArray(&array, &byte, 0, 4, 0), INVALID_VALUE);
    assert_int_equal(cudaMalloc3DArray(&array, &byte, (Extent){4, 4, 5}, 4), INVALID_VALUE);
    assert_int_equal(cudaMalloc3DArray(&array, &byte, (Extent){4, 3, 6}, 4), INVALID_VALUE);
    assert_int_equal(cudaMalloc3DArray(&array, &byte, (Extent){4, 4, 12}, 4), INVALID_VALUE);
    assert_int_equal(cudaMalloc3DArray(&array, &byte, (Extent){4, 4, 12}, 5), SUCCESS);
    assert_int_equal(cudaFreeArray(array), SUCCESS);
    assert_int_equal(cudaMalloc3DArray(&array, &byte, (Extent){4, 0, 3}, 1), SUCCESS);
    assert_int_equal(cudaFreeArray(array), SUCCESS);
    assert_int_equal(cudaMalloc3DArray(&array, &byte, (Extent){4, 0, 3}, 0), INVALID_VALUE);
    assert_int_equal(cudaMalloc3DArray(&array, &byte, (Extent){16385, 1, 1}, 0), INVALID_VALUE);
    assert_int_equal(cudaMalloc3DArray(&array, &byte, (Extent){16384, 1, 1}, 0), SUCCESS);
    assert_int_equal(cudaFreeArray(array), SUCCESS);
    assert_int_equal(cudaMalloc3DArray(&array, &byte, (Extent){16384, 16384, 16384}, 0), OUT_OF_MEMORY);
}

static uint64_t pool_number(void *pool, int attribute)
{
    uint64_t value = 0;
    assert_int_equal(cudaMemPoolGetAttribute(pool, attribute, &value), SUCCESS);
    return value;
}

static void pools_count_and_free_in_order(void **state)
{
    (void)state;
    enum { THRESHOLD = 4, RESERVED = 5, USED = 7, USED_HIGH = 8 };
    void *pool, *stream, *memory, *more;
    uint64_t threshold = UINT64_MAX, nothing = 0;
    assert_int_equal(cudaDeviceGetDefaultMemPool(&pool, 0), SUCCESS);
    assert_int_equal(cudaStreamCreate(&stream), SUCCESS);
    assert_int_equal(cudaMallocAsync(&memory, 1000, stream), SUCCESS);
    assert_int_equal(pool_number(pool, USED), 1000);
    assert_true(pool_number(pool, RESERVED) >= 1000);
    assert_int_equal(cudaFreeAsync(memory, stream), SUCCESS);
    assert_int_equal(cudaFreeAsync(memory, stream), INVALID_VALUE);
    assert_int_equal(cudaFree(memory), INVALID_VALUE);
    assert_int_equal(cudaStreamSynchronize(stream), SUCCESS);
    assert_int_equal(pool_number(pool, USED), 0);
    assert_int_equal(pool_number(pool, RESERVED), 0);
    assert_int_equal(pool_number(pool, USED_HIGH), 1000);
    assert_int_equal(cudaMemPoolSetAttribute(pool, USED_HIGH, &nothing), SUCCESS);
    assert_int_equal(pool_number(pool, USED_HIGH), 0);
    assert_int_equal(cudaMemPoolSetAttribute(pool, USED, &nothing), INVALID_VALUE);
    assert_int_equal(cudaMemPoolSetAttribute(pool, THRESHOLD, &threshold), SUCCESS);
    assert_int_equal(cudaMallocAsync(&memory, 500, stream), SUCCESS);
    assert_int_equal(cudaMemset(memory, 1, 500), SUCCESS);
    assert_int_equal(cudaFree(memory), SUCCESS);
    assert_true(pool_number(pool, RESERVED) > 0);
    assert_int_equal(cudaMalloc(&more, 8), SUCCESS);
    assert_int_equal(cudaFreeAsync(more, stream), INVALID_VALUE);
    assert_int_equal(cudaFree(more), SUCCESS);
}

/* What a free waits for may itself be a free. */
static void frees_meet_frees_in_streams(void **state)
{
    (void)state;
    void *first = NULL, *second = NULL, *third = NULL, *managed = NULL, *host = aligned_alloc(4096, 4096);
    assert_int_equal(cudaMallocAsync(&first, 1000, NULL), SUCCESS);
    assert_int_equal(cudaMalloc(&second, 1000), SUCCESS);
    assert_int_equal(cudaMalloc(&third, 1000), SUCCESS);
    assert_int_equal(cudaMallocManaged(&managed, 1000, 1), SUCCESS);
    assert_int_equal(cudaHostRegister(host, 4096, 0), SUCCESS);
    assert_int_equal(cudaFreeAsync(first, NULL), SUCCESS);
    assert_int_equal(cudaFree(managed), SUCCESS);
    assert_int_equal(cudaMallocAsync(&first, 1000, NULL), SUCCESS);
    assert_int_equal(cudaFreeAsync(first, NULL), SUCCESS);
    assert_int_equal(cudaHostUnregister(host), SUCCESS);
    assert_int_equal(cudaHostUnregister(host), NOT_REGISTERED);
    assert_int_equal(cudaFree(second), SUCCESS);
    assert_int_equal(cudaFree(third), SUCCESS);
    free(host);
}

/* Each allocation is larger than what the frees before it, which no stream has come to, leave. */
static void allocations_wait_for_frees(void **state)
{
    (void)state;
    size_t unused, total;
    assert_int_equal(cudaMemGetInfo(&unused, &total), SUCCESS);
    for (size_t i = 0; i < 8; i++) {
        void *memory = NULL;
        assert_int_equal(cudaMallocAsync(&memory, unused / 3 + i * 4096, NULL), SUCCESS);
        assert_int_equal(cudaFreeAsync(memory, NULL), SUCCESS);
    }
    void *memory = NULL;
    assert_int_equal(cudaMalloc(&memory, unused / 2), SUCCESS);
    assert_int_equal(cudaFree(memory), SUCCESS);
}

static void pools_of_a_program_live_as_long_as_their_memory(void **state)
{
    (void)state;
    const PoolProperties properties = {.allocation_type = 1, .location = {LOCATION_DEVICE, 0},
                                       .maximum_bytes = 4096};
    void *pool, *current, *memory, *stream;
    assert_int_equal(cudaMemPoolCreate(&pool, &properties), SUCCESS);
    assert_int_equal(cudaDeviceSetMemPool(0, pool), SUCCESS);
    assert_int_equal(cudaDeviceGetMemPool(&current, 0), SUCCESS);
    assert_ptr_equal(current, pool);
    assert_int_equal(cudaMallocAsync(&memory, 4000, NULL), SUCCESS);
    assert_int_equal(pool_number(pool, 7), 4000);
    assert_int_equal(cudaMallocFromPoolAsync(&stream, 97, pool, NULL), OUT_OF_MEMORY);
    assert_int_equal(cudaMemPoolDestroy(pool), SUCCESS);
    assert_int_equal(cudaMemPoolDestroy(pool), INVALID_VALUE);
    assert_int_equal(cudaDeviceGetMemPool(&current, 0), SUCCESS);
    assert_ptr_not_equal(current, pool);
    assert_int_equal(cudaMemPoolDestroy(current), INVALID_VALUE);
    assert_int_equal(cudaFreeAsync(memory, NULL), SUCCESS);
    assert_int_equal(cudaDeviceSynchronize(), SUCCESS);
}

/* From the call on that frees it, as on a GPU; a stream may not have come there. */
static void freed_memory_is_not_used(void **state)
{
    (void)state;
    void *memory, *stream;
    uint32_t value;
    assert_int_equal(cudaStreamCreate(&stream), SUCCESS);
    assert_int_equal(cudaMallocAsync(&memory, 4096, stream), SUCCESS);
    assert_int_equal(cudaFreeAsync(memory, stream), SUCCESS);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cudaMemsetAsync(memory, 1, 64, stream), INVALID_VALUE);
        assert_non_null(strstr(rt_sentence(), "cudaFreeAsync"));
        assert_int_equal(cudaMemcpy(&value, (char *)memory + 8, 4, TO_HOST), INVALID_VALUE);
        assert_non_null(strstr(rt_sentence(), "cudaFreeAsync"));
        assert_int_equal(cudaFree(memory), INVALID_VALUE);
        assert_int_equal(cudaFreeAsync(memory, stream), INVALID_VALUE);
        assert_int_equal(cudaStreamSynchronize(stream), SUCCESS);
    }
    assert_int_equal(cudaMallocAsync(&memory, 4096, stream), SUCCESS); /* the same, perhaps, but usable */
    assert_int_equal(cudaMemsetAsync(memory, 1, 64, stream), SUCCESS);
    assert_int_equal(cudaFreeAsync(memory, stream), SUCCESS);
    assert_int_equal(cudaStreamSynchronize(stream), SUCCESS);
}

/* tests/cuda/ipc.cu has two processes; here is what this one is told. */
static void handles_are_for_other_processes(void **state)
{
    (void)state;
    RtExported handle, damaged;
    void *memory, *other, *pool;
    uint32_t value = 0;
    const PoolProperties exported = {.allocation_type = 1, .handle_types = 1,
                                     .location = {LOCATION_DEVICE, 0}};
    const PoolProperties fabric = {.allocation_type = 1, .handle_types = 8, .location = {LOCATION_DEVICE, 0}};
    assert_int_equal(cudaMalloc(&memory, 10000), SUCCESS);
    assert_int_equal(cudaMemset(memory, 7, 10000), SUCCESS);
    assert_int_equal(cudaIpcGetMemHandle(&handle, (char *)memory + 100), SUCCESS);
    assert_int_equal(cudaMemcpy(&value, (char *)memory + 9996, 4, 2), SUCCESS); /* it holds what it held */
    assert_int_equal(value, 0x07070707);
    assert_int_equal(cudaIpcOpenMemHandle(&other, handle, 1), 201);
    assert_int_equal(cudaIpcOpenMemHandle(&other, handle, 0), INVALID_VALUE);
    for (size_t i = 0; i < sizeof handle; i++) { /* what it stands for is not there, or cannot be */
        damaged = handle;
        memcpy(damaged.bytes + 4, "\xff\xff\xff\x7e", 4); /* the process */
        damaged.bytes[i] ^= 0x55;
        assert_int_not_equal(cudaIpcOpenMemHandle(&other, damaged, 1), SUCCESS);
    }
    assert_int_equal(cudaIpcCloseMemHandle(memory), INVALID_VALUE);
    assert_int_equal(cudaIpcGetMemHandle(&handle, &value), INVALID_VALUE);
    assert_int_equal(cudaMemPoolCreate(&pool, &fabric), NOT_SUPPORTED);
    assert_int_equal(cudaMemPoolCreate(&pool, &exported), SUCCESS);
    assert_int_equal(cudaMemPoolDestroy(pool), SUCCESS);
    assert_int_equal(cudaFree(memory), SUCCESS);
}

enum { PAGE = 4096, PAGES = 300 };

static char *map_pages(int protection)
{
    char *pages = mmap(NULL, PAGES * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    return pages;
}

static void only_memory_that_is_there_is_registered(void **state)
{
    (void)state;
    enum { READ_ONLY = 8 };
    char *pages = map_pages(PROT_READ | PROT_WRITE), *constant = map_pages(PROT_READ);
    char *none = map_pages(PROT_NONE);
    assert_int_equal(cudaHostRegister(pages, (size_t)1 << 46, 0), OUT_OF_MEMORY); /* as an H200 answers */
    assert_int_equal(cudaHostRegister(pages, SIZE_MAX, 0), INVALID_VALUE);
    assert_int_equal(cudaHostRegister(none, PAGE, 0), INVALID_VALUE);
    assert_int_equal(cudaHostRegister(none, PAGE, READ_ONLY), INVALID_VALUE);
    assert_int_equal(cudaHostRegister(constant, PAGE, 0), INVALID_VALUE);
    assert_int_equal(cudaHostRegister(constant, PAGES * PAGE, READ_ONLY), SUCCESS);
    assert_int_equal(cudaHostUnregister(constant), SUCCESS);
    assert_int_equal(munmap(pages + 100 * PAGE, PAGE), 0);
    assert_int_equal(cudaHostRegister(pages, PAGES * PAGE, 0), INVALID_VALUE);
    assert_int_equal(cudaHostRegister(pages + 100, 100 * PAGE, 0), INVALID_VALUE);
    assert_int_equal(cudaHostRegister(pages + 100, 100 * PAGE - 100, 0), SUCCESS);
    /* What goes away while it is registered can still be let go. */
    assert_int_equal(munmap(pages, PAGES * PAGE), 0);
    assert_int_equal(cudaHostUnregister(pages + 100), SUCCESS);
    munmap(constant, PAGES * PAGE);
    munmap(none, PAGES * PAGE);
}

/* A size that goes beyond what is mapped, a hole in between, and memory that cannot be written. */
static void copies_stay_in_memory_that_is_there(void **state)
{
    (void)state;
    const size_t bytes = PAGES * PAGE;
    char *pages = map_pages(PROT_READ | PROT_WRITE), *constant = map_pages(PROT_READ), *device;
    assert_int_equal(cudaMalloc((void **)&device, bytes), SUCCESS);
    assert_int_equal(munmap(pages + 200 * PAGE, PAGE), 0);
    assert_int_equal(cudaMemcpy(device, pages, bytes, TO_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaMemcpy(pages, device, bytes, TO_HOST), INVALID_VALUE);
    assert_int_equal(cudaMemcpy(device, pages + 100, 200 * PAGE, TO_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaMemcpy(device, pages + 100, 200 * PAGE - 100, TO_DEVICE), SUCCESS);
    assert_int_equal(cudaMemcpy(pages, device, 200 * PAGE, TO_HOST), SUCCESS);
    assert_int_equal(cudaMemcpy(device, constant, bytes, TO_DEVICE), SUCCESS);
    assert_int_equal(cudaMemcpy(constant, device, 100, TO_HOST), INVALID_VALUE);
    assert_int_equal(cudaMemcpy(pages, constant, bytes, HOST_TO_HOST), INVALID_VALUE);
    /* Rows may have holes between them. */
    assert_int_equal(cudaMemcpy2D(device, 100, pages, 201 * PAGE, 100, 2, TO_DEVICE), SUCCESS);
    assert_int_equal(cudaMemcpy2D(device, 100, pages, 200 * PAGE, 100, 2, TO_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaFree(device), SUCCESS);
    munmap(pages, bytes);
    munmap(constant, bytes);
}

int main(void)
{
    setenv("WARPBEAM_FUNCTIONAL", "1", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_come_back),
        cmocka_unit_test(bad_pointers_are_errors),
        cmocka_unit_test(rows_and_boxes_keep_their_shape),
        cmocka_unit_test(host_memory_is_known),
        cmocka_unit_test(registered_memory_is_known_until_unregistered),
        cmocka_unit_test(only_memory_that_is_there_is_registered),
        cmocka_unit_test(copies_stay_in_memory_that_is_there),
        cmocka_unit_test(arrays_take_and_give_elements),
        cmocka_unit_test(array_shapes_are_checked),
        cmocka_unit_test(pools_count_and_free_in_order),
        cmocka_unit_test(frees_meet_frees_in_streams),
        cmocka_unit_test(allocations_wait_for_frees),
        cmocka_unit_test(pools_of_a_program_live_as_long_as_their_memory),
        cmocka_unit_test(handles_are_for_other_processes),
        cmocka_unit_test(freed_memory_is_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

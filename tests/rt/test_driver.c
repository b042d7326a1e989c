/* The driver API as a program sees it: initialization, contexts, modules, launches, streams, graphs. Memory
 * is in test_driver_memory.c. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static const char ptx[] =
    ".version 7.2\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 7;\n"
    ".visible .entry append(.param .u64 cell, .param .u32 digit)\n{\n"
    "  .reg .b32 %r<4>; .reg .b64 %d<2>;\n"
    "  ld.param.u64 %d1, [cell]; ld.param.u32 %r1, [digit];\n"
    "  ld.global.u32 %r2, [%d1]; mad.lo.u32 %r3, %r2, 10, %r1; st.global.u32 [%d1], %r3; ret;\n}\n"
    ".visible .entry fault()\n{\n"
    "  .reg .b64 %d<2>;\n  mov.u64 %d1, 0; st.global.u32 [%d1], 1; ret;\n}\n";

static const char caller_ptx[] = ".version 7.2\n.target sm_70\n.address_size 64\n"
                                 ".extern .func (.param .b32 result) twice(.param .b32 value);\n"
                                 ".visible .entry store_twice(.param .u64 cell, .param .u32 number)\n{\n"
                                 "  .reg .b32 %r<3>; .reg .b64 %d<2>;\n"
                                 "  ld.param.u64 %d1, [cell]; ld.param.u32 %r1, [number];\n"
                                 "  { .param .b32 given; .param .b32 answer; st.param.b32 [given], %r1;\n"
                                 "    call.uni (answer), twice, (given); ld.param.b32 %r2, [answer]; }\n"
                                 "  st.global.u32 [%d1], %r2; ret;\n}\n";

static const char callee_ptx[] = ".version 7.2\n.target sm_70\n.address_size 64\n"
                                 ".visible .func (.param .b32 result) twice(.param .b32 value)\n{\n"
                                 "  .reg .b32 %r<3>;\n"
                                 "  ld.param.b32 %r1, [value]; add.u32 %r2, %r1, %r1;\n"
                                 "  st.param.b32 [result], %r2; ret;\n}\n";

/* Layout of CUDA_KERNEL_NODE_PARAMS. */
typedef struct KernelParameters {
    void *function;
    unsigned grid[3], block[3], shared;
    void **pointers, **extra, *kernel, *context;
} KernelParameters;
/* Layout of CUDA_MEMSET_NODE_PARAMS. */
typedef struct FillParameters {
    uint64_t address;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height;
} FillParameters;
/* Layout of CUlaunchConfig. */
typedef struct Config {
    unsigned grid[3], block[3], shared;
    void *stream, *attributes;
    unsigned attribute_count;
} Config;

static void *context, *module, *append;
static uint64_t cell;

/* Runs first: nothing has been initialized. */
static void wants_initialization(void **state)
{
    (void)state;
    int count;
    uint64_t address;
    setenv("WARPBEAM_GPU", "titanv", 1);
    setenv("WARPBEAM_FUNCTIONAL", "1", 1);
    assert_int_equal(cuDeviceGetCount(&count), NOT_INITIALIZED);
    assert_int_equal(cuMemAlloc_v2(&address, 4), NOT_INITIALIZED);
    assert_int_equal(cuInit(1), INVALID_VALUE);
    assert_int_equal(cuDeviceGetCount(&count), NOT_INITIALIZED);
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    assert_int_equal(count, 1);
    assert_int_equal(cuMemAlloc_v2(&address, 4), INVALID_CONTEXT);
}

static void names_errors(void **state)
{
    (void)state;
    const char *text;
    OK(cuGetErrorName(OUT_OF_MEMORY, &text));
    assert_string_equal(text, "CUDA_ERROR_OUT_OF_MEMORY");
    OK(cuGetErrorString(ILLEGAL_ADDRESS, &text));
    assert_string_equal(text, "an illegal memory access was encountered");
    assert_int_equal(cuGetErrorName(13, &text), INVALID_VALUE); /* only the runtime has that one */
    assert_null(text);
}

static void tells_about_the_device(void **state)
{
    (void)state;
    enum { WARP_SIZE = 10, SM_COUNT = 16, CAPABILITY_MAJOR = 75 };
    char name[64];
    int device, value, version;
    size_t bytes;
    OK(cuDeviceGet(&device, 0));
    assert_int_equal(cuDeviceGet(&device, 1), INVALID_DEVICE);
    OK(cuDeviceGetName(name, sizeof name, 0));
    assert_true(strlen(name) > 0);
    OK(cuDeviceGetAttribute(&value, WARP_SIZE, 0));
    assert_int_equal(value, 32);
    OK(cuDeviceGetAttribute(&value, SM_COUNT, 0));
    assert_int_equal(value, 80);
    OK(cuDeviceGetAttribute(&value, CAPABILITY_MAJOR, 0));
    assert_int_equal(value, 7);
    assert_int_equal(cuDeviceGetAttribute(&value, 100000, 0), INVALID_VALUE);
    OK(cuDeviceTotalMem_v2(&bytes, 0));
    assert_true(bytes > 1u << 30);
    OK(cuDriverGetVersion(&version));
    assert_int_equal(version, 13000);
}

static void *has_no_context(void *argument)
{
    void *current = argument;
    return cuCtxGetCurrent(&current) == SUCCESS && current == NULL ? argument : NULL;
}

static void keeps_a_stack_of_contexts(void **state)
{
    (void)state;
    void *first, *second, *current, *result;
    int device = -1;
    unsigned flags;
    pthread_t thread;
    OK(cuCtxGetCurrent(&current));
    assert_null(current);
    assert_int_equal(cuCtxGetDevice(&device), INVALID_CONTEXT);
    OK(cuCtxCreate_v2(&first, 4, 0));
    OK(cuCtxCreate_v4(&second, NULL, 0, 0));
    OK(cuCtxGetCurrent(&current));
    assert_ptr_equal(current, second);
    OK(cuCtxGetDevice(&device));
    assert_int_equal(device, 0);
    pthread_create(&thread, NULL, has_no_context, first);
    pthread_join(thread, &result);
    assert_ptr_equal(result, first);
    OK(cuCtxEnablePeerAccess(first, 0));
    assert_int_equal(cuCtxEnablePeerAccess(first, 0), PEER_ALREADY_ENABLED);
    OK(cuCtxPopCurrent_v2(&current));
    assert_ptr_equal(current, second);
    OK(cuCtxGetFlags(&flags));
    assert_int_equal(flags, 4);
    OK(cuCtxPushCurrent_v2(second));
    OK(cuCtxPopCurrent_v2(NULL));
    OK(cuCtxDestroy_v2(second)); /* not current */
    assert_int_equal(cuCtxPushCurrent_v2(second), INVALID_CONTEXT);
    OK(cuCtxDestroy_v2(first)); /* current: pops it */
    OK(cuCtxGetCurrent(&current));
    assert_null(current);
    assert_int_equal(cuCtxPopCurrent_v2(&current), INVALID_CONTEXT);
    assert_int_equal(cuCtxCreate_v2(&first, 0, 1), INVALID_DEVICE);
}

static void counts_uses_of_the_primary_context(void **state)
{
    (void)state;
    void *first, *second;
    unsigned flags;
    int active;
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 0);
    assert_int_equal(cuDevicePrimaryCtxRelease_v2(0), INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxRetain(&first, 0));
    OK(cuDevicePrimaryCtxRetain(&second, 0));
    assert_ptr_equal(first, second);
    OK(cuCtxSetCurrent(first));
    OK(cuDevicePrimaryCtxRelease_v2(0));
    OK(cuCtxSynchronize());
    OK(cuDevicePrimaryCtxRelease_v2(0));
    assert_int_equal(cuCtxSynchronize(), CONTEXT_IS_DESTROYED);
    OK(cuCtxSetCurrent(NULL));
    assert_int_equal(cuCtxSynchronize(), INVALID_CONTEXT);
}

/* From here on there are a context and a module. */
static void loads_modules(void **state)
{
    (void)state;
    void *function, *broken;
    uint64_t address;
    size_t size;
    uint32_t value = 0;
    unsigned count;
    OK(cuCtxCreate_v4(&context, NULL, 0, 0));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&append, module, "append"));
    OK(cuModuleGetFunctionCount(&count, module));
    assert_int_equal(count, 2);
    assert_int_equal(cuModuleGetFunction(&function, module, "apend"), NOT_FOUND);
    assert_int_equal(cuModuleGetFunction(&function, &value, "append"), INVALID_HANDLE);
    OK(cuModuleGetGlobal_v2(&address, &size, module, "counter"));
    assert_int_equal(size, 4);
    OK(cuMemcpyDtoH_v2(&value, address, 4));
    assert_int_equal(value, 7);
    assert_int_equal(cuModuleGetGlobal_v2(&address, &size, module, "nothing"), NOT_FOUND);
    assert_int_equal(cuModuleLoadData(&broken, ".version 7.2\n.target sm_70\nnonsense\n"), INVALID_PTX);
    assert_int_equal(cuModuleLoad(&broken, "/there/is/no/such/file.ptx"), FILE_NOT_FOUND);
    OK(cuMemAlloc_v2(&cell, 4));
}

static int append_digit(uint32_t digit, void *stream)
{
    void *pointers[] = {&cell, &digit};
    return cuLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, stream, pointers, NULL);
}

static uint32_t read_cell(void)
{
    uint32_t value;
    OK(cuMemcpyDtoH_v2(&value, cell, 4));
    return value;
}

static void launches_kernels(void **state)
{
    (void)state;
    struct {
        uint64_t cell;
        uint32_t digit;
    } buffer = {cell, 2};
    size_t size = sizeof buffer;
    void *extra[] = {(void *)1, &buffer, (void *)2, &size, NULL};
    uint32_t digit = 3;
    void *pointers[] = {&cell, &digit};
    const Config config = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    OK(cuMemsetD32_v2(cell, 0, 1));
    OK(append_digit(1, NULL));
    OK(cuLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    OK(cuLaunchKernelEx(&config, append, pointers, NULL));
    assert_int_equal(read_cell(), 123);
    assert_int_equal(cuLaunchKernel(append, 0, 1, 1, 1, 1, 1, 0, NULL, pointers, NULL), INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, NULL, pointers, extra), INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(append, 1, 1, 1, 1, 1, 1, 1u << 30, NULL, pointers, NULL), INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(module, 1, 1, 1, 1, 1, 1, 0, NULL, pointers, NULL), INVALID_HANDLE);
    size = 8;
    assert_int_equal(cuLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), INVALID_VALUE);
    assert_int_equal(read_cell(), 123);
}

static size_t shared_of(int threads) { return (size_t)threads * 64; }

static void tells_about_functions(void **state)
{
    (void)state;
    enum { MAX_THREADS = 0, REGISTERS = 4, PTX_VERSION = 5, DYNAMIC_SHARED = 8 };
    int value, grid, block, blocks;
    OK(cuFuncGetAttribute(&value, MAX_THREADS, append));
    assert_int_equal(value, 1024);
    OK(cuFuncGetAttribute(&value, REGISTERS, append));
    assert_true(value > 0);
    OK(cuFuncGetAttribute(&value, PTX_VERSION, append));
    assert_int_equal(value, 70);
    OK(cuFuncSetAttribute(append, DYNAMIC_SHARED, 65536));
    OK(cuFuncGetAttribute(&value, DYNAMIC_SHARED, append));
    assert_int_equal(value, 65536);
    assert_int_equal(cuFuncSetAttribute(append, DYNAMIC_SHARED, 1 << 30), INVALID_VALUE);
    assert_int_equal(cuFuncGetAttribute(&value, 99, append), INVALID_VALUE);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, append, 1024, 0));
    assert_int_equal(blocks, 2);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, append, NULL, 0, 0));
    assert_int_equal(block, 1024);
    assert_int_equal(grid, 160);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, append, NULL, 0, 100));
    assert_true(block <= 100 && block > 0);
    /* 96 KiB of an SM hold 1536 threads of 64 bytes each: the largest block that leaves none of that
     * unused. */
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, append, shared_of, 0, 0));
    assert_int_equal(block * (grid / 80), 1536);
}

static void linkers_say_what_is_wrong(void **state)
{
    (void)state;
    enum { ERROR_LOG = 5, ERROR_LOG_BYTES = 6 };
    char log[256] = "unchanged";
    const int options[] = {ERROR_LOG_BYTES, ERROR_LOG};
    void *values[] = {(void *)(uintptr_t)sizeof log, log}, *linker, *image;
    size_t size;
    OK(cuLinkCreate_v2(2, options, values, &linker));
    OK(cuLinkAddData_v2(linker, 1, (void *)(uintptr_t)caller_ptx, sizeof caller_ptx, "caller", 0, NULL,
                        NULL));
    assert_int_not_equal(cuLinkComplete(linker, &image, &size), SUCCESS);
    assert_non_null(strstr(log, "twice"));
    assert_int_equal((uintptr_t)values[0], strlen(log));
    assert_int_equal(cuLinkAddData_v2(linker, 0, "code", 4, "code", 0, NULL, NULL), INVALID_VALUE);
    assert_non_null(strstr(log, "\nOnly PTX"));
    OK(cuLinkDestroy(linker));

    void *room[] = {(void *)(uintptr_t)8, log};
    OK(cuLinkCreate_v2(2, options, room, &linker));
    assert_int_equal(cuLinkAddData_v2(linker, 0, "code", 4, "code", 0, NULL, NULL), INVALID_VALUE);
    assert_string_equal(log, "Only PT");
    assert_int_equal(cuLinkComplete(linker, &image, &size) != SUCCESS && (uintptr_t)room[0] == 7, true);
    OK(cuLinkDestroy(linker));
}

static void links_modules(void **state)
{
    (void)state;
    void *linker, *image, *linked, *function;
    size_t size;
    uint32_t number = 21;
    void *pointers[] = {&cell, &number};
    OK(cuLinkCreate_v2(0, NULL, NULL, &linker));
    OK(cuLinkAddData_v2(linker, 1, (void *)(uintptr_t)caller_ptx, sizeof caller_ptx, "caller", 0, NULL,
                        NULL));
    assert_int_not_equal(cuLinkComplete(linker, &image, &size), SUCCESS); /* who is twice? */
    OK(cuLinkAddData_v2(linker, 1, (void *)(uintptr_t)callee_ptx, sizeof callee_ptx, "callee", 0, NULL,
                        NULL));
    assert_int_equal(cuLinkAddData_v2(linker, 0,
                                      "\x7f"
                                      "ELF",
                                      4, "code", 0, NULL, NULL),
                     INVALID_VALUE);
    OK(cuLinkComplete(linker, &image, &size));
    char *copy = malloc(size);
    memcpy(copy, image, size);
    OK(cuLinkDestroy(linker));
    assert_int_equal(cuLinkDestroy(linker), INVALID_HANDLE);
    OK(cuModuleLoadData(&linked, copy));
    free(copy);
    OK(cuModuleGetFunction(&function, linked, "store_twice"));
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, pointers, NULL));
    assert_int_equal(read_cell(), 42);
    OK(cuModuleUnload(linked));
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, pointers, NULL), INVALID_HANDLE);
}

static void loads_libraries(void **state)
{
    (void)state;
    void *library, *kernel;
    uint32_t digit = 5;
    void *pointers[] = {&cell, &digit};
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "append"));
    OK(cuMemsetD32_v2(cell, 0, 1));
    OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, pointers, NULL));
    assert_int_equal(read_cell(), 5);
    OK(cuLibraryUnload(library));
}

static void note_digits(void *digits) { *(uint32_t *)digits = *(uint32_t *)digits * 10 + 9; }

static void orders_streams_and_events(void **state)
{
    (void)state;
    void *stream, *start, *end, *found;
    uint32_t noted = 4;
    float milliseconds = -1;
    OK(cuStreamCreate(&stream, 0));
    OK(cuEventCreate(&start, 0));
    OK(cuEventCreate(&end, 0));
    OK(cuMemsetD32_v2(cell, 0, 1));
    OK(cuEventRecord(start, stream));
    OK(append_digit(6, stream));
    OK(cuLaunchHostFunc(stream, note_digits, &noted));
    OK(append_digit(7, stream));
    OK(cuEventRecord(end, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuStreamQuery(stream));
    assert_int_equal(noted, 49);
    assert_int_equal(read_cell(), 67);
    OK(cuEventElapsedTime(&milliseconds, start, end));
    assert_true(milliseconds >= 0);
    OK(cuStreamGetCtx(stream, &found));
    assert_ptr_equal(found, context);
    OK(cuEventDestroy_v2(start));
    OK(cuEventDestroy_v2(end));
    assert_int_equal(cuEventRecord(end, stream), INVALID_HANDLE);
    OK(cuStreamDestroy_v2(stream));
    assert_int_equal(append_digit(8, stream), INVALID_HANDLE);
}

static void launches_graphs(void **state)
{
    (void)state;
    void *graph, *clear, *first, *second, *executable, *nodes[4], *from[4], *to[4];
    uint32_t one = 1, two = 2;
    void *pointers[] = {&cell, &one};
    size_t count = 4;
    int type;
    const FillParameters fill = {.address = cell, .element_bytes = 4, .width = 1, .height = 1};
    KernelParameters kernel = {
        .function = append, .grid = {1, 1, 1}, .block = {1, 1, 1}, .pointers = pointers};
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddMemsetNode(&clear, graph, NULL, 0, &fill, NULL));
    OK(cuGraphAddKernelNode_v2(&first, graph, &clear, 1, &kernel));
    pointers[1] = &two;
    OK(cuGraphAddKernelNode_v2(&second, graph, &first, 1, &kernel));
    OK(cuGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 3);
    count = 4;
    OK(cuGraphGetEdges(graph, from, to, &count));
    assert_int_equal(count, 2);
    OK(cuGraphNodeGetType(clear, &type));
    assert_int_equal(type, 2);
    OK(cuGraphInstantiateWithFlags(&executable, graph, 0));
    OK(cuGraphDestroy(graph));
    OK(cuGraphLaunch(executable, NULL));
    assert_int_equal(read_cell(), 12);
    assert_int_equal(cuGraphAddMemsetNode(&clear, graph, NULL, 0, &fill, NULL), INVALID_VALUE);
    OK(cuGraphExecDestroy(executable));
}

static void captures_graphs(void **state)
{
    (void)state;
    void *stream, *graph, *executable;
    OK(cuStreamCreate(&stream, 0));
    OK(cuMemsetD32_v2(cell, 0, 1));
    OK(cuStreamBeginCapture_v2(stream, 0));
    OK(append_digit(3, stream));
    OK(append_digit(4, stream));
    OK(cuStreamEndCapture(stream, &graph));
    assert_int_equal(read_cell(), 0);
    OK(cuGraphInstantiateWithFlags(&executable, graph, 0));
    OK(cuGraphLaunch(executable, stream));
    OK(cuGraphLaunch(executable, stream));
    OK(cuStreamSynchronize(stream));
    assert_int_equal(read_cell(), 3434);
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy_v2(stream));
}

static void finds_functions_by_name(void **state)
{
    (void)state;
    enum { FOUND, UNKNOWN, TOO_OLD };
    void *function;
    int status;
    OK(cuGetProcAddress_v2("cuCtxCreate", &function, 13000, 0, &status));
    assert_ptr_equal(function, (void *)(uintptr_t)cuCtxCreate_v4);
    OK(cuGetProcAddress_v2("cuCtxCreate", &function, 11000, 0, &status));
    assert_ptr_equal(function, (void *)(uintptr_t)cuCtxCreate_v2);
    OK(cuGetProcAddress_v2("cuMemcpyHtoD", &function, 12000, 0, &status));
    assert_ptr_equal(function, (void *)(uintptr_t)cuMemcpyHtoD_v2);
    OK(cuGetProcAddress_v2("cuMemcpyHtoD", &function, 12000, 2, &status));
    assert_ptr_equal(function, (void *)(uintptr_t)cuMemcpyHtoD_v2_ptds);
    OK(cuGetProcAddress_v2("cuMemcpyHtoD_v2", &function, 12000, 0, &status));
    assert_ptr_equal(function, (void *)(uintptr_t)cuMemcpyHtoD_v2);
    OK(cuGetProcAddress_v2("cuInit", &function, 12000, 2, &status));
    assert_ptr_equal(function, (void *)(uintptr_t)cuInit);
    OK(cuGetProcAddress_v2("cuNothing", &function, 12000, 0, &status));
    assert_int_equal(status, UNKNOWN);
    assert_null(function);
    OK(cuGetProcAddress_v2("cuGraphCreate", &function, 9000, 0, &status));
    assert_int_equal(status, TOO_OLD);
    assert_null(function);
    assert_int_equal(cuGetProcAddress_v2("cuNothing", &function, 12000, 0, NULL), NOT_FOUND);
}

static void refuses_what_is_missing(void **state)
{
    (void)state;
    assert_int_equal(cuTexRefSetMipmappedArray(NULL, NULL, 1), NOT_SUPPORTED);
}

/* Runs last: a kernel fails, and with it everything until its context is gone. */
static void survives_a_failed_kernel(void **state)
{
    (void)state;
    void *fault, *other;
    OK(cuModuleGetFunction(&fault, module, "fault"));
    OK(cuLaunchKernel(fault, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    assert_int_equal(cuCtxSynchronize(), ILLEGAL_ADDRESS);
    assert_int_equal(append_digit(1, NULL), ILLEGAL_ADDRESS);
    OK(cuCtxDestroy_v2(context));
    OK(cuCtxCreate_v4(&other, NULL, 0, 0));
    OK(cuMemsetD32_v2(cell, 0, 1));
    OK(append_digit(1, NULL));
    assert_int_equal(read_cell(), 1);
    OK(cuModuleUnload(module));
    OK(cuMemFree_v2(cell));
    OK(cuCtxDestroy_v2(other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wants_initialization),
        cmocka_unit_test(names_errors),
        cmocka_unit_test(tells_about_the_device),
        cmocka_unit_test(keeps_a_stack_of_contexts),
        cmocka_unit_test(counts_uses_of_the_primary_context),
        cmocka_unit_test(loads_modules),
        cmocka_unit_test(launches_kernels),
        cmocka_unit_test(tells_about_functions),
        cmocka_unit_test(links_modules), cmocka_unit_test(linkers_say_what_is_wrong),
        cmocka_unit_test(loads_libraries),
        cmocka_unit_test(orders_streams_and_events),
        cmocka_unit_test(launches_graphs),
        cmocka_unit_test(captures_graphs),
        cmocka_unit_test(finds_functions_by_name),
        cmocka_unit_test(refuses_what_is_missing),
        cmocka_unit_test(survives_a_failed_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

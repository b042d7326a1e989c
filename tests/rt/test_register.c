/* What nvcc's code does before main(), done by hand: registered fat binaries, kernels launched by host
 * addresses, variables found by theirs, and the errors that CUDA documents for launches. */
#include "fatbin_image.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "rt/fatbin.h"
#include "rt/module.h"

/* As nvcc's code and CUDA's headers declare them. */
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                            void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int, size_t, int, int);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int, size_t, int,
                              int);
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int, int,
                           int);
unsigned __cudaPushCallConfiguration(WbDim3 grid, WbDim3 block, size_t shared, void *stream);
int __cudaPopCallConfiguration(WbDim3 *grid, WbDim3 *block, size_t *shared, void *stream);
int __cudaGetKernel(void **kernel, const void *host);
int __cudaLaunchKernel(void *kernel, WbDim3 grid, WbDim3 block, void **arguments, size_t shared,
                       void *stream);
int cudaLaunchKernel(const void *host, WbDim3 grid, WbDim3 block, void **arguments, size_t shared,
                     void *stream);
int cudaLaunchKernel_ptsz(const void *host, WbDim3 grid, WbDim3 block, void **arguments, size_t shared,
                          void *stream);
int cudaLaunchCooperativeKernel(const void *host, WbDim3 grid, WbDim3 block, void **arguments, size_t shared,
                                void *stream);
int cudaFuncSetAttribute(const void *host, int attribute, int value);
int cudaFuncGetName(const char **name, const void *host);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int threads, size_t shared);

#define HEADER ".version 8.0\n.target sm_75\n.address_size 64\n"

/* Adds its argument to a variable; the second one needs a function and a variable of another file. */
static const char adder[] = HEADER
    ".global .u32 sum = 3; .global .attribute(.managed) .u32 shared_with_host = 8;\n"
    ".visible .entry add (.param .u32 x) { .reg .b32 %a, %b; ld.param.u32 %a, [x]; ld.global.u32 %b, [sum];\n"
    "add.u32 %a, %a, %b; st.global.u32 [sum], %a; st.global.u32 [shared_with_host], %a; ret; }\n"
    ".visible .entry bounded () .maxntid 64 { ret; }\n";
static const char caller[] = HEADER
    ".extern .global .u32 elsewhere; .extern .func bump (); .visible .entry call () { call bump; ret; }\n";
static const char callee[] = HEADER ".visible .global .u32 elsewhere = 10; .visible .func bump () { .reg "
                                    ".b32 %a; ld.global.u32 %a, [elsewhere];\n"
                                    "add.u32 %a, %a, 1; st.global.u32 [elsewhere], %a; ret; }\n";

static const WbDim3 one = {1, 1, 1};
static char host_add, host_bounded, host_sum, host_texture, host_call, host_elsewhere, host_missing;
static void *host_managed;

static Image adder_image, empty_image, caller_image, callee_image, machine_image;
static FatbinWrapper adder_wrapper = {(uint32_t)FATBIN_WRAPPER_MAGIC, 1, adder_image.bytes, NULL};
static const void *linked[] = {caller_image.bytes, callee_image.bytes, NULL};
static FatbinWrapper linked_wrapper = {(uint32_t)FATBIN_WRAPPER_MAGIC, 2, empty_image.bytes, linked};
static FatbinWrapper machine_wrapper = {(uint32_t)FATBIN_WRAPPER_MAGIC, 1, machine_image.bytes, NULL};
static void **adder_handle;

static void register_function(void **handle, const char *host, const char *name)
{
    __cudaRegisterFunction(handle, host, NULL, name, -1, NULL, NULL, NULL, NULL, NULL);
}

static int register_all(void **state)
{
    (void)state;
    adder_image = new_image();
    add_entry(&adder_image, PTX, 75, ZSTD, adder);
    adder_handle = __cudaRegisterFatBinary(&adder_wrapper);
    register_function(adder_handle, &host_add, "add");
    register_function(adder_handle, &host_bounded, "bounded");
    register_function(adder_handle, &host_missing, "missing");
    __cudaRegisterVar(adder_handle, &host_sum, NULL, "sum", 0, 4, 0, 0);
    __cudaRegisterManagedVar(adder_handle, &host_managed, NULL, "shared_with_host", 0, 4, 0, 0);
    __cudaRegisterTexture(adder_handle, &host_texture, NULL, "picture", 2, 0, 0);
    __cudaRegisterFatBinaryEnd(adder_handle);
    return 0;
}

static RtError find_symbol(const void *host, uint64_t *address)
{
    size_t size;
    assert_int_equal(rt_enter("test"), RT_SUCCESS);
    RtError error = rt_symbol_find(host, address, &size);
    if (error == RT_SUCCESS)
        assert_int_equal(size, 4);
    rt_leave();
    return error;
}

static uint32_t value_of(const void *host)
{
    uint64_t address;
    uint32_t value;
    assert_int_equal(find_symbol(host, &address), RT_SUCCESS);
    assert_int_equal(wb_copy_from_device(rt_gpu(), &value, address, sizeof value), WB_OK);
    return value;
}

static void kernels_are_launched_by_host_addresses(void **state)
{
    (void)state;
    uint32_t x = 4;
    void *arguments[] = {&x}, *kernel, *stream;
    WbDim3 grid, block;
    size_t shared;
    assert_true(__cudaInitModule(adder_handle));
    assert_int_equal(*(const uint32_t *)host_managed, 8);
    assert_int_equal(__cudaGetKernel(&kernel, &host_add), RT_SUCCESS);
    assert_int_equal(__cudaPushCallConfiguration(one, one, 16, (void *)1), 0);
    assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), RT_SUCCESS);
    assert_int_equal(shared, 16);
    assert_ptr_equal(stream, (void *)1);
    assert_int_equal(__cudaLaunchKernel(kernel, grid, block, arguments, shared, stream), RT_SUCCESS);
    assert_int_equal(value_of(&host_sum), 7);
    assert_int_equal(*(const uint32_t *)host_managed, 7);
    assert_int_equal(value_of(host_managed), 7); /* a managed variable's own address means it, too */
    assert_int_equal(cudaLaunchKernel(&host_add, one, one, arguments, 0, NULL), RT_SUCCESS);
    assert_int_equal(cudaLaunchKernel_ptsz(kernel, one, one, arguments, 0, NULL), RT_SUCCESS);
    assert_int_equal(cudaLaunchCooperativeKernel(&host_add, one, one, arguments, 0, NULL), RT_SUCCESS);
    assert_int_equal(value_of(&host_sum), 19);
}

static void configurations_nest(void **state)
{
    (void)state;
    WbDim3 grid, block;
    size_t shared;
    void *stream;
    __cudaPushCallConfiguration((WbDim3){1, 2, 3}, one, 0, NULL);
    __cudaPushCallConfiguration((WbDim3){4, 5, 6}, one, 0, NULL);
    assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), RT_SUCCESS);
    assert_int_equal(grid.x * 100 + grid.y * 10 + grid.z, 456);
    assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), RT_SUCCESS);
    assert_int_equal(grid.x * 100 + grid.y * 10 + grid.z, 123);
    assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), RT_MISSING_CONFIGURATION);
}

static void bad_launches_get_the_documented_errors(void **state)
{
    (void)state;
    uint32_t x = 4;
    uint64_t address;
    void *arguments[] = {&x}, *null[] = {NULL};
    const struct {
        const void *host;
        WbDim3 grid, block;
        void **arguments;
        size_t shared;
        void *stream;
        RtError expected;
    } launches[] = {
        {&host_add, {0, 1, 1}, one, arguments, 0, NULL, RT_INVALID_CONFIGURATION},
        {&host_add, {1, 65536, 1}, one, arguments, 0, NULL, RT_INVALID_CONFIGURATION},
        {&host_add, one, {1, 0, 1}, arguments, 0, NULL, RT_INVALID_CONFIGURATION},
        {&host_add, one, {1025, 1, 1}, arguments, 0, NULL, RT_INVALID_CONFIGURATION},
        {&host_add, one, {64, 32, 1}, arguments, 0, NULL, RT_INVALID_CONFIGURATION},
        {&host_bounded, one, {65, 1, 1}, NULL, 0, NULL, RT_LAUNCH_OUT_OF_RESOURCES},
        {&host_bounded, one, {64, 1, 1}, NULL, 0, NULL, RT_SUCCESS},
        {&host_add, one, one, arguments, 48 * 1024, NULL, RT_SUCCESS},
        {&host_add, one, one, arguments, 48 * 1024 + 1, NULL, RT_INVALID_VALUE},
        {&host_add, one, one, arguments, (size_t)1 << 40, NULL, RT_INVALID_VALUE},
        {&host_add, one, one, NULL, 0, NULL, RT_INVALID_VALUE},
        {&host_add, one, one, null, 0, NULL, RT_INVALID_VALUE},
        {&host_add, one, one, arguments, 0, (void *)12345, RT_INVALID_RESOURCE_HANDLE},
        {&host_missing, one, one, arguments, 0, NULL, RT_INVALID_DEVICE_FUNCTION},
        {&host_sum, one, one, arguments, 0, NULL, RT_INVALID_DEVICE_FUNCTION},
        {NULL, one, one, arguments, 0, NULL, RT_INVALID_DEVICE_FUNCTION},
    };
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++)
        assert_int_equal(cudaLaunchKernel(launches[i].host, launches[i].grid, launches[i].block,
                                          launches[i].arguments, launches[i].shared, launches[i].stream),
                         launches[i].expected);
    assert_int_equal(cudaLaunchCooperativeKernel(&host_add, (WbDim3){1 << 20, 1, 1}, one, arguments, 0, NULL),
                     RT_COOPERATIVE_LAUNCH_TOO_LARGE);
    assert_int_equal(find_symbol(&host_add, &address), RT_INVALID_SYMBOL);
    assert_int_equal(find_symbol(&host_texture, &address), RT_INVALID_SYMBOL);
    assert_int_equal(find_symbol(&x, &address), RT_INVALID_SYMBOL);
}

static void attributes_raise_the_limit_of_shared_memory(void **state)
{
    (void)state;
    enum { DYNAMIC_SHARED = 8 };
    uint32_t x = 0;
    void *arguments[] = {&x};
    int blocks;
    const char *name;
    assert_int_equal(cudaFuncSetAttribute(&host_add, DYNAMIC_SHARED, 100 * 1024), RT_SUCCESS);
    assert_int_equal(cudaLaunchKernel(&host_add, one, one, arguments, 100 * 1024, NULL), RT_SUCCESS);
    assert_int_equal(cudaLaunchKernel(&host_add, one, one, arguments, 100 * 1024 + 1, NULL),
                     RT_INVALID_VALUE);
    assert_int_equal(cudaFuncSetAttribute(&host_add, DYNAMIC_SHARED, 1 << 20), RT_INVALID_VALUE);
    assert_int_equal(cudaFuncSetAttribute(&host_add, DYNAMIC_SHARED, -1), RT_INVALID_VALUE);
    assert_int_equal(cudaFuncSetAttribute(&host_add, 99, 0), RT_INVALID_VALUE);
    assert_int_equal(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &host_add, 32, 100 * 1024),
                     RT_SUCCESS);
    assert_int_equal(blocks, 2); /* of the h200's 228 KiB */
    assert_int_equal(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &host_add, 0, 0),
                     RT_INVALID_VALUE);
    assert_int_equal(cudaFuncGetName(&name, &host_add), RT_SUCCESS);
    assert_string_equal(name, "add");
}

static void relocatable_code_is_linked_at_first_use(void **state)
{
    (void)state;
    caller_image = new_image();
    callee_image = new_image();
    empty_image = new_image();
    add_entry(&caller_image, PTX, 75, LZ4, caller);
    add_entry(&callee_image, PTX, 75, PLAIN, callee);
    void **handle = __cudaRegisterFatBinary(&linked_wrapper);
    register_function(handle, &host_call, "call");
    __cudaRegisterVar(handle, &host_elsewhere, NULL, "elsewhere", 0, 4, 0, 0);
    assert_int_equal(cudaLaunchKernel(&host_call, one, one, NULL, 0, NULL), RT_SUCCESS);
    assert_int_equal(value_of(&host_elsewhere), 11);
    __cudaUnregisterFatBinary(handle);
    assert_int_equal(cudaLaunchKernel(&host_call, one, one, NULL, 0, NULL), RT_INVALID_DEVICE_FUNCTION);
}

static void a_program_without_ptx_is_told_so(void **state)
{
    (void)state;
    static const FatbinWrapper unknown = {(uint32_t)FATBIN_WRAPPER_MAGIC, 9, NULL, NULL};
    static void *managed;
    machine_image = new_image();
    add_entry(&machine_image, ELF, 90, PLAIN, "machine code");
    void **handle = __cudaRegisterFatBinary(&machine_wrapper);
    register_function(handle, &host_call, "call");
    __cudaRegisterManagedVar(handle, &managed, NULL, "m", 0, 4, 0, 0);
    assert_int_equal(cudaLaunchKernel(&host_call, one, one, NULL, 0, NULL), RT_NO_KERNEL_IMAGE_FOR_DEVICE);
    assert_true(__cudaInitModule(handle));
    assert_int_equal(*(uint32_t *)managed, 0); /* the host's use of it goes on */
    __cudaUnregisterFatBinary(handle);
    free(managed);
    assert_null(__cudaRegisterFatBinary((void *)&unknown));
    register_function(NULL, &host_call, "call");
    __cudaUnregisterFatBinary(NULL);
}

/* The image lies at the end of mapped memory, as one can in a segment. */
static void damaged_sizes_are_told(void **state)
{
    (void)state;
    const struct { size_t at; uint64_t value; unsigned bytes; bool in_entry; } damages[] = {
        {8, 1 << 20, 8, false},    {8, (uint64_t)1 << 40, 8, false}, {6, 60000, 2, false},
        {AT_STORED, 1 << 20, 8, true}, {AT_HEADER, 1 << 20, 4, true}, {0, 0, 4, false},
    };
    uint8_t *pages = mmap(NULL, 3 * 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(mprotect(pages + 2 * 8192, 8192, PROT_NONE), 0);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        Image image = new_image();
        add_entry(&image, PTX, 75, PLAIN, adder);
        put(&image, damages[i].at + (damages[i].in_entry ? image.entry : 0), damages[i].value,
            damages[i].bytes);
        uint8_t *place = memcpy(pages + 2 * 8192 - image.size, image.bytes, image.size);
        const FatbinWrapper wrapper = {(uint32_t)FATBIN_WRAPPER_MAGIC, 1, place, NULL};
        void **handle = __cudaRegisterFatBinary((void *)&wrapper);
        register_function(handle, &host_call, "add");
        assert_int_equal(cudaLaunchKernel(&host_call, one, one, NULL, 0, NULL), RT_INVALID_KERNEL_IMAGE);
        __cudaUnregisterFatBinary(handle);
    }
    const FatbinWrapper nowhere = {(uint32_t)FATBIN_WRAPPER_MAGIC, 2, pages + 2 * 8192, pages + 2 * 8192};
    void **handle = __cudaRegisterFatBinary((void *)&nowhere);
    register_function(handle, &host_call, "add");
    assert_int_equal(cudaLaunchKernel(&host_call, one, one, NULL, 0, NULL), RT_INVALID_KERNEL_IMAGE);
    __cudaUnregisterFatBinary(handle);
    munmap(pages, 3 * 8192);
}

static int unregister_all(void **state)
{
    (void)state;
    __cudaUnregisterFatBinary(adder_handle);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_launched_by_host_addresses),
        cmocka_unit_test(configurations_nest),
        cmocka_unit_test(bad_launches_get_the_documented_errors),
        cmocka_unit_test(attributes_raise_the_limit_of_shared_memory),
        cmocka_unit_test(relocatable_code_is_linked_at_first_use),
        cmocka_unit_test(a_program_without_ptx_is_told_so),
        cmocka_unit_test(damaged_sizes_are_told),
    };
    setenv("WARPBEAM_FUNCTIONAL", "1", 1);
    return cmocka_run_group_tests(tests, register_all, unregister_all);
}

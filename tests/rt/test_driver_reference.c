/* Texture and surface references of the driver API: kernels that name a .texref variable read what kernels
 * read that take a texture object of the same memory and the same sampler. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"

enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2, OVERRIDE_FORMAT = 1 };
enum { UINT8 = 1, SINT16 = 9, UINT32 = 3, FLOAT = 0x20 };
enum { WRAP, CLAMP, MIRROR, BORDER };
enum { SIDE = 8, POINTS = 16, PITCH = 512, BYTES = PITCH * SIDE };

/* Layouts of CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR, CUDA_RESOURCE_DESC and
 * CUDA_TEXTURE_DESC. */
typedef struct Flat {
    size_t width, height;
    int format;
    unsigned channels;
} Flat;
typedef struct Box {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
} Box;
typedef struct Resource {
    int kind; /* 0 array, 2 linear, 3 pitch */
    union {
        void *array;
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t width, height, pitch; /* width: bytes where it is linear */
        } memory;
        int reserved[32];
    } of;
    unsigned flags;
} Resource;
typedef struct Sampler {
    int modes[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float mipmap[3], border[4];
    int reserved[12];
} Sampler;
/* Layout of CUDA_MEMCPY2D; memory 2 is the device's, 3 an array. */
typedef struct Side {
    size_t x, y;
    int memory;
    void *host;
    uint64_t device;
    void *array;
    size_t pitch;
} Side;
typedef struct Copy {
    Side source, destination;
    size_t width, height;
} Copy;
_Static_assert(sizeof(Copy) == 128, "as CUDA has it");
_Static_assert(sizeof(Resource) == 144 && sizeof(Sampler) == 104, "as CUDA has it");

/* Thread (x, y) of 16 x 16 reads at start + step * (x, y); thread x of the line reads element x - 4. Kernels
 * of both kinds have the same parameters. */
#define KERNEL(name, body)                                                                                   \
    ".visible .entry " name "(.param .u64 out, .param .u64 handle, .param .f32 start, .param .f32 step)\n"   \
    "{\n  .reg .b32 %r<12>; .reg .f32 %f<12>; .reg .b64 %d<6>;\n"                                            \
    "  ld.param.u64 %d1, [out]; ld.param.u64 %d2, [handle]; ld.param.f32 %f8, [start];\n"                    \
    "  ld.param.f32 %f9, [step]; mov.u32 %r8, %tid.x; mov.u32 %r9, %tid.y;\n"                                \
    "  mad.lo.u32 %r10, %r9, 16, %r8; mul.wide.u32 %d3, %r10, 16; add.u64 %d3, %d1, %d3;\n"                  \
    "  cvt.rn.f32.u32 %f4, %r8; cvt.rn.f32.u32 %f5, %r9; fma.rn.f32 %f4, %f4, %f9, %f8;\n"                   \
    "  fma.rn.f32 %f5, %f5, %f9, %f8; sub.s32 %r11, %r8, 4;\n"                                               \
    "  " body "\n  ret;\n}\n"
#define PLANE(from) "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [" from ", {%f4,%f5}]; "                           \
                    "st.global.v4.f32 [%d3], {%f0,%f1,%f2,%f3};"
#define GATHER(from) "tld4.g.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [" from ", {%f4,%f5}]; "                       \
                     "st.global.v4.f32 [%d3], {%f0,%f1,%f2,%f3};"
#define LINE(from) "tex.1d.v4.u32.s32 {%r0,%r1,%r2,%r3}, [" from ", {%r11}]; "                               \
                   "st.global.v4.u32 [%d3], {%r0,%r1,%r2,%r3};"

static const char ptx[] =
    ".version 6.3\n.target sm_75\n.address_size 64\n"
    ".global .texref plane;\n.global .texref line;\n.global .surfref image;\n.global .texref unbound;\n"
    ".global .u64 kept = plane;\n"
    KERNEL("plane_by_name", PLANE("plane"))
    KERNEL("plane_by_object", PLANE("%d2"))
    KERNEL("plane_by_register", "mov.u64 %d4, plane; " PLANE("%d4"))
    KERNEL("plane_by_memory", "ld.global.u64 %d4, [kept]; " PLANE("%d4"))
    KERNEL("gather_by_name", GATHER("plane"))
    KERNEL("gather_by_object", GATHER("%d2"))
    KERNEL("line_by_name", LINE("line"))
    KERNEL("line_by_object", LINE("%d2"))
    KERNEL("sizes", "txq.width.b32 %r0, [plane]; txq.height.b32 %r1, [plane]; suq.width.b32 %r2, [image]; "
                    "suq.height.b32 %r3, [image]; st.global.v4.u32 [%d3], {%r0,%r1,%r2,%r3};")
    KERNEL("draw", "mul.lo.u32 %r0, %r8, 4; sust.b.2d.b32.zero [image, {%r0,%r9}], {%r10};")
    KERNEL("broken", LINE("unbound"));

static void *module, *context;
static uint64_t memory, out;

static int begin(void **state)
{
    (void)state;
    uint8_t bytes[BYTES];
    for (unsigned i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(i % 4 == 3 ? 0x3f : 37 * i + i / PITCH * 11); /* floats are finite */
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuMemAlloc_v2(&memory, BYTES));
    OK(cuMemAlloc_v2(&out, 16 * POINTS * POINTS));
    OK(cuMemcpyHtoD_v2(memory, bytes, BYTES));
    return 0;
}

static int launch_into(void *stream, const char *name, uint64_t place, uint64_t handle, float start,
                       float step)
{
    void *function, *pointers[] = {&place, &handle, &start, &step};
    OK(cuModuleGetFunction(&function, module, name));
    return cuLaunchKernel(function, 1, 1, 1, POINTS, POINTS, 1, 0, stream, pointers, NULL);
}

static int launch(const char *name, uint64_t place, uint64_t handle, float start, float step)
{
    return launch_into(NULL, name, place, handle, start, step);
}

/* What the kernel wrote for all threads. */
typedef struct Result { uint32_t words[4 * POINTS * POINTS]; } Result;

static Result result_of(const char *name, uint64_t handle, float start, float step)
{
    Result result;
    OK(cuMemsetD8_v2(out, 0xEE, sizeof result));
    OK(launch(name, out, handle, start, step));
    OK(cuMemcpyDtoH_v2(&result, out, sizeof result));
    return result;
}

static void expect_same(const char *what, const Result *one, const Result *other)
{
    for (unsigned i = 0; i < 4 * POINTS * POINTS; i++)
        if (one->words[i] != other->words[i])
            fail_msg("%s: word %u is %08x by name and %08x by object", what, i, one->words[i],
                     other->words[i]);
}

static void *reference_of(const char *name)
{
    void *reference;
    OK(cuModuleGetTexRef(&reference, module, name));
    return reference;
}

/* -- memory by index -- */

static void expect_line(int format, unsigned channels, unsigned flags)
{
    void *reference = reference_of("line");
    uint64_t object;
    const Resource resource = {
        .kind = 2, .of.memory = {.address = memory, .format = format, .channels = channels, .width = 64}};
    const Sampler sampler = {.modes = {CLAMP, CLAMP, CLAMP}, .flags = flags};
    size_t offset = 1;
    OK(cuTexRefSetFormat(reference, format, (int)channels));
    OK(cuTexRefSetFlags(reference, flags));
    OK(cuTexRefSetAddress_v2(&offset, reference, memory, 64));
    assert_int_equal(offset, 0);
    OK(cuTexObjectCreate(&object, &resource, &sampler, NULL));
    const Result by_name = result_of("line_by_name", 0, 0, 0);
    const Result by_object = result_of("line_by_object", object, 0, 0);
    expect_same("line", &by_name, &by_object);
    OK(cuTexObjectDestroy(object));
}

static void reads_lines(void **state)
{
    (void)state;
    expect_line(UINT32, 1, READ_AS_INTEGER);
    expect_line(UINT32, 1, 0);
    expect_line(UINT8, 4, READ_AS_INTEGER);
    expect_line(UINT8, 4, 0);
    expect_line(SINT16, 2, 0);
    expect_line(FLOAT, 1, 0);
}

/* A line that begins between places where textures can begin: the kernel has to add the offset. */
static void tells_the_offset(void **state)
{
    (void)state;
    void *reference = reference_of("line");
    size_t offset = 0;
    uint64_t address;
    uint32_t words[BYTES / 4];
    OK(cuMemcpyDtoH_v2(words, memory, sizeof words));
    OK(cuTexRefSetFormat(reference, UINT32, 1));
    OK(cuTexRefSetFlags(reference, READ_AS_INTEGER));
    assert_int_equal(cuTexRefSetAddress_v2(NULL, reference, memory + 512 + 16, 64), INVALID_VALUE);
    OK(cuTexRefSetAddress_v2(&offset, reference, memory + 512 + 16, 64));
    assert_int_equal(offset, 16);
    OK(cuTexRefGetAddress_v2(&address, reference));
    assert_int_equal(address, memory + 512);
    const Result line = result_of("line_by_name", 0, 0, 0);
    assert_int_equal(line.words[4 * 4], words[128]);     /* thread 4 reads element 0 */
    assert_int_equal(line.words[4 * 11], words[128 + 7]);
    assert_int_equal(line.words[0], 0);                  /* outside */
}

/* -- planes -- */

typedef struct Case {
    int format;
    unsigned channels, flags;
    int filter, mode;
} Case;

static const Case cases[] = {
    {FLOAT, 1, 0, 0, CLAMP},
    {FLOAT, 1, 0, 1, CLAMP},
    {FLOAT, 4, 0, 1, BORDER},
    {FLOAT, 2, NORMALIZED_COORDINATES, 1, WRAP},
    {FLOAT, 2, NORMALIZED_COORDINATES, 0, MIRROR},
    {UINT8, 4, 0, 1, CLAMP},
    {UINT8, 1, READ_AS_INTEGER, 0, BORDER},
    {SINT16, 2, NORMALIZED_COORDINATES, 1, BORDER},
    {SINT16, 4, READ_AS_INTEGER | NORMALIZED_COORDINATES, 0, WRAP},
    {UINT32, 1, 0, 0, CLAMP},
};

static void set_case(void *reference, const Case *c, Sampler *sampler)
{
    float border[4] = {0.25f, -3.0f, 0.5f, 1.0f};
    *sampler =
        (Sampler){.modes = {c->mode, c->mode, c->mode}, .filter = c->filter, .flags = c->flags};
    memcpy(sampler->border, border, sizeof border);
    OK(cuTexRefSetAddressMode(reference, 0, c->mode));
    OK(cuTexRefSetAddressMode(reference, 1, c->mode));
    OK(cuTexRefSetFilterMode(reference, c->filter));
    OK(cuTexRefSetFlags(reference, c->flags));
    OK(cuTexRefSetBorderColor(reference, border));
}

static void expect_plane(const Case *c, const Resource *resource)
{
    static const char *const names[] = {"plane_by_name", "plane_by_register", "plane_by_memory"};
    const bool is_normalized = c->flags & NORMALIZED_COORDINATES;
    const float start = is_normalized ? -0.6f : -2.3f, step = is_normalized ? 0.17f : 0.8f;
    Sampler sampler;
    uint64_t object;
    char what[64];
    set_case(reference_of("plane"), c, &sampler);
    OK(cuTexObjectCreate(&object, resource, &sampler, NULL));
    snprintf(what, sizeof what, "resource %d, case %d", resource->kind, (int)(c - cases));
    const Result by_object = result_of("plane_by_object", object, start, step);
    assert_int_not_equal(by_object.words[4 * (POINTS * 5 + 5)], by_object.words[4 * (POINTS * 6 + 8)]);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const Result by_name = result_of(names[i], 0, start, step);
        expect_same(what, &by_name, &by_object);
    }
    const Result gathered = result_of("gather_by_name", 0, start, step);
    const Result expected = result_of("gather_by_object", object, start, step);
    expect_same(what, &gathered, &expected);
    OK(cuTexObjectDestroy(object));
}

static void reads_rows(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case *c = &cases[i];
        const Flat shape = {SIDE, SIDE, c->format, c->channels};
        const Resource resource = {.kind = 3,
                                   .of.memory = {memory, c->format, c->channels, SIDE, SIDE, PITCH}};
        OK(cuTexRefSetAddress2D_v3(reference_of("plane"), &shape, memory, PITCH));
        expect_plane(c, &resource);
    }
    const Flat shape = {SIDE, SIDE, FLOAT, 1};
    Sampler ignored;
    uint32_t word;
    OK(cuTexRefSetAddress2D_v3(reference_of("plane"), &shape, memory, PITCH));
    set_case(reference_of("plane"), &cases[0], &ignored);
    const Result plane = result_of("plane_by_name", 0, -2.3f, 0.8f);
    OK(cuMemcpyDtoH_v2(&word, memory + 2 * PITCH + 4, sizeof word));
    assert_int_equal(plane.words[4 * (POINTS * 6 + 5)], word); /* at {1.7, 2.5} */
    assert_int_equal(cuTexRefSetAddress2D_v3(reference_of("plane"), &shape, memory, PITCH + 4),
                     INVALID_VALUE);
    assert_int_equal(cuTexRefSetAddress2D_v3(reference_of("plane"), &shape, memory + 16, PITCH),
                     INVALID_VALUE);
}

static size_t bytes_of(int format) { return format == UINT8 ? 1 : format == SINT16 ? 2 : 4; }

static void reads_arrays(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case *c = &cases[i];
        const Flat shape = {SIDE, SIDE, c->format, c->channels};
        void *array, *found;
        OK(cuArrayCreate_v2(&array, &shape));
        const Copy copy = {.source = {.memory = 2, .device = memory, .pitch = PITCH},
                           .destination = {.memory = 3, .array = array},
                           .width = SIDE * c->channels * bytes_of(c->format),
                           .height = SIDE};
        OK(cuMemcpy2D_v2(&copy));
        const Resource resource = {.of.array = array};
        OK(cuTexRefSetArray(reference_of("plane"), array, OVERRIDE_FORMAT));
        OK(cuTexRefGetArray(&found, reference_of("plane")));
        assert_ptr_equal(found, array);
        expect_plane(c, &resource);
        OK(cuArrayDestroy(array));
    }
}

/* A launch reads what the reference showed when it was launched. */
static void shows_one_thing_after_the_other(void **state)
{
    (void)state;
    void *reference = reference_of("line");
    size_t offset;
    uint32_t words[BYTES / 4];
    Result result;
    uint64_t second;
    OK(cuMemAlloc_v2(&second, sizeof result));
    OK(cuMemcpyDtoH_v2(words, memory, sizeof words));
    OK(cuTexRefSetFormat(reference, UINT32, 1));
    OK(cuTexRefSetFlags(reference, READ_AS_INTEGER));
    OK(cuTexRefSetAddress_v2(&offset, reference, memory, 64));
    OK(launch("line_by_name", out, 0, 0, 0));
    OK(cuTexRefSetAddress_v2(&offset, reference, memory + 1024, 64));
    OK(launch("line_by_name", second, 0, 0, 0));
    OK(cuMemcpyDtoH_v2(&result, out, sizeof result));
    assert_int_equal(result.words[4 * 5], words[1]);
    OK(cuMemcpyDtoH_v2(&result, second, sizeof result));
    assert_int_equal(result.words[4 * 5], words[256 + 1]);
    OK(cuMemFree_v2(second));
}

/* A graph's kernels read what the reference shows when the graph is launched. */
static void shows_things_to_graphs(void **state)
{
    (void)state;
    void *reference = reference_of("line"), *stream, *graph, *executable;
    size_t offset;
    uint32_t words[BYTES / 4];
    Result result;
    OK(cuMemcpyDtoH_v2(words, memory, sizeof words));
    OK(cuTexRefSetFormat(reference, UINT32, 1));
    OK(cuTexRefSetFlags(reference, READ_AS_INTEGER));
    OK(cuTexRefSetAddress_v2(&offset, reference, memory, 64));
    OK(launch("line_by_name", out, 0, 0, 0));
    OK(cuStreamCreate(&stream, 0));
    OK(cuStreamBeginCapture_v2(stream, 0));
    OK(launch_into(stream, "line_by_name", out, 0, 0, 0));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphInstantiateWithFlags(&executable, graph, 0));
    for (unsigned i = 0; i < 3; i++) {
        OK(cuTexRefSetAddress_v2(&offset, reference, memory + 512 * i, 64));
        OK(cuGraphLaunch(executable, stream));
        OK(cuStreamSynchronize(stream));
        OK(cuMemcpyDtoH_v2(&result, out, sizeof result));
        assert_int_equal(result.words[4 * 5], words[128 * i + 1]);
    }
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy_v2(stream));
}

static void draws_surfaces(void **state)
{
    (void)state;
    const Box shape = {.width = 4, .height = 3, .format = UINT32, .channels = 1, .flags = 2};
    void *array, *found, *reference;
    uint32_t row[4];
    OK(cuArray3DCreate_v2(&array, &shape));
    OK(cuModuleGetSurfRef(&reference, module, "image"));
    assert_int_equal(cuSurfRefGetArray(&found, reference), INVALID_VALUE);
    assert_int_equal(cuTexRefSetArray(reference, array, OVERRIDE_FORMAT), INVALID_VALUE);
    OK(cuSurfRefSetArray(reference, array, 0));
    OK(cuSurfRefGetArray(&found, reference));
    assert_ptr_equal(found, array);
    OK(launch("draw", out, 0, 0, 0));
    OK(cuMemcpyAtoH_v2(row, array, 0, sizeof row));
    for (unsigned x = 0; x < 4; x++)
        assert_int_equal(row[x], x);
    OK(cuTexRefSetArray(reference_of("plane"), array, OVERRIDE_FORMAT));
    OK(cuTexRefSetFilterMode(reference_of("plane"), 0));
    const Result sizes = result_of("sizes", 0, 0, 0);
    const uint32_t expected[4] = {4, 3, 4, 3};
    assert_memory_equal(sizes.words, expected, sizeof expected);
    OK(cuArrayDestroy(array));
}

/* -- answers -- */

static void tells_what_was_set(void **state)
{
    (void)state;
    void *reference, *array;
    int value, channels;
    unsigned flags;
    float least, most;
    uint64_t address;
    OK(cuTexRefCreate(&reference));
    for (int axis = 0; axis < 3; axis++) {
        OK(cuTexRefGetAddressMode(&value, reference, axis));
        assert_int_equal(value, CLAMP);
    }
    OK(cuTexRefGetFilterMode(&value, reference));
    assert_int_equal(value, 0);
    OK(cuTexRefGetFlags(&flags, reference));
    assert_int_equal(flags, 0);
    assert_int_equal(cuTexRefGetAddress_v2(&address, reference), INVALID_VALUE);
    assert_int_equal(cuTexRefGetArray(&array, reference), INVALID_VALUE);
    OK(cuTexRefSetFormat(reference, SINT16, 2));
    OK(cuTexRefGetFormat(&value, &channels, reference));
    assert_int_equal(value, SINT16);
    assert_int_equal(channels, 2);
    OK(cuTexRefSetFlags(reference, 0x33));
    OK(cuTexRefGetFlags(&flags, reference));
    assert_int_equal(flags, 0x33);
    OK(cuTexRefSetMipmapLevelClamp(reference, 1, 2));
    OK(cuTexRefGetMipmapLevelClamp(&least, &most, reference));
    assert_true(least == 1 && most == 2);
    OK(cuTexRefSetMaxAnisotropy(reference, 4));
    OK(cuTexRefGetMaxAnisotropy(&value, reference));
    assert_int_equal(value, 4);
    OK(cuTexRefDestroy(reference));
    assert_int_equal(cuTexRefDestroy(reference), INVALID_VALUE);
}

static void refuses_what_is_wrong(void **state)
{
    (void)state;
    void *reference = reference_of("plane"), *again, *function;
    assert_ptr_equal(reference, reference_of("plane"));
    assert_int_equal(cuModuleGetTexRef(&again, module, "nothing"), NOT_FOUND);
    assert_int_equal(cuModuleGetTexRef(&again, module, "image"), NOT_FOUND);
    assert_int_equal(cuModuleGetSurfRef(&again, module, "plane"), NOT_FOUND);
    assert_int_equal(cuTexRefDestroy(reference), INVALID_VALUE);
    assert_int_equal(cuTexRefSetAddressMode(reference, 3, CLAMP), INVALID_VALUE);
    assert_int_equal(cuTexRefSetAddressMode(reference, 0, 4), INVALID_VALUE);
    assert_int_equal(cuTexRefSetFilterMode(reference, 2), INVALID_VALUE);
    assert_int_equal(cuTexRefSetFlags(reference, 0x100), INVALID_VALUE);
    assert_int_equal(cuTexRefSetFormat(reference, FLOAT, 3), INVALID_VALUE);
    assert_int_equal(cuTexRefSetArray(reference, reference, OVERRIDE_FORMAT), INVALID_HANDLE);
    OK(cuModuleGetFunction(&function, module, "draw"));
    OK(cuParamSetTexRef(function, -1, reference));
    assert_int_equal(cuParamSetTexRef(function, 0, reference), INVALID_VALUE);
    assert_int_equal(cuTexRefSetFlags(module, 0), INVALID_VALUE);
}

/* Runs last, as the context fails with the kernel. */
static void refuses_what_is_unbound(void **state)
{
    (void)state;
    void *reference = reference_of("plane");
    OK(launch("broken", out, 0, 0, 0));
    assert_int_equal(cuCtxSynchronize(), ILLEGAL_ADDRESS);
    OK(cuCtxDestroy_v2(context));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuModuleUnload(module));
    assert_int_equal(cuTexRefSetFlags(reference, 0), INVALID_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_lines),
        cmocka_unit_test(tells_the_offset),
        cmocka_unit_test(reads_rows),
        cmocka_unit_test(reads_arrays),
        cmocka_unit_test(shows_one_thing_after_the_other),
        cmocka_unit_test(shows_things_to_graphs),
        cmocka_unit_test(draws_surfaces),
        cmocka_unit_test(tells_what_was_set),
        cmocka_unit_test(refuses_what_is_wrong),
        cmocka_unit_test(refuses_what_is_unbound),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}

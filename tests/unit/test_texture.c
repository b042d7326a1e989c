/* Textures and surfaces give what an H200 gave, bit for bit, in functional and in cycle mode: the cases of
 * tests/device/texture/cases.h against the file that texture.cu recorded. Then what recordings cannot
 * show. */
#include "run_ptx.h"

#include <math.h>
#include <zstd.h>

#include "../device/texture/cases.h"

enum { MOST_SHOWN = 20, KERNELS_AT_ONCE = 64, BLOCK = 32, LANE_POINTS = 256 };

/* -- the recording -- */

static uint8_t *read_recording(size_t *size)
{
    FILE *in = fopen(SOURCE_DIRECTORY "/tests/device/texture/h200-texture.bin.zst", "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    const size_t packed_size = (size_t)ftell(in);
    rewind(in);
    uint8_t *packed = malloc(packed_size);
    assert_int_equal(fread(packed, 1, packed_size, in), packed_size);
    fclose(in);
    *size = (size_t)ZSTD_getFrameContentSize(packed, packed_size);
    uint8_t *plain = malloc(*size);
    assert_int_equal(ZSTD_decompress(plain, *size, packed, packed_size), *size);
    free(packed);
    return plain;
}

/* -- a case on the simulator -- */

typedef struct Rig {
    WbGpu *gpu;
    Cases cases;
    uint64_t texels, points, results, values;
} Rig;

static void rig_open(Rig *rig, const char *mode)
{
    char error[1024];
    uint32_t words[POINTS * RESULT_WORDS];
    memset(rig, 0, sizeof *rig);
    if (wb_gpu_open("h200", &rig->gpu, error, sizeof error))
        fail_msg("%s", error);
    assert_int_equal(wb_gpu_set(rig->gpu, "mode", mode), WB_OK);
    cases_list(&rig->cases);
    for (int n = 0; n < POINTS * RESULT_WORDS; n++)
        words[n] = write_word(n / RESULT_WORDS, n % RESULT_WORDS);
    assert_int_equal(wb_malloc(rig->gpu, 1 << 16, &rig->texels), WB_OK);
    assert_int_equal(wb_malloc(rig->gpu, POINTS * sizeof(Point), &rig->points), WB_OK);
    assert_int_equal(wb_malloc(rig->gpu, sizeof words, &rig->results), WB_OK);
    assert_int_equal(wb_malloc(rig->gpu, sizeof words, &rig->values), WB_OK);
    assert_int_equal(wb_copy_to_device(rig->gpu, rig->values, words, sizeof words), WB_OK);
}

static WbModule *rig_load(Rig *rig, int first, int count)
{
    char *text = malloc((size_t)(count + 1) * TEXT_BYTES);
    int length = sprintf(text, ".version 7.8\n.target sm_75\n.address_size 64\n");
    for (int n = first; n < first + count; n++)
        length += case_kernel(&rig->cases.list[n], n, text + length);
    WbModule *module = NULL;
    if (wb_module_load(rig->gpu, "cases.ptx", text, (size_t)length, &module))
        fail_msg("%s", wb_error(rig->gpu));
    free(text);
    return module;
}

static uint64_t rig_object(Rig *rig, const Case *c)
{
    const Extent extent = shape_extent(c->shape);
    const size_t row = (size_t)extent.width * case_element_bytes(c);
    WbTexture texture = {
        .shape = c->shape == SHAPE_PITCH ? WB_TEXTURE_2D : (WbTextureShape)c->shape,
        .address = rig->texels,
        .width = (size_t)extent.width,
        .height = (size_t)extent.height,
        .depth = (size_t)extent.depth,
        .row_pitch = row,
        .slice_pitch = row * (size_t)extent.height,
        .channel = (WbChannel)c->kind,
        .channels = (uint32_t)c->channels,
        .channel_bits = (uint32_t)c->bits,
        .linear = c->linear,
        .normalized_coordinates = c->normalized_places,
        .normalized_values = c->normalized_values,
        .srgb = c->srgb,
    };
    for (int axis = 0; axis < 3; axis++)
        texture.addressing[axis] = (WbAddressing)c->address;
    memcpy(texture.border, case_border, sizeof texture.border);
    uint64_t handle;
    if (case_is_surface(c) ? wb_surface_create(rig->gpu, &texture, &handle)
                           : wb_texture_create(rig->gpu, &texture, &handle))
        fail_msg("%s", wb_error(rig->gpu));
    return handle;
}

static void rig_fill(Rig *rig, const Case *c)
{
    static uint8_t texels[1 << 16];
    Point points[POINTS];
    memset(texels, 0, sizeof texels);
    if (c->action != ACTION_SURFACE_WRITE)
        case_fill(c, texels);
    for (int n = 0; n < POINTS; n++)
        points[n] = case_point(c, n);
    assert_int_equal(wb_copy_to_device(rig->gpu, rig->texels, texels, sizeof texels), WB_OK);
    assert_int_equal(wb_copy_to_device(rig->gpu, rig->points, points, sizeof points), WB_OK);
}

static void rig_run(Rig *rig, WbModule *module, int number, uint8_t *result)
{
    const Case *c = &rig->cases.list[number];
    char name[32];
    WbKernel *kernel;
    rig_fill(rig, c);
    uint64_t object = rig_object(rig, c);
    const WbArgument arguments[] = {WB_ARG(object), WB_ARG(rig->points), WB_ARG(rig->results),
                                    WB_ARG(rig->values)};
    const bool writes = c->action == ACTION_SURFACE_WRITE;
    const WbLaunch launch = {
        .grid = {1, 1, 1}, .block = {writes ? 1 : BLOCK, 1, 1}, .arguments = arguments, .argument_count = 4};
    snprintf(name, sizeof name, "case_%d", number);
    if (wb_module_kernel(module, name, &kernel) || wb_launch(kernel, &launch) || wb_wait(rig->gpu))
        fail_msg("%s", wb_error(rig->gpu));
    assert_int_equal(
        wb_copy_from_device(rig->gpu, result, writes ? rig->texels : rig->results, case_result_bytes(c)),
        WB_OK);
    assert_int_equal(wb_texture_destroy(rig->gpu, object), WB_OK);
}

/* -- comparing -- */

static void describe(const Case *c, const uint8_t *expected, const uint8_t *result)
{
    const size_t bytes = case_result_bytes(c);
    size_t at = 0;
    while (expected[at] == result[at])
        at++;
    at -= at % 4;
    uint32_t wanted, got;
    memcpy(&wanted, expected + at, bytes - at < 4 ? bytes - at : 4);
    memcpy(&got, result + at, bytes - at < 4 ? bytes - at : 4);
    const Point p = case_point(c, (int)(at / 16) % POINTS);
    print_error("%s: shape %d, kind %d, %d x %d bits, address %d, linear %d, normalized %d and %d, sRGB %d: "
                "byte %zu: GPU 0x%08x, Warpbeam 0x%08x; point (%g, %g, %g) (%d, %d, %d) layer %d\n",
                c->instruction, c->shape, c->kind, c->channels, c->bits, c->address, c->linear,
                c->normalized_places, c->normalized_values, c->srgb, at, wanted, got, p.x, p.y, p.z, p.i, p.j,
                p.k, p.layer);
}

static void compare_all(const char *mode)
{
    static Rig rig;
    size_t size, at = 0;
    uint8_t *recording = read_recording(&size);
    static uint8_t result[1 << 16];
    int failed = 0;
    rig_open(&rig, mode);
    for (int first = 0; first < rig.cases.count; first += KERNELS_AT_ONCE) {
        const int left = rig.cases.count - first, count = left < KERNELS_AT_ONCE ? left : KERNELS_AT_ONCE;
        WbModule *module = rig_load(&rig, first, count);
        for (int n = first; n < first + count; n++) {
            const size_t bytes = case_result_bytes(&rig.cases.list[n]);
            assert_true(at + bytes <= size);
            rig_run(&rig, module, n, result);
            if (memcmp(result, recording + at, bytes) && failed++ < MOST_SHOWN)
                describe(&rig.cases.list[n], recording + at, result);
            at += bytes;
        }
        wb_module_unload(module);
    }
    assert_int_equal(at, size);
    wb_gpu_close(rig.gpu);
    free(recording);
    if (failed)
        fail_msg("%d of %d cases differ from the recording", failed, rig.cases.count);
}

static void test_functional(void **state)
{
    (void)state;
    compare_all("functional");
}

static void test_cycle(void **state)
{
    (void)state;
    compare_all("cycle");
}

/* -- what recordings cannot show -- */

static const char *const image_kernel = ".version 7.8\n.target sm_75\n.address_size 64\n"
                                        ".global .texref tex, many[2];\n.global .surfref surface;\n"
                                        ".global .samplerref sampler;\n.global .u64 word;\n.visible .entry "
                                        "k(.param .u64 object, .param .u64 out)\n{\n"
                                        ".reg .b64 %%object, %%out; .reg .b32 %%r<8>; .reg .f32 %%f<8>;\n"
                                        "ld.param.u64 %%object, [object]; ld.param.u64 %%out, [out]; mov.u32 "
                                        "%%r0, %%tid.x; cvt.rn.f32.u32 %%f0, %%r0;\n"
                                        "mov.u32 %%r1, 0; %s\nst.global.u32 [%%out], %%r1;\nret;\n}\n";

static WbTexture plane(uint64_t address)
{
    return (WbTexture){.shape = WB_TEXTURE_2D,
                       .address = address,
                       .width = 8,
                       .height = 8,
                       .row_pitch = 32,
                       .channel = WB_CHANNEL_FLOAT,
                       .channels = 1,
                       .channel_bits = 32};
}

/* Runs one instruction with a handle; returns the status, and the sentence through wb_error(). */
static WbStatus run_image(WbGpu *gpu, const char *instruction, uint64_t object, uint32_t threads)
{
    char text[2048];
    WbModule *module;
    WbKernel *kernel;
    uint64_t out;
    snprintf(text, sizeof text, image_kernel, instruction);
    WbStatus status = wb_module_load(gpu, "image.ptx", text, strlen(text), &module);
    assert_int_equal(status, WB_OK);
    assert_int_equal(wb_malloc(gpu, 256, &out), WB_OK);
    const WbArgument arguments[] = {WB_ARG(object), WB_ARG(out)};
    const WbLaunch launch = {
        .grid = {1, 1, 1}, .block = {threads, 1, 1}, .arguments = arguments, .argument_count = 2};
    status = wb_module_kernel(module, "k", &kernel);
    if (status == WB_OK)
        status = wb_launch(kernel, &launch);
    if (status == WB_OK)
        status = wb_wait(gpu);
    return status;
}

static void expect_refusal(const char *mode, const char *instruction, uint64_t handle, bool is_object,
                           const char *words)
{
    WbGpu *gpu;
    uint64_t memory, texture, surface;
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    assert_int_equal(wb_gpu_set(gpu, "mode", mode), WB_OK);
    assert_int_equal(wb_malloc(gpu, 256, &memory), WB_OK);
    const WbTexture description = plane(memory);
    assert_int_equal(wb_texture_create(gpu, &description, &texture), WB_OK);
    assert_int_equal(wb_surface_create(gpu, &description, &surface), WB_OK);
    const uint64_t object = is_object ? handle ? surface : texture : handle;
    assert_int_not_equal(run_image(gpu, instruction, object, 32), WB_OK);
    if (!strstr(wb_error(gpu), words))
        fail_msg("'%s' is not in: %s", words, wb_error(gpu));
    wb_gpu_close(gpu);
}

static void test_refusals(void **state)
{
    static const char *const modes[] = {"functional", "cycle"};
    (void)state;
    for (int m = 0; m < 2; m++) {
        expect_refusal(modes[m], "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%object, {%f0,%f0}];", 12345, false,
                       "is no texture object");
        expect_refusal(modes[m], "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%object, {%f0,%f0}];", 1, true,
                       "does not take the surface object");
        expect_refusal(modes[m], "tex.3d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%object, {%f0,%f0,%f0,%f0}];", 0,
                       true, "is 2D, but the instruction reads 3D");
        expect_refusal(modes[m], "suld.b.2d.b32.trap {%r1}, [%object, {%r0,%r0}];", 0, true,
                       "does not take the texture object");
        expect_refusal(modes[m], "suld.b.2d.b32.trap {%r1}, [%object, {32,%r1}];", 1, true,
                       "4 bytes at {32, 0} are outside of the surface");
        expect_refusal(modes[m], "sust.b.2d.b32.trap [%object, {0,8}], {%r1};", 1, true,
                       "outside of the surface");
        expect_refusal(modes[m], "suld.b.2d.b32.clamp {%r1}, [%object, {2,0}];", 1, true, "misaligned");
        expect_refusal(modes[m], "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tex, {%f0,%f0}];", 0, true,
                       "the texture reference 'tex' shows nothing");
        expect_refusal(modes[m], "suld.b.2d.b32.trap {%r1}, [surface, {%r0,%r0}];", 0, true,
                       "the surface reference 'surface' shows nothing");
        expect_refusal(modes[m], "suld.b.2d.b32.trap {%r1}, [tex, {%r0,%r0}];", 0, true,
                       "does not take the texture reference 'tex'");
    }
}

static void test_unsupported(void **state)
{
    (void)state;
    expect_refusal("functional", "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%object, {%f0}];", 0, true,
                   "has fewer coordinates than its shape");
    expect_refusal("functional", "tex.2d.v4.f32.f32 {%f1,%f2}, [%object, {%f0,%f0}];", 0, true,
                   "not as many registers");
    expect_refusal("functional", "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%object, %object, {%f0,%f0}];", 0,
                   true, "sampler");
    expect_refusal("functional", "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tex, sampler, {%f0,%f0}];", 0, true,
                   "sampler");
    expect_refusal("functional", "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [sampler, {%f0,%f0}];", 0, true,
                   "'sampler', a sampler of its own");
    expect_refusal("functional", "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [many, {%f0,%f0}];", 0, true,
                   "'many', an array of texture or surface references");
    expect_refusal("functional", "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [word, {%f0,%f0}];", 0, true,
                   "'word' as a texture or surface");
}

static WbStatus launch_reference(WbModule *module, uint64_t out)
{
    WbKernel *kernel;
    const uint64_t none = 0;
    const WbArgument arguments[] = {WB_ARG(none), WB_ARG(out)};
    const WbLaunch launch = {
        .grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = arguments, .argument_count = 2};
    assert_int_equal(wb_module_kernel(module, "k", &kernel), WB_OK);
    return wb_launch(kernel, &launch);
}

/* One that another text defines. */
static void test_linked_references(void **state)
{
    static const char header[] = ".version 7.8\n.target sm_75\n.address_size 64\n";
    char definition[256], use[1024];
    WbGpu *gpu;
    WbModule *module;
    uint64_t memory, tex;
    uint32_t found;
    (void)state;
    snprintf(definition, sizeof definition, "%s.visible .global .texref tex;\n", header);
    snprintf(use, sizeof use,
             "%s.extern .global .texref tex;\n.visible .entry k(.param .u64 none, .param .u64 out)\n{\n"
             ".reg .b64 %%d0; .reg .b32 %%r<5>;\nld.param.u64 %%d0, [out]; mov.u32 %%r4, 0;\n"
             "tex.2d.v4.u32.s32 {%%r0,%%r1,%%r2,%%r3}, [tex, {%%r4,%%r4}]; st.global.u32 [%%d0], %%r0;\n}\n",
             header);
    const WbSource sources[] = {{"use.ptx", use, strlen(use)},
                                {"definition.ptx", definition, strlen(definition)}};
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    assert_int_equal(wb_malloc(gpu, 512, &memory), WB_OK);
    assert_int_equal(wb_set_device(gpu, memory, 0x11, 256), WB_OK);
    assert_int_equal(wb_module_link(gpu, sources, 2, &module), WB_OK);
    assert_int_equal(wb_module_reference(module, "tex", false, &tex), WB_OK);
    const WbTexture shown = plane(memory);
    assert_int_equal(wb_reference_bind(gpu, tex, &shown), WB_OK);
    assert_int_equal(launch_reference(module, memory + 256), WB_OK);
    assert_int_equal(wb_copy_from_device(gpu, &found, memory + 256, sizeof found), WB_OK);
    assert_int_equal(found, 0x11111111);
    wb_gpu_close(gpu);
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    assert_int_equal(wb_module_load(gpu, "use.ptx", use, strlen(use), &module), WB_OK);
    assert_int_equal(launch_reference(module, 0), WB_ERROR_NOT_FOUND);
    assert_non_null(strstr(wb_error(gpu), "'tex', which is declared .extern but defined nowhere"));
    wb_gpu_close(gpu);
}

/* A reference is its module's; what it shows changes between launches, not under them. */
static void test_references(void **state)
{
    static const char *const instruction =
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tex, {%f0,%f0}]; mov.b32 %r1, %f1;";
    char text[2048];
    WbGpu *gpu;
    WbModule *module;
    uint64_t memory, tex, surface, ignored;
    uint32_t found;
    (void)state;
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    assert_int_equal(wb_malloc(gpu, 512, &memory), WB_OK);
    assert_int_equal(wb_set_device(gpu, memory, 0x3f, 256), WB_OK);
    assert_int_equal(wb_set_device(gpu, memory + 256, 0, 256), WB_OK);
    snprintf(text, sizeof text, image_kernel, instruction);
    assert_int_equal(wb_module_load(gpu, "image.ptx", text, strlen(text), &module), WB_OK);
    assert_int_equal(wb_module_reference(module, "tex", false, &tex), WB_OK);
    assert_int_equal(wb_module_reference(module, "surface", true, &surface), WB_OK);
    assert_int_equal(wb_module_reference(module, "text", false, &ignored), WB_ERROR_NOT_FOUND);
    assert_non_null(strstr(wb_error(gpu), "no texture reference 'text'"));
    assert_int_equal(wb_module_symbol(module, "tex", &ignored, NULL), WB_ERROR_NOT_FOUND);
    assert_int_equal(wb_texture_destroy(gpu, tex), WB_ERROR_NOT_FOUND);
    const WbTexture first = plane(memory), second = plane(memory + 256), outside = plane(memory + 512);
    assert_int_equal(wb_reference_bind(gpu, surface, &first), WB_OK);
    assert_int_equal(wb_reference_bind(gpu, tex, &outside), WB_ERROR_ARGUMENT);
    assert_int_equal(wb_reference_bind(gpu, tex, &first), WB_OK);
    assert_int_equal(launch_reference(module, memory + 508), WB_OK);
    assert_int_equal(wb_reference_bind(gpu, tex, &second), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(wb_error(gpu), "wait"));
    assert_int_equal(wb_wait(gpu), WB_OK);
    assert_int_equal(wb_copy_from_device(gpu, &found, memory + 508, sizeof found), WB_OK);
    assert_int_equal(found, 0x3f3f3f3f);
    assert_int_equal(wb_reference_bind(gpu, tex, &second), WB_OK);
    assert_int_equal(launch_reference(module, memory + 508), WB_OK);
    assert_int_equal(wb_copy_from_device(gpu, &found, memory + 508, sizeof found), WB_OK);
    assert_int_equal(found, 0);
    assert_int_equal(wb_reference_bind(gpu, tex, NULL), WB_OK);
    wb_module_unload(module);
    assert_int_equal(wb_reference_bind(gpu, tex, &first), WB_ERROR_NOT_FOUND);
    wb_gpu_close(gpu);
}

static void expect_bad_description(WbGpu *gpu, WbTexture texture, bool is_surface, const char *words)
{
    uint64_t handle;
    const WbStatus status =
        is_surface ? wb_surface_create(gpu, &texture, &handle) : wb_texture_create(gpu, &texture, &handle);
    assert_int_equal(status, WB_ERROR_ARGUMENT);
    if (!strstr(wb_error(gpu), words))
        fail_msg("'%s' is not in: %s", words, wb_error(gpu));
}

static void test_descriptions(void **state)
{
    WbGpu *gpu;
    uint64_t memory, handle;
    (void)state;
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    assert_int_equal(wb_malloc(gpu, 256, &memory), WB_OK);
    WbTexture bad = plane(memory);
    bad.height = 9;
    expect_bad_description(gpu, bad, false, "not in one allocation");
    bad = plane(memory + 2);
    bad.height = 2;
    expect_bad_description(gpu, bad, true, "must be multiples");
    bad = plane(memory);
    bad.channels = 3;
    expect_bad_description(gpu, bad, false, "3 channels");
    bad = plane(memory);
    bad.channel = WB_CHANNEL_SIGNED;
    bad.linear = true;
    expect_bad_description(gpu, bad, false, "linear filter");
    bad = plane(memory);
    bad.shape = WB_TEXTURE_CUBE;
    expect_bad_description(gpu, bad, false, "square faces");
    bad = plane(memory);
    bad.width = SIZE_MAX / 2;
    expect_bad_description(gpu, bad, false, "more bytes");
    assert_int_equal(wb_texture_destroy(gpu, memory), WB_ERROR_NOT_FOUND);
    const WbTexture good = plane(memory);
    assert_int_equal(wb_texture_create(gpu, &good, &handle), WB_OK);
    assert_int_equal(wb_texture_destroy(gpu, handle), WB_OK);
    assert_int_equal(wb_texture_destroy(gpu, handle), WB_ERROR_NOT_FOUND);
    wb_gpu_close(gpu);
}

/* A texture that is destroyed behind a launch is there for that launch, and for none after it. */
static void test_destroyed(void **state)
{
    static const char *const instruction = "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%object, {%f0,%f0}];";
    char text[2048];
    WbGpu *gpu;
    WbModule *module;
    WbKernel *kernel;
    uint64_t memory, texture;
    (void)state;
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    assert_int_equal(wb_malloc(gpu, 256, &memory), WB_OK);
    const WbTexture description = plane(memory);
    assert_int_equal(wb_texture_create(gpu, &description, &texture), WB_OK);
    snprintf(text, sizeof text, image_kernel, instruction);
    assert_int_equal(wb_module_load(gpu, "image.ptx", text, strlen(text), &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "k", &kernel), WB_OK);
    const WbArgument arguments[] = {WB_ARG(texture), WB_ARG(memory)};
    const WbLaunch launch = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .arguments = arguments, .argument_count = 2};
    assert_int_equal(wb_launch(kernel, &launch), WB_OK);
    assert_int_equal(wb_texture_destroy(gpu, texture), WB_OK);
    assert_int_equal(wb_wait(gpu), WB_OK);
    assert_int_equal(wb_texture_create(gpu, &description, &memory), WB_OK);
    WbStatus status = wb_launch(kernel, &launch);
    status = status == WB_OK ? wb_wait(gpu) : status;
    assert_int_equal(status, WB_ERROR_ADDRESS);
    wb_gpu_close(gpu);
}

/* Cycles of a kernel that reads a texture of 8 x 8 floats, the same for every number of threads. */
static uint64_t cycles_of(const char *threads, const char *latency, uint64_t *lines)
{
    WbGpu *gpu;
    uint64_t memory, texture;
    WbRecord record;
    WbStat stat;
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    assert_int_equal(wb_gpu_set(gpu, "mode", "cycle"), WB_OK);
    assert_int_equal(wb_gpu_set(gpu, "threads", threads), WB_OK);
    assert_int_equal(wb_gpu_set(gpu, "texture_latency", latency), WB_OK);
    assert_int_equal(wb_malloc(gpu, 256, &memory), WB_OK);
    WbTexture description = plane(memory);
    description.linear = true;
    assert_int_equal(wb_texture_create(gpu, &description, &texture), WB_OK);
    assert_int_equal(run_image(gpu,
                               "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%object, {%f0,%f0}];\n"
                               "add.f32 %f0, %f1, %f0; mov.b32 %r1, %f0;",
                               texture, 1024),
                     WB_OK);
    assert_int_equal(wb_record_at(gpu, 0, &record), WB_OK);
    assert_int_equal(wb_stat_find(gpu, "lsu.texture_lines", &stat), WB_OK);
    *lines = stat.value;
    assert_int_equal(wb_stat_find(gpu, "texture_accesses", &stat), WB_OK);
    assert_int_equal(stat.value, 32);
    wb_gpu_close(gpu);
    return record.cycles;
}

/* -- lanes that read several objects -- */

/* Coordinates of all kinds: inside, on edges, outside, far out, none. */
static float odd_coordinate(uint32_t number)
{
    static const float odd[] = {0,    -0.0f, 1,     0.5f,     1e-40f,    -1e-3f,
                                3e6f, -3e6f, 1e30f, INFINITY, -INFINITY, NAN};
    const uint32_t mixed = number * 2654435761u;
    if (mixed >> 28 == 0)
        return odd[(mixed >> 8) % (sizeof odd / sizeof *odd)];
    return ((float)(mixed >> 8 & 0xffff) / 16384 - 1) * (mixed >> 27 & 1 ? 1 : 40);
}

/* A GPU with a kernel whose even lanes read one texture and the odd ones another, at `points`. */
typedef struct Lanes {
    WbGpu *gpu;
    WbKernel *kernel;
    float points[2 * LANE_POINTS];
    uint64_t image, at, results;
} Lanes;

enum { LANES_WIDTH = 13, LANES_HEIGHT = 7 };

static void lanes_open(Lanes *lanes)
{
    static const char text[] =
        ".version 7.8\n.target sm_75\n.address_size 64\n"
        ".visible .entry k(.param .u64 even, .param .u64 odd, .param .u64 points, .param .u64 out)\n{\n"
        ".reg .b64 %e, %o, %p, %r, %i; .reg .b32 %t, %b, %d<4>; .reg .f32 %x, %y; .reg .pred %q;\n"
        "ld.param.u64 %e, [even]; ld.param.u64 %o, [odd]; ld.param.u64 %p, [points]; ld.param.u64 %r, "
        "[out];\n"
        "mov.u32 %t, %tid.x; and.b32 %b, %t, 1; setp.ne.u32 %q, %b, 0; selp.b64 %e, %o, %e, %q;\n"
        "mul.wide.u32 %i, %t, 8; add.u64 %p, %p, %i; ld.global.v2.f32 {%x, %y}, [%p];\n"
        "tex.2d.v4.s32.f32 {%d0, %d1, %d2, %d3}, [%e, {%x, %y}];\n"
        "mul.wide.u32 %i, %t, 16; add.u64 %r, %r, %i; st.global.v4.u32 [%r], {%d0, %d1, %d2, "
        "%d3};\nret;\n}\n";
    uint8_t texels[LANES_WIDTH * LANES_HEIGHT * 16];
    WbModule *module;
    char error[1024];
    assert_int_equal(wb_gpu_open("h200", &lanes->gpu, error, sizeof error), WB_OK);
    WbGpu *gpu = lanes->gpu;
    assert_int_equal(wb_gpu_set(gpu, "mode", "functional"), WB_OK);
    assert_int_equal(wb_module_load(gpu, "lanes.ptx", text, sizeof text - 1, &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "k", &lanes->kernel), WB_OK);
    for (uint32_t i = 0; i < 2 * LANE_POINTS; i++)
        lanes->points[i] = odd_coordinate(i);
    for (uint32_t i = 0; i < sizeof texels; i++)
        texels[i] = (uint8_t)(i * 2654435761u >> 13);
    assert_int_equal(wb_malloc(gpu, sizeof texels, &lanes->image), WB_OK);
    assert_int_equal(wb_malloc(gpu, sizeof lanes->points, &lanes->at), WB_OK);
    assert_int_equal(wb_malloc(gpu, LANE_POINTS * 16, &lanes->results), WB_OK);
    assert_int_equal(wb_copy_to_device(gpu, lanes->image, texels, sizeof texels), WB_OK);
    assert_int_equal(wb_copy_to_device(gpu, lanes->at, lanes->points, sizeof lanes->points), WB_OK);
}

static void lanes_run(Lanes *lanes, uint64_t even, uint64_t odd, uint32_t *to)
{
    const WbArgument arguments[] = {WB_ARG(even), WB_ARG(odd), WB_ARG(lanes->at), WB_ARG(lanes->results)};
    const WbLaunch launch = {
        .grid = {1, 1, 1}, .block = {LANE_POINTS, 1, 1}, .arguments = arguments, .argument_count = 4};
    if (wb_launch(lanes->kernel, &launch) || wb_wait(lanes->gpu))
        fail_msg("%s", wb_error(lanes->gpu));
    assert_int_equal(wb_copy_from_device(lanes->gpu, to, lanes->results, LANE_POINTS * 16), WB_OK);
}

static void lanes_compare(Lanes *lanes, const WbTexture *texture)
{
    uint64_t one, other;
    uint32_t together[4 * LANE_POINTS], apart[4 * LANE_POINTS];
    assert_int_equal(wb_texture_create(lanes->gpu, texture, &one), WB_OK);
    assert_int_equal(wb_texture_create(lanes->gpu, texture, &other), WB_OK);
    lanes_run(lanes, one, one, together);
    lanes_run(lanes, one, other, apart);
    for (uint32_t i = 0; i < 4 * LANE_POINTS; i++)
        if (together[i] != apart[i])
            fail_msg("%u x %u bits, addressing %d, linear %d, point (%g, %g), channel %u: 0x%08x with one "
                     "object, 0x%08x with two",
                     texture->channels, texture->channel_bits, texture->addressing[0], texture->linear,
                     lanes->points[i / 4 * 2], lanes->points[i / 4 * 2 + 1], i % 4, together[i], apart[i]);
}

/* A warp whose lanes read one object goes another way than one whose lanes read two (row.c, value.c); two
 * objects that are the same texture must give the same bits. */
static void test_several_objects(void **state)
{
    (void)state;
    static const struct {
        WbChannel channel;
        uint32_t channels, bits;
        bool normalized, srgb;
    } formats[] = {{WB_CHANNEL_FLOAT, 4, 32, false, false},  {WB_CHANNEL_FLOAT, 2, 16, false, false},
                   {WB_CHANNEL_UNSIGNED, 4, 8, true, false}, {WB_CHANNEL_UNSIGNED, 4, 8, true, true},
                   {WB_CHANNEL_SIGNED, 2, 16, true, false},  {WB_CHANNEL_SIGNED, 1, 8, true, false},
                   {WB_CHANNEL_SIGNED, 4, 16, false, false}, {WB_CHANNEL_UNSIGNED, 1, 32, false, false}};
    static Lanes lanes;
    lanes_open(&lanes);
    for (uint32_t n = 0; n < 16 * sizeof formats / sizeof *formats; n++) {
        const uint32_t format = n / 16, bytes = formats[format].channels * formats[format].bits / 8;
        const bool can_filter = formats[format].normalized || formats[format].channel == WB_CHANNEL_FLOAT;
        const WbAddressing addressing = (WbAddressing)(n & 3);
        const WbTexture texture = {.shape = WB_TEXTURE_2D,
                                   .address = lanes.image,
                                   .width = LANES_WIDTH,
                                   .height = LANES_HEIGHT,
                                   .depth = 1,
                                   .row_pitch = LANES_WIDTH * bytes,
                                   .slice_pitch = LANES_WIDTH * LANES_HEIGHT * bytes,
                                   .channel = formats[format].channel,
                                   .channels = formats[format].channels,
                                   .channel_bits = formats[format].bits,
                                   .addressing = {addressing, addressing, addressing},
                                   .linear = n >> 2 & 1 && can_filter,
                                   .normalized_coordinates = n >> 3 & 1,
                                   .normalized_values = formats[format].normalized,
                                   .srgb = formats[format].srgb,
                                   .border = {0.25f, -0.5f, 3, 1e-3f}};
        lanes_compare(&lanes, &texture);
    }
    wb_gpu_close(lanes.gpu);
}

static void test_time(void **state)
{
    uint64_t lines, other;
    (void)state;
    const uint64_t cycles = cycles_of("1", "80", &lines);
    assert_int_equal(cycles_of("3", "80", &other), cycles);
    assert_int_equal(other, lines);
    assert_int_equal(lines,
                     2 + 31); /* both lines for the first warp; the others are clamped to the last texel */
    /* The last warp may find the address unit busy for a cycle more or less. */
    assert_in_range(cycles_of("1", "580", &other), cycles + 499, cycles + 501);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functional),      cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_refusals),        cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_descriptions),    cmocka_unit_test(test_destroyed),
        cmocka_unit_test(test_references),      cmocka_unit_test(test_linked_references),
        cmocka_unit_test(test_several_objects), cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

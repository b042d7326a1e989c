/* Kernels of the device runtime's own, in PTX: what copies and memsets of kernels launch. A thread takes the
 * units of its column in the rows and slices of its block; a unit has 2^shift bytes. Parameters are those of
 * exec/intrinsic/copy.c. */
#include "api/gpu.h"

#include <string.h>

#define BEGIN                                                                                                \
    "    .reg .pred %p, %is_byte, %is_word, %is_vector;\n"                                                   \
    "    .reg .b32 %r<6>, %v<4>, %shift;\n"                                                                  \
    "    .reg .b64 %x, %y, %z, %first, %bytes, %width, %height, %depth, %x_step, %y_step, %z_step;\n"        \
    "    .reg .b64 %to<3>, %to_row, %to_slice, %from<3>, %from_row, %from_slice;\n"                          \
    "    ld.param.u64 %width, [width];\n"                                                                    \
    "    ld.param.u64 %height, [height];\n"                                                                  \
    "    ld.param.u64 %depth, [depth];\n"                                                                    \
    "    ld.param.u32 %shift, [shift];\n"                                                                    \
    "    setp.eq.u32 %is_byte, %shift, 0;\n"                                                                 \
    "    setp.eq.u32 %is_word, %shift, 2;\n"                                                                 \
    "    setp.eq.u32 %is_vector, %shift, 4;\n"                                                               \
    "    mov.u32 %r0, %ctaid.x;\n"                                                                           \
    "    mov.u32 %r1, %ntid.x;\n"                                                                            \
    "    mov.u32 %r2, %tid.x;\n"                                                                             \
    "    mov.u32 %r3, %nctaid.x;\n"                                                                          \
    "    mov.u32 %r4, %nctaid.y;\n"                                                                          \
    "    mov.u32 %r5, %nctaid.z;\n"                                                                          \
    "    cvt.u64.u32 %first, %r2;\n"                                                                         \
    "    mad.wide.u32 %first, %r0, %r1, %first;\n"                                                           \
    "    mul.wide.u32 %x_step, %r1, %r3;\n"                                                                  \
    "    cvt.u64.u32 %y_step, %r4;\n"                                                                        \
    "    cvt.u64.u32 %z_step, %r5;\n"                                                                        \
    "    ld.param.u64 %to0, [to];\n"                                                                         \
    "    ld.param.u64 %to_row, [to_row];\n"                                                                  \
    "    ld.param.u64 %to_slice, [to_slice];\n"
#define ROWS                                                                                                 \
    "    mov.u32 %r0, %ctaid.z;\n"                                                                           \
    "    cvt.u64.u32 %z, %r0;\n"                                                                             \
    "SLICE:\n"                                                                                               \
    "    mov.u32 %r0, %ctaid.y;\n"                                                                           \
    "    cvt.u64.u32 %y, %r0;\n"                                                                             \
    "ROW:\n"                                                                                                 \
    "    mov.u64 %x, %first;\n"                                                                              \
    "    setp.ge.u64 %p, %x, %width;\n"                                                                      \
    "    @%p bra NEXT_ROW;\n"                                                                                \
    "    mad.lo.u64 %to1, %z, %to_slice, %to0;\n"                                                            \
    "    mad.lo.u64 %to1, %y, %to_row, %to1;\n"
#define NEXT                                                                                                 \
    "    add.u64 %x, %x, %x_step;\n"                                                                         \
    "    setp.lt.u64 %p, %x, %width;\n"                                                                      \
    "    @%p bra UNIT;\n"                                                                                    \
    "NEXT_ROW:\n"                                                                                            \
    "    add.u64 %y, %y, %y_step;\n"                                                                         \
    "    setp.lt.u64 %p, %y, %height;\n"                                                                     \
    "    @%p bra ROW;\n"                                                                                     \
    "    add.u64 %z, %z, %z_step;\n"                                                                         \
    "    setp.lt.u64 %p, %z, %depth;\n"                                                                      \
    "    @%p bra SLICE;\n"                                                                                   \
    "    ret;\n"                                                                                             \
    "}\n"

static const char text[] =
    ".version 7.0\n.target sm_30\n.address_size 64\n"
    ".visible .entry copy(.param .u64 to, .param .u64 to_row, .param .u64 to_slice,\n"
    "                     .param .u64 from, .param .u64 from_row, .param .u64 from_slice,\n"
    "                     .param .u64 width, .param .u64 height, .param .u64 depth, .param .u32 shift)\n"
    "{\n" BEGIN "    ld.param.u64 %from0, [from];\n"
    "    ld.param.u64 %from_row, [from_row];\n"
    "    ld.param.u64 %from_slice, [from_slice];\n" ROWS "    mad.lo.u64 %from1, %z, %from_slice, %from0;\n"
    "    mad.lo.u64 %from1, %y, %from_row, %from1;\n"
    "UNIT:\n"
    "    shl.b64 %bytes, %x, %shift;\n"
    "    add.u64 %from2, %from1, %bytes;\n"
    "    add.u64 %to2, %to1, %bytes;\n"
    "    @%is_byte ld.global.u8 %v0, [%from2];\n"
    "    @%is_byte st.global.u8 [%to2], %v0;\n"
    "    @%is_word ld.global.u32 %v0, [%from2];\n"
    "    @%is_word st.global.u32 [%to2], %v0;\n"
    "    @%is_vector ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%from2];\n"
    "    @%is_vector st.global.v4.u32 [%to2], {%v0, %v1, %v2, %v3};\n" NEXT
    ".visible .entry set(.param .u64 to, .param .u64 to_row, .param .u64 to_slice,\n"
    "                    .param .u64 width, .param .u64 height, .param .u64 depth, .param .u32 shift,\n"
    "                    .param .u32 value)\n"
    "{\n" BEGIN "    ld.param.u32 %v0, [value];\n" ROWS "UNIT:\n"
    "    shl.b64 %bytes, %x, %shift;\n"
    "    add.u64 %to2, %to1, %bytes;\n"
    "    @%is_byte st.global.u8 [%to2], %v0;\n"
    "    @%is_word st.global.u32 [%to2], %v0;\n"
    "    @%is_vector st.global.v4.u32 [%to2], {%v0, %v0, %v0, %v0};\n" NEXT;

/* In the order of ServiceKernel. */
static const char *const names[SERVICE_COUNT] = {"copy", "set"};

uint64_t device_service_kernel(void *context, ServiceKernel kernel)
{
    WbGpu *gpu = context;
    Module *parsed;
    Error error = {0};
    if (!gpu->services && (module_parse("device_runtime.ptx", text, sizeof text - 1, &parsed, &error) ||
                           module_load_parsed(gpu, parsed, &gpu->services, &error)))
        return 0;
    const Module *module = gpu->services->module;
    uint32_t function = 0;
    while (strcmp(module->functions[function].name, names[kernel]) != 0)
        function++;
    return module_function_address(gpu->services, function);
}

#include "program.h"

#include <stdlib.h>

#include "rt/module.h"

Kernels kernels;

static const char ptx[] =
    ".version 7.2\n.target sm_70\n.address_size 64\n"
    ".visible .entry append(.param .u64 cell, .param .u32 digit)\n{\n"
    "  .reg .b32 %r<4>; .reg .b64 %d<2>;\n"
    "  ld.param.u64 %d1, [cell]; ld.param.u32 %r1, [digit];\n"
    "  ld.global.u32 %r2, [%d1]; mad.lo.u32 %r3, %r2, 10, %r1; st.global.u32 [%d1], %r3; ret;\n}\n"
    ".visible .entry spin(.param .u64 cell, .param .u32 turns)\n{\n"
    "  .reg .b32 %r<3>; .reg .b64 %d<2>; .reg .pred %p<2>;\n"
    "  ld.param.u64 %d1, [cell]; ld.param.u32 %r1, [turns]; mov.u32 %r2, 0;\n"
    "again:\n  add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra again;\n"
    "  st.global.u32 [%d1], %r2; ret;\n}\n"
    ".visible .entry fault()\n{\n"
    "  .reg .b64 %d<2>;\n  mov.u64 %d1, 0; st.global.u32 [%d1], 1; ret;\n}\n"
    ".visible .entry stuck()\n{\n  bar.sync 1, 64; ret;\n}\n";

static RtError load(void)
{
    RtModule *module = NULL;
    RtError error = rt_module_load(ptx, &module);
    if (!error)
        error = rt_module_function(module, "append", (RtFunction **)&kernels.append);
    if (!error)
        error = rt_module_function(module, "spin", (RtFunction **)&kernels.spin);
    if (!error)
        error = rt_module_function(module, "stuck", (RtFunction **)&kernels.stuck);
    return error ? error : rt_module_function(module, "fault", (RtFunction **)&kernels.fault);
}

int program_begin(void **state)
{
    (void)state;
    setenv("WARPBEAM_GPU", "titanv", 1);
    setenv("WARPBEAM_FUNCTIONAL", "0", 1);
    RtError error = rt_enter("program_begin");
    if (!error)
        error = load();
    rt_leave();
    return (int)error;
}

int launch(void *kernel, void *cell, uint32_t number, void *stream)
{
    void *arguments[] = {&cell, &number};
    return cudaLaunchKernel(kernel, (WbDim3){1, 1, 1}, (WbDim3){1, 1, 1}, arguments, 0, stream);
}

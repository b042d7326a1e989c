/* How fast the parser is: a module of at least 5 MB, made of one compiler-like kernel under ever new
 * names, is parsed several times; the best time counts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ptx/module.h"

enum { TEXT_BYTES = 5 << 20, REPEATS = 5 };

static const char kernel[] =
    ".visible .entry saxpy_tile_%u(\n"
    "\t.param .u64 saxpy_tile_%u_param_0,\n\t.param .u64 saxpy_tile_%u_param_1,\n\t.param .u32 "
    "saxpy_tile_%u_param_2\n)\n{\n"
    "\t.reg .pred \t%%p<5>;\n\t.reg .f32 \t%%f<20>;\n\t.reg .b32 \t%%r<24>;\n\t.reg .b64 \t%%rd<16>;\n"
    "\t.shared .align 4 .b8 tile_%u[4096];\n\n"
    "\tld.param.u64 \t%%rd1, [saxpy_tile_%u_param_0];\n\tld.param.u64 \t%%rd2, [saxpy_tile_%u_param_1];\n"
    "\tld.param.u32 \t%%r5, [saxpy_tile_%u_param_2];\n\tmov.u32 \t%%r1, %%tid.x;\n\tmov.u32 \t%%r2, "
    "%%ctaid.x;\n"
    "\tmov.u32 \t%%r3, %%ntid.x;\n\tmad.lo.s32 \t%%r4, %%r2, %%r3, %%r1;\n\tsetp.ge.s32 \t%%p1, %%r4, %%r5;\n"
    "\t@%%p1 bra \t$L__BB%u_4;\n\n\tcvta.to.global.u64 \t%%rd3, %%rd1;\n\tcvta.to.global.u64 \t%%rd4, "
    "%%rd2;\n"
    "\tmul.wide.s32 \t%%rd5, %%r4, 4;\n\tadd.s64 \t%%rd6, %%rd3, %%rd5;\n\tadd.s64 \t%%rd7, %%rd4, %%rd5;\n"
    "\tmov.u32 \t%%r6, tile_%u;\n\tshl.b32 \t%%r7, %%r1, 2;\n\tadd.s32 \t%%r8, %%r6, %%r7;\n"
    "\tmov.f32 \t%%f1, 0f00000000;\n\tmov.u32 \t%%r9, 0;\n\n$L__BB%u_2:\n"
    "\tld.global.f32 \t%%f2, [%%rd6];\n\tst.shared.f32 \t[%%r8], %%f2;\n\tbar.sync \t0;\n"
    "\tld.shared.v4.f32 \t{%%f3, %%f4, %%f5, %%f6}, [%%r6+16];\n\tfma.rn.f32 \t%%f7, %%f3, %%f4, %%f1;\n"
    "\tfma.rn.f32 \t%%f8, %%f5, %%f6, %%f7;\n\tmul.f32 \t%%f9, %%f8, 0f3FB504F3;\n\tadd.f32 \t%%f1, %%f9, "
    "%%f2;\n"
    "\tbar.sync \t0;\n\tadd.s32 \t%%r9, %%r9, 1;\n\tand.b32 \t%%r10, %%r9, -8;\n\tadd.s64 \t%%rd6, %%rd6, "
    "128;\n"
    "\tshfl.sync.down.b32 \t%%r11|%%p2, %%r10, 4, 31, -1;\n\tsetp.lt.u32 \t%%p3, %%r9, 64;\n"
    "\t@%%p3 bra \t$L__BB%u_2;\n\n\tst.global.f32 \t[%%rd7+-4], %%f1;\n\n$L__BB%u_4:\n\tret;\n\n}\n\n";

static char *make_text(size_t *length)
{
    char *text = malloc(TEXT_BYTES + 4096);
    if (!text)
        return NULL;
    size_t used = (size_t)sprintf(text, ".version 8.0\n.target sm_80\n.address_size 64\n\n");
    for (unsigned n = 0; used < TEXT_BYTES; n++)
        used += (size_t)sprintf(text + used, kernel, n, n, n, n, n, n, n, n, n, n, n, n, n);
    *length = used;
    return text;
}

/* Processor time: the parser is one thread and never waits. */
static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(void)
{
    size_t length = 0;
    char *text = make_text(&length);
    double best = 1e9;
    size_t insns = 0;
    for (int i = 0; text && i < REPEATS; i++) {
        Module *module;
        Error error = {0};
        const double start = seconds_now();
        const WbStatus status = module_parse("bench.ptx", text, length, &module, &error);
        const double taken = seconds_now() - start;
        if (status != WB_OK) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        best = taken < best ? taken : best;
        insns = 0;
        for (uint32_t f = 0; f < module->function_count; f++)
            insns += module->functions[f].insn_count;
        module_free(module);
    }
    printf("parse: %.1f MB, %zu instructions in %.3f s of processor time: %.0f MB/s\n", (double)length / 1e6,
           insns, best, (double)length / 1e6 / best);
    free(text);
    return 0;
}

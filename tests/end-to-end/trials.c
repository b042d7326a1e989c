#include "trials.h"

#include <stdio.h>
#include <string.h>

#include "correlation/correlation.h"
#include "six/six.h"

const char *const trial_gpus[TRIAL_GPUS] = {"gtx480", "k20c", "titanv", "h200", "apu8"};

/* Kernels that no compiler would write. */
static const char own_kernels[] = PTX_HEADER
    /* Lanes part and meet in loops of different lengths, with loads and stores on the way. */
    ".visible .entry diverge(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .b64 %a, %b, %o; .reg .b32 %r, %i, %n, %t; .reg .pred %p;\n"
    "ld.param.u64 %a, [in]; ld.param.u64 %o, [out];\n"
    "mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, %n, %t;\n"
    "mul.wide.u32 %b, %i, 4; add.u64 %a, %a, %b; add.u64 %o, %o, %b; ld.global.u32 %n, [%a]; and.b32 %n, %n, "
    "15;\n"
    "mov.u32 %r, 1;\n"
    "LOOP: setp.eq.u32 %p, %n, 0; @%p bra DONE; and.b32 %t, %n, 1; setp.eq.u32 %p, %t, 0; @%p bra EVEN;\n"
    "mad.lo.u32 %r, %r, 3, %n; st.global.u32 [%o], %r; bra NEXT;\n"
    "EVEN: ld.global.u32 %t, [%o]; xor.b32 %r, %r, %t; shl.b32 %r, %r, 1;\n"
    "NEXT: sub.u32 %n, %n, 1; bra LOOP;\n"
    "DONE: st.global.u32 [%o], %r; ret;\n}\n"
    /* Block i sets flag i when block i - 1 has set its own, and passes on what that has found so far. */
    ".visible .entry flags(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .b64 %a, %b, %o; .reg .b32 %r, %i, %n, %t; .reg .pred %p;\n"
    "ld.param.u64 %a, [in]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mov.u32 %i, %ctaid.x;\n"
    "setp.ne.u32 %p, %t, 0; @%p bra END;\n"
    "mul.wide.u32 %b, %i, 128; add.u64 %o, %o, %b; add.u64 %a, %a, %b; ld.global.u32 %r, [%a];\n"
    "setp.eq.u32 %p, %i, 0; @%p bra SET;\n"
    "WAIT: ld.volatile.global.u32 %n, [%o+-128]; setp.eq.u32 %p, %n, 0; @%p bra WAIT;\n"
    "fence.acq_rel.gpu; ld.global.u32 %n, [%o+-124]; add.u32 %r, %r, %n;\n"
    "SET: st.global.u32 [%o+4], %r; fence.acq_rel.gpu; st.volatile.global.u32 [%o], 1;\n"
    "END: ret;\n}\n"
    /* Everybody at once: sums, exchanges and maxima of few words. */
    ".visible .entry crowd(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .b64 %a, %b, %o; .reg .b32 %r, %i, %n, %t;\n"
    "ld.param.u64 %a, [in]; ld.param.u64 %o, [out];\n"
    "mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, %n, %t;\n"
    "mul.wide.u32 %b, %i, 4; add.u64 %a, %a, %b; ld.global.u32 %r, [%a]; and.b32 %t, %r, 7;\n"
    "mul.wide.u32 %b, %t, 64; add.u64 %b, %b, %o;\n"
    "red.global.add.u32 [%b], %r; atom.global.max.u32 %n, [%b+4], %r; atom.global.exch.b32 %n, [%b+8], %r;\n"
    "red.global.xor.b32 [%b+12], %n; ret;\n}\n";

static const char own_file[] = "own kernels";

enum { VECTORADD, MATMUL, STENCIL, REDUCTION, BFS, NBODY };

/* Arguments: i and j are arrays of numbers below `limit`, the others arrays of zeros, but n is `number`. */
#define KERNEL(of, name_, arguments_, blocks_, threads_, ...)                                                \
    {                                                                                                        \
        .name = name_, .file = of, .arguments = arguments_, .blocks = blocks_, .threads = threads_,          \
        __VA_ARGS__                                                                                          \
    }

const Trial trials[] = {
    {.name = "vectoradd", .program = VECTORADD, .number = 6000},
    {.name = "matmul", .program = MATMUL, .number = 48},
    {.name = "stencil", .program = STENCIL, .number = 64},
    {.name = "reduction", .program = REDUCTION, .number = 20000},
    {.name = "bfs", .program = BFS, .number = 500, .counts_vary = true},
    {.name = "nbody", .program = NBODY, .number = 128},
    KERNEL(own_file, "diverge", "io", 9, 96, .limit = 1000),
    KERNEL(own_file, "flags", "io", 31, 64, .limit = 1000, .counts_vary = true),
    KERNEL(own_file, "crowd", "io", 12, 128, .limit = 1000, .results_vary = true),
    KERNEL("functions.sm_90-rdc.ptx", "recursion", "o", 2, 8, .limit = 1),
    KERNEL("functions.clang.ptx", "virtuals", "o", 1, 64, .limit = 1),
    KERNEL("functions.sm_75.ptx", "switches", "o", 1, 64, .limit = 1),
    KERNEL("data.sm_75.ptx", "local_arrays", "oi", 1, 64, .limit = 1000),
    KERNEL("system.sm_75-rdc.ptx", "allocates", "on", 2, 64, .limit = 1, .number = 5),
    KERNEL("system.sm_75-rdc.ptx", "prints", "o", 3, 64, .limit = 1, .results_vary = true),
    KERNEL("math.sm_90-lines.ptx", "floats", "ion", 1, 128, .limit = UINT32_MAX, .number = 128),
    KERNEL("atomics.sm_75.ptx", "histogram", "ion", 9, 100, .limit = 1000, .number = 3000),
    KERNEL("atomics.sm_90-rdc.ptx", "relay", "op", 60, 32, .limit = 1, .counts_vary = true),
    KERNEL("atomics.sm_75.ptx", "spin_lock", "op", 2, 8, .limit = 1, .counts_vary = true,
           .needs_volta = true),
    KERNEL("tensor.sm_80.ptx", "pipelined", "ion", 2, 64, .limit = 1000, .number = 5),
    KERNEL("warp.sm_90-rdc.ptx", "tiles", "io", 1, 96, .limit = 1000, .needs_warps = true,
           .needs_volta = true),
    KERNEL("half.sm_90-rdc.ptx", "bfloats", "ijon", 2, 64, .limit = UINT32_MAX, .number = 128),
    KERNEL("library.sm_90-lines.ptx", "tickets", "opq", 40, 32, .limit = 1, .counts_vary = true),
    KERNEL("library.sm_75.ptx", "scans", "iop", 1, 96, .limit = 1000, .needs_warps = true),
};
const size_t trial_count = sizeof trials / sizeof *trials;

enum { WORDS = 4096 };

static void must(WbGpu *gpu, WbStatus status)
{
    if (status != WB_OK)
        fail_msg("%s", wb_error(gpu));
}

static void append(TrialTrace *trace, const void *bytes, size_t count)
{
    for (size_t i = 0; trace && i < count; i++)
        VEC_PUSH(trace, ((const char *)bytes)[i]);
}

static void print_to(void *context, const char *text, size_t length) { append(context, text, length); }

bool trial_fits(const Trial *trial, const char *gpu)
{
    const bool is_wide = strcmp(gpu, "apu8") == 0;
    const bool is_volta = strcmp(gpu, "titanv") == 0 || strcmp(gpu, "h200") == 0;
    return !(trial->needs_warps && is_wide) && !(trial->needs_volta && !is_volta);
}

/* -- kernels -- */

/* One array; `seed` 0: of zeros. */
static uint64_t make_array(WbGpu *gpu, uint32_t seed, uint32_t limit)
{
    static uint32_t words[WORDS];
    uint64_t address;
    for (int i = 0; i < WORDS; i++) {
        seed = seed ? seed * 1664525u + 1013904223u : 0;
        words[i] = limit ? (seed ^ seed >> 15) % limit : 0;
    }
    must(gpu, wb_malloc(gpu, sizeof words, &address));
    must(gpu, wb_copy_to_device(gpu, address, words, sizeof words));
    return address;
}

static WbModule *load(const Trial *trial, WbGpu *gpu)
{
    WbModule *module;
    char path[512];
    snprintf(path, sizeof path, SOURCE_DIRECTORY "/tests/end-to-end/kernels/%s", trial->file);
    if (trial->file == own_file)
        must(gpu, wb_module_load(gpu, own_file, own_kernels, strlen(own_kernels), &module));
    else
        must(gpu, wb_module_load_file(gpu, path, &module));
    return module;
}

static void run_kernel(const Trial *trial, WbGpu *gpu, TrialTrace *trace)
{
    enum { MOST = 4 };
    WbModule *module = load(trial, gpu);
    WbKernel *kernel;
    WbArgument arguments[MOST];
    uint64_t arrays[MOST] = {0};
    static uint32_t words[WORDS];
    const uint32_t count = (uint32_t)strlen(trial->arguments);
    assert_true(count <= MOST);
    for (uint32_t i = 0; i < count; i++) {
        const char what = trial->arguments[i];
        if (what != 'n')
            arrays[i] = make_array(gpu, what == 'i' || what == 'j' ? (uint32_t)what : 0, trial->limit);
        arguments[i] = what == 'n' ? WB_ARG(trial->number) : WB_ARG(arrays[i]);
    }
    must(gpu, wb_module_kernel(module, trial->name, &kernel));
    must(gpu, wb_launch(kernel, &(WbLaunch){.grid = {trial->blocks, 1, 1},
                                            .block = {trial->threads, 1, 1},
                                            .arguments = arguments,
                                            .argument_count = count}));
    must(gpu, wb_wait(gpu));
    for (uint32_t i = 0; i < count; i++) {
        if (!arrays[i])
            continue;
        must(gpu, wb_copy_from_device(gpu, words, arrays[i], sizeof words));
        append(trace, words, sizeof words);
        must(gpu, wb_free(gpu, arrays[i]));
    }
    wb_module_unload(module);
}

/* -- workloads, which check their results themselves -- */

static void run_six(const Trial *trial, WbGpu *gpu)
{
    Host host;
    if (!six_run(&six_programs[trial->program], gpu, SOURCE_DIRECTORY "/workloads/six", trial->number, &host))
        fail_msg("%s: %s", trial->name, host.error);
    host_end(&host);
}

void trial_run(const Trial *trial, WbGpu *gpu, TrialTrace *trace)
{
    if (trace)
        wb_set_output(gpu, print_to, trace);
    if (trial->file)
        run_kernel(trial, gpu, trace);
    else
        run_six(trial, gpu);
}

static void run_correlation(WbGpu *gpu)
{
    Host host = host_begin(gpu, SOURCE_DIRECTORY "/workloads/correlation", "correlation.ptx");
    for (int i = 0; i < CORRELATION_COUNT; i++)
        if (!correlation_kernels[i].run(&host) || host.status != WB_OK)
            fail_msg("%s: %s", correlation_kernels[i].name,
                     host.status == WB_OK ? "the result is wrong" : host.error);
    host_end(&host);
}

WbGpu *trial_run_all(const char *name, const char *const *knobs, bool more, TrialTrace *trace)
{
    WbGpu *gpu = harness_open(name, knobs);
    for (size_t i = 0; i < trial_count; i++)
        if (trial_fits(&trials[i], name))
            trial_run(&trials[i], gpu, trace);
    if (more)
        run_correlation(gpu);
    return gpu;
}

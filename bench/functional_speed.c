/* Speed of functional mode: warp instructions a second for the six programs, and for loops around one
 * instruction of units that they do not use (one in five is that instruction), on one core.
 *
 * Usage: functional_speed [GPU [repetitions]]. Every result is checked; a wrong one ends the run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "six/six.h"

/* A loop around one instruction. */
typedef struct Part {
    const char *name;
    const char *body; /* PTX */
    bool is_texture, is_linear;
} Part;

enum { PARTS = 5 };
static const Part parts[PARTS] = {
    {"tex_point", "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%t, {%x,%y}];\n", true, false},
    {"tex_linear", "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%t, {%x,%y}];\n", true, true},
    {"mma_f16",
     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%a0,%a1,%a2,%a3}, "
     "{%a4,%a5}, {%f0,%f1,%f2,%f3};\n",
     false, false},
    {"mma_tf32",
     "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0,%f1,%f2,%f3}, {%a0,%a1,%a2,%a3}, "
     "{%a4,%a5}, {%f0,%f1,%f2,%f3};\n",
     false, false},
    {"mma_s8",
     "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, "
     "{%a4,%a5}, {%d0,%d1,%d2,%d3};\n",
     false, false},
};

enum { SIDE = 256, BLOCKS = 64, THREADS = 128, ROUNDS = 64 };

static void need(bool is_right, WbGpu *gpu)
{
    if (is_right)
        return;
    fprintf(stderr, "%s\n", wb_error(gpu));
    exit(1);
}

static WbKernel *load(const Part *part, WbGpu *gpu)
{
    char text[4096];
    WbModule *module;
    WbKernel *kernel;
    const int length = snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry part(.param .u64 texture, .param .u64 out)\n{\n"
        ".reg .b64 %%t, %%o; .reg .b32 %%i, %%a<6>, %%d<4>; .reg .f32 %%x, %%y, %%f<4>; .reg .pred %%p;\n"
        "ld.param.u64 %%t, [texture]; ld.param.u64 %%o, [out];\n"
        "mov.u32 %%i, %%tid.x; cvt.rn.f32.u32 %%x, %%i; mov.u32 %%i, %%ctaid.x; cvt.rn.f32.u32 %%y, %%i;\n"
        "mul.f32 %%x, %%x, 0f3BA00000; mul.f32 %%y, %%y, 0f3BB00000;\n"
        "mov.u32 %%a0, 0x3C003400; mov.u32 %%a1, 0x38001C00; mov.u32 %%a2, 0xB8123C56; mov.u32 %%a3, "
        "0x2E661234;\n"
        "mov.u32 %%a4, 0xB0003C01; mov.u32 %%a5, 0x31233ABC;\n"
        "mov.f32 %%f0, 0f00000000; mov.f32 %%f1, %%f0; mov.f32 %%f2, %%f0; mov.f32 %%f3, %%f0;\n"
        "mov.u32 %%d0, 0; mov.u32 %%d1, 0; mov.u32 %%d2, 0; mov.u32 %%d3, 0;\n"
        "mov.u32 %%i, 0;\nAGAIN:\n%sadd.f32 %%x, %%x, 0f3A83126F;\nadd.u32 %%i, %%i, 1;\n"
        "setp.lt.u32 %%p, %%i, %d;\n@%%p bra AGAIN;\n"
        "st.global.f32 [%%o], %%f0; st.global.u32 [%%o+4], %%d0;\nret;\n}\n",
        part->body, ROUNDS);
    need(wb_module_load(gpu, "part.ptx", text, (size_t)length, &module) == WB_OK, gpu);
    need(wb_module_kernel(module, "part", &kernel) == WB_OK, gpu);
    return kernel;
}

static uint64_t make_texture(const Part *part, WbGpu *gpu)
{
    static float texels[SIDE * SIDE * 4];
    uint64_t address, handle;
    for (size_t i = 0; i < SIDE * SIDE * 4; i++)
        texels[i] = (float)(i * 2654435761u % 1000) / 1000;
    need(wb_malloc(gpu, sizeof texels, &address) == WB_OK, gpu);
    need(wb_copy_to_device(gpu, address, texels, sizeof texels) == WB_OK, gpu);
    const WbTexture texture = {.shape = WB_TEXTURE_2D,
                               .address = address,
                               .width = SIDE,
                               .height = SIDE,
                               .depth = 1,
                               .row_pitch = SIDE * 16,
                               .slice_pitch = sizeof texels,
                               .channel = WB_CHANNEL_FLOAT,
                               .channels = 4,
                               .channel_bits = 32,
                               .addressing = {WB_WRAP, WB_WRAP, WB_WRAP},
                               .linear = part->is_linear,
                               .normalized_coordinates = true};
    need(wb_texture_create(gpu, &texture, &handle) == WB_OK, gpu);
    return handle;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double measure_part(const Part *part, WbGpu *gpu, int repetitions, uint64_t *instructions)
{
    WbKernel *kernel = load(part, gpu);
    uint64_t texture = part->is_texture ? make_texture(part, gpu) : 0, out;
    double best = 0;
    need(wb_malloc(gpu, 8, &out) == WB_OK, gpu);
    for (int i = 0; i < repetitions; i++) {
        void *pointers[] = {&texture, &out};
        const WbLaunch launch = {.grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}, .pointers = pointers};
        WbStat stat;
        wb_stats_reset(gpu);
        const double begin = now();
        need(wb_launch(kernel, &launch) == WB_OK && wb_wait(gpu) == WB_OK, gpu);
        const double seconds = now() - begin;
        wb_stat_find(gpu, "warp_instructions", &stat);
        *instructions = stat.value;
        best = (double)stat.value / seconds > best ? (double)stat.value / seconds : best;
    }
    return best;
}

/* Instructions per second of the best of several runs; the machine that measures has other work. */
static double measure(const SixProgram *program, WbGpu *gpu, int repetitions, uint64_t *instructions)
{
    double best = 0;
    for (int i = 0; i < repetitions; i++) {
        Host host;
        WbStat stat;
        wb_stats_reset(gpu);
        if (!six_run(program, gpu, SOURCE_DIRECTORY "/workloads/six", program->size, &host)) {
            fprintf(stderr, "%s: %s\n", program->name, host.error);
            exit(1);
        }
        host_end(&host);
        wb_stat_find(gpu, "warp_instructions", &stat);
        *instructions = stat.value;
        double rate = (double)*instructions / host.seconds;
        best = rate > best ? rate : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "h200";
    int repetitions = argc > 2 ? atoi(argv[2]) : 5;
    char error[2048];
    WbGpu *gpu;
    if (wb_gpu_open(name, &gpu, error, sizeof error) != WB_OK) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    double product = 1;
    printf("%-12s %12s %18s\n", "program", "instructions", "instructions/s");
    for (int i = 0; i < SIX_COUNT; i++) {
        uint64_t instructions = 0;
        double rate = measure(&six_programs[i], gpu, repetitions, &instructions);
        printf("%-12s %12llu %18.0f\n", six_programs[i].name, (unsigned long long)instructions, rate);
        product *= rate;
    }
    printf("%-12s %12s %18.0f\n", "geomean", "", pow(product, 1.0 / SIX_COUNT));
    for (int i = 0; i < PARTS; i++) {
        uint64_t instructions = 0;
        const double rate = measure_part(&parts[i], gpu, repetitions, &instructions);
        printf("%-12s %12llu %18.0f\n", parts[i].name, (unsigned long long)instructions, rate);
    }
    wb_gpu_close(gpu);
    return 0;
}

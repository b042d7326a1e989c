/* Random runs that are cut off in the middle, one way and another: whatever is reported of them, to the last
 * digit, must not depend on how many threads simulate them and how long their windows are.
 *
 * A run is drawn from a row of bytes: machine and knobs, so narrow that whatever can be full is; kernels made
 * of pieces of PTX in up to three streams; and what ends them, which is a limit of cycles, a trap, an access
 * outside of memory, a wrong free (which is noticed between windows), a barrier that not all reach, or a
 * flag that nobody sets. fuzz_cut.c draws from what the fuzzer thinks of, test_cut_runs.c from seeds. */
#ifndef CUT_RUNS_H
#define CUT_RUNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"
#include "warpbeam.h"

enum { CUT_TEXT = 8192, CUT_KNOBS = 14, CUT_KERNELS = 3, CUT_WAYS = 3, CUT_BUFFER = 1 << 18 };

typedef struct CutKernel {
    char text[CUT_TEXT];
    uint32_t blocks, threads;
} CutKernel;

typedef struct CutRun {
    const char *gpu;
    char knobs[CUT_KNOBS][2][32];
    uint32_t knob_count;
    CutKernel kernels[CUT_KERNELS];
    uint32_t kernel_count;
    uint32_t threads[CUT_WAYS], windows[CUT_WAYS]; /* the first: one thread, longest windows */
} CutRun;

/* Bytes, and when there are no more, numbers that follow from them. */
typedef struct CutDice {
    const uint8_t *bytes;
    size_t left;
    uint32_t state;
} CutDice;

static uint32_t cut_draw(CutDice *dice, uint32_t below)
{
    for (int i = 0; i < 2; i++) {
        const uint32_t byte = dice->left ? *dice->bytes : 0;
        dice->bytes += dice->left != 0;
        dice->left -= dice->left != 0;
        dice->state = (dice->state ^ byte) * 1664525 + 1013904223;
    }
    return (uint32_t)(((uint64_t)(dice->state ^ dice->state >> 15) & 0xFFFFFF) * below >> 24);
}

/* -- kernels -- */

/* %a: the buffer; %t: the thread among all; %l: its lane; %i: the round; %s: a sum. K: a number that is
 * drawn. */
static const char *const cut_pieces[] = {
    "mad.lo.u32 %v, %t, K, %i; and.b32 %v, %v, 0x3fffc; cvt.u64.u32 %c, %v; add.u64 %c, %c, %a;\n"
    "ld.global.u32 %w, [%c]; add.u32 %s, %s, %w;\n",
    "mad.lo.u32 %v, %t, K, %i; and.b32 %v, %v, 0x3fffc; cvt.u64.u32 %c, %v; add.u64 %c, %c, %a;\n"
    "st.global.u32 [%c], %s;\n",
    "mad.lo.u32 %v, %t, K, %i; and.b32 %v, %v, 0x3fff0; cvt.u64.u32 %c, %v; add.u64 %c, %c, %a;\n"
    "ld.global.v4.u32 {%w, %x, %y, %z}, [%c]; xor.b32 %s, %s, %y;\n",
    "atom.global.add.u32 %w, [%a+K], %t; add.u32 %s, %s, %w;\n",
    "mul.lo.u32 %v, %t, K; and.b32 %v, %v, 0xffc; cvt.u64.u32 %c, %v; add.u64 %c, %c, %a;\n"
    "red.global.add.u32 [%c], 1;\n",
    "mul.lo.u32 %v, %l, K; and.b32 %v, %v, 0x3fc; mov.u32 %w, box; add.u32 %v, %v, %w;\n"
    "st.shared.u32 [%v], %s; ld.shared.u32 %s, [%v];\n",
    "bar.sync 0;\n",
    "membar.gl;\n",
    "and.b32 %v, %i, 3; shl.b32 %v, %v, 2; cvt.u64.u32 %c, %v; mov.u64 %d, room; add.u64 %c, %c, %d;\n"
    "st.local.u32 [%c], %s; ld.local.u32 %w, [%c]; add.u32 %s, %w, 1;\n",
    "div.u32 %w, %s, K; mul.hi.u32 %s, %w, %s; add.u32 %s, %s, %t;\n",
    "cvt.rn.f32.u32 %f, %s; sqrt.approx.f32 %f, %f; ex2.approx.f32 %f, %f; cvt.rzi.u32.f32 %w, %f;\n"
    "add.u32 %s, %s, %w;\n",
    "ld.volatile.global.u32 %w, [%a+K]; add.u32 %s, %s, %w;\n",
    "{ .param .b64 x; .param .b64 y; st.param.b64 [x], 32; call (y), malloc, (x); ld.param.b64 %d, [y];\n"
    "st.param.b64 [x], %d; call free, (x); }\n",
    "and.b32 %v, %l, 3; setp.ne.u32 %q, %v, 1; @%q bra SKIP; ld.global.u32 %w, [%a+K];\n"
    "mad.lo.u32 %s, %w, %s, %t; SKIP:\n",
};
enum { CUT_PIECES = sizeof cut_pieces / sizeof *cut_pieces };

/* What ends it, done by one thread in one round. */
static const char *const cut_ends[] = {
    "trap;\n",
    "st.global.u32 [%a+0x40100], %s;\n",
    "ld.global.u32 %s, [%a+0x40100];\n",
    "{ .param .b64 x; st.param.b64 [x], %a; call free, (x); }\n",
    "bar.sync 1, 64;\n",
    "LOOP: ld.volatile.global.u32 %w, [%a+0x3fff0]; setp.ne.u32 %q, %w, 77777; @%q bra LOOP;\n",
    "exit;\n",
};
enum { CUT_ENDS = sizeof cut_ends / sizeof *cut_ends };

/* Appends the piece with numbers and labels of its own. */
static void cut_add(char *text, const char *piece, uint32_t number, uint32_t label)
{
    char *to = text + strlen(text);
    for (; *piece; piece++) {
        if (*piece == 'K')
            to += sprintf(to, "%u", number);
        else if (!strncmp(piece, "SKIP", 4) || !strncmp(piece, "LOOP", 4)) {
            to += sprintf(to, "%.4s%u", piece, label);
            piece += 3;
        } else
            *to++ = *piece;
    }
    *to = '\0';
}

static void cut_draw_kernel(CutDice *dice, CutKernel *kernel, const char *target, bool fails)
{
    const uint32_t pieces = 1 + cut_draw(dice, 6), rounds = 1 + cut_draw(dice, 30);
    kernel->blocks = 1 + cut_draw(dice, 12);
    kernel->threads = 1 + cut_draw(dice, 160);
    sprintf(
        kernel->text,
        ".version 7.0\n.target %s\n.address_size 64\n"
        ".extern .func (.param .b64 y) malloc(.param .b64 x);\n.extern .func free(.param .b64 x);\n"
        ".visible .entry k(.param .u64 buffer) {\n.reg .u64 %%a, %%c, %%d; .reg .f32 %%f; .reg .pred %%p, "
        "%%q, %%e;\n.reg .u32 %%t, %%l, %%i, %%s, %%v, %%w, %%x, %%y, %%z;\n"
        ".shared .align 8 .b8 box[1024]; .local .align 8 .b8 room[16];\n"
        "ld.param.u64 %%a, [buffer]; mov.u32 %%l, %%tid.x; mov.u32 %%v, %%ctaid.x; mov.u32 %%w, %%ntid.x;\n"
        "mad.lo.u32 %%t, %%v, %%w, %%l; mov.u32 %%s, %%t; mov.u32 %%i, 0;\nROUND:\n",
        target);
    for (uint32_t i = 0; i < pieces; i++)
        cut_add(kernel->text, cut_pieces[cut_draw(dice, CUT_PIECES)], 4 * (1 + cut_draw(dice, 700)), i);
    if (fails) {
        char *to = kernel->text + strlen(kernel->text);
        sprintf(to, "setp.eq.u32 %%e, %%t, %u; setp.eq.and.u32 %%e, %%i, %u, %%e; @!%%e bra ON;\n",
                cut_draw(dice, kernel->blocks * kernel->threads), cut_draw(dice, rounds));
        cut_add(kernel->text, cut_ends[cut_draw(dice, CUT_ENDS)], 0, 100);
        strcat(kernel->text, "ON:\n");
    }
    sprintf(
        kernel->text + strlen(kernel->text),
        "add.u32 %%i, %%i, 1; setp.lt.u32 %%p, %%i, %u; @%%p bra ROUND;\nst.global.u32 [%%a], %%s; ret; }\n",
        rounds);
}

/* -- machines -- */

static void cut_set(CutRun *run, const char *name, uint32_t value)
{
    char(*knob)[32] = run->knobs[run->knob_count++];
    snprintf(knob[0], sizeof knob[0], "%s", name);
    snprintf(knob[1], sizeof knob[1], "%u", value);
}

static void cut_draw_knobs(CutDice *dice, CutRun *run)
{
    static const struct {
        const char *name;
        uint32_t most;
    } narrow[] = {{"l1_miss_queue", 4},     {"l1_mshrs", 4},      {"l1_merges", 3},
                  {"crossbar_credits", 3},  {"lsu_queue", 3},     {"l2_queue", 4},
                  {"dram_queue", 4},        {"unit_latency", 40}, {"crossbar_latency", 60},
                  {"concurrent_kernels", 3}};
    cut_set(run, "sm_count", 1 + cut_draw(dice, 5));
    cut_set(run, "watchdog_cycles", 500);
    cut_set(run, "cycle_limit", cut_draw(dice, 2) ? 1 + cut_draw(dice, 6000) : 200000);
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
        if (cut_draw(dice, 3) == 0)
            cut_set(run, narrow[i].name, 1 + cut_draw(dice, narrow[i].most));
    if (cut_draw(dice, 3) == 0)
        cut_set(run, "sample_interval", 20 + cut_draw(dice, 500));
}

static void cut_draw_run(CutDice *dice, CutRun *run)
{
    static const char *const gpus[][2] = {{"gtx480", "sm_20"}, {"titanv", "sm_70"}, {"h200", "sm_80"}};
    static const uint32_t windows[] = {0, 1, 2, 3, 5, 7, 13, 40};
    const uint32_t gpu = cut_draw(dice, 3);
    *run = (CutRun){.gpu = gpus[gpu][0], .kernel_count = 1 + cut_draw(dice, CUT_KERNELS)};
    cut_draw_knobs(dice, run);
    const uint32_t failing = cut_draw(dice, 4);
    for (uint32_t i = 0; i < run->kernel_count; i++)
        cut_draw_kernel(dice, &run->kernels[i], gpus[gpu][1], i == failing);
    run->threads[0] = 1;
    for (uint32_t i = 1; i < CUT_WAYS; i++) {
        run->threads[i] = 1 + cut_draw(dice, 4);
        run->windows[i] = windows[cut_draw(dice, 8)];
    }
}

/* -- running them -- */

static void cut_must(WbGpu *gpu, WbStatus status)
{
    if (status == WB_OK)
        return;
    fprintf(stderr, "%s\n", wb_error(gpu));
    abort();
}

static void cut_launch(WbGpu *gpu, const CutKernel *kernel, uint64_t buffer)
{
    WbModule *module;
    WbKernel *entry;
    WbStream *stream;
    WbArgument argument = WB_ARG(buffer);
    cut_must(gpu, wb_module_load(gpu, "cut.ptx", kernel->text, strlen(kernel->text), &module));
    cut_must(gpu, wb_module_kernel(module, "k", &entry));
    cut_must(gpu, wb_stream_create(gpu, WB_STREAM_NON_BLOCKING, 0, &stream));
    cut_must(gpu, wb_stream_launch(stream, entry,
                                   &(WbLaunch){.grid = {kernel->blocks, 1, 1},
                                               .block = {kernel->threads, 1, 1},
                                               .arguments = &argument,
                                               .argument_count = 1}));
}

static void cut_put_timeline(WbGpu *gpu, FILE *to)
{
    char path[] = "/tmp/warpbeam-cut-XXXXXX", line[4096];
    const int handle = mkstemp(path);
    if (handle < 0)
        abort();
    close(handle);
    cut_must(gpu, wb_timeline(gpu, path));
    FILE *from = fopen(path, "r");
    while (from && fgets(line, sizeof line, from))
        fputs(line, to);
    if (from)
        fclose(from);
    unlink(path);
}

/* How it ended and all that is reported of it, the host's part left out; to be freed. */
static char *cut_result(const CutRun *run, uint32_t way)
{
    WbGpu *gpu;
    uint64_t buffer;
    char number[2][16], *text = NULL;
    size_t size;
    if (wb_gpu_open(run->gpu, &gpu, NULL, 0) != WB_OK)
        abort();
    snprintf(number[0], sizeof number[0], "%u", run->threads[way]);
    snprintf(number[1], sizeof number[1], "%u", run->windows[way]);
    cut_must(gpu, wb_gpu_set(gpu, "mode", "cycle"));
    cut_must(gpu, wb_gpu_set(gpu, "threads", number[0]));
    cut_must(gpu, wb_gpu_set(gpu, "window", number[1]));
    cut_must(gpu, wb_gpu_set(gpu, "profile_lines", "true"));
    cut_must(gpu, wb_gpu_set(gpu, "timeline", "true"));
    for (uint32_t i = 0; i < run->knob_count; i++)
        cut_must(gpu, wb_gpu_set(gpu, run->knobs[i][0], run->knobs[i][1]));
    cut_must(gpu, wb_malloc(gpu, CUT_BUFFER + 16, &buffer));
    cut_must(gpu, wb_set_device(gpu, buffer, 0, CUT_BUFFER));
    for (uint32_t i = 0; i < run->kernel_count; i++)
        cut_launch(gpu, &run->kernels[i], buffer);
    const WbStatus status = wb_wait(gpu);
    FILE *file = open_memstream(&text, &size);
    fprintf(file, "%s: %s\n", wb_status_name(status), status ? wb_error(gpu) : "");
    cut_put_timeline(gpu, file);
    report_json(gpu, &(ReportOptions){.details = true, .blocks = true}, file);
    fclose(file);
    char *host = strstr(text, "\n  \"host\"");
    if (host)
        *host = '\0';
    wb_gpu_close(gpu);
    return text;
}

static const char *cut_line(const char *text, size_t at)
{
    while (at && text[at - 1] != '\n')
        at--;
    return text + at;
}

static void cut_tell(const CutRun *run, uint32_t way, const char *expected, const char *got)
{
    size_t at = 0;
    while (expected[at] && expected[at] == got[at])
        at++;
    fprintf(stderr, "%s with %u threads and windows of %u; knobs", run->gpu, run->threads[way],
            run->windows[way]);
    for (uint32_t i = 0; i < run->knob_count; i++)
        fprintf(stderr, " %s=%s", run->knobs[i][0], run->knobs[i][1]);
    for (uint32_t i = 0; i < run->kernel_count; i++)
        fprintf(stderr, "\n-- %u blocks of %u threads of\n%s", run->kernels[i].blocks,
                run->kernels[i].threads, run->kernels[i].text);
    fprintf(stderr, "-- ended with %.*s\n-- with one thread\n%.400s\n-- not\n%.400s\n",
            (int)strcspn(expected, "\n"), expected, cut_line(expected, at), cut_line(got, at));
}

/* Whether the run is the same in all its ways; if not, stderr has it all. */
static bool cut_run_agrees(const uint8_t *bytes, size_t size)
{
    static CutRun run;
    CutDice dice = {bytes, size, 1};
    cut_draw_run(&dice, &run);
    char *const expected = cut_result(&run, 0);
    bool agrees = true;
    for (uint32_t way = 1; way < CUT_WAYS && agrees; way++) {
        char *const got = cut_result(&run, way);
        agrees = strcmp(expected, got) == 0;
        if (!agrees)
            cut_tell(&run, way, expected, got);
        free(got);
    }
    free(expected);
    return agrees;
}

#endif

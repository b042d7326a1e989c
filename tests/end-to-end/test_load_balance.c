/* CLASO and DYNCTA where users come in: the case study of CLASO from the command line, and DYNCTA on a
 * program that waits for memory. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell.h"

/* A block on SM 3 takes 200 rounds, on SM 0 300, elsewhere 600. */
static const char uneven[] =
    PTX_HEADER ".visible .entry uneven(.param .u64 out) {\n"
               ".reg .pred %p; .reg .u32 %r<3>; .reg .u64 %rd<2>;\n"
               "mov.u32 %r0, %smid; mov.u32 %r1, 600;\n"
               "setp.eq.u32 %p, %r0, 3; @%p mov.u32 %r1, 200;\n"
               "setp.eq.u32 %p, %r0, 0; @%p mov.u32 %r1, 300;\n"
               "LOOP: sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra LOOP;\n"
               "mov.u32 %r2, %ctaid.x; ld.param.u64 %rd0, [out]; mul.wide.u32 %rd1, %r2, 4;\n"
               "add.u64 %rd0, %rd0, %rd1; st.global.u32 [%rd0], %r0; ret; }\n";

/* 17 blocks on 4 SMs with three places each [CLASO §3.2]: blocks that each SM got. */
static void issue(const char *settings, uint32_t *got)
{
    char command[1024], output[16384];
    char file[] = "/tmp/uneven-XXXXXX.ptx";
    FILE *ptx = fdopen(mkstemps(file, 4), "w");
    assert_non_null(ptx);
    fputs(uneven, ptx);
    fclose(ptx);
    snprintf(command, sizeof command,
             "'%s/bin/warpbeam' run %s --gpu c2050 --set sm_count=4 --set max_blocks_per_sm=3 %s "
             "--grid 17 --block 32 --arg buffer:68 --blocks 2>&1",
             shell_build_folder(), file, settings);
    assert_int_equal(shell_run(command, output, sizeof output), 0);
    unlink(file);
    uint32_t blocks = 0;
    memset(got, 0, 4 * sizeof *got);
    for (char *line = strtok(output, "\n"); line; line = strtok(NULL, "\n")) {
        uint32_t block, sm, cycles[3];
        if (sscanf(line, "%u %u %u %u %u", &block, &sm, &cycles[0], &cycles[1], &cycles[2]) == 5) {
            assert_in_range(sm, 0, 3);
            got[sm]++;
            blocks++;
        }
    }
    assert_int_equal(blocks, 17);
}

static void the_case_study_runs_from_the_command_line(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        uint32_t got[4];
    } cases[] = {
        {"", {5, 3, 3, 6}},                                                            /* figure 9 */
        {"--set block_admit=claso", {4, 4, 4, 5}},                                     /* figure 10 */
        {"--set block_admit=claso --set claso_active=2 --threads 3", {5, 4, 3, 5}},    /* a level more */
        {"--set block_admit=claso --set claso_active=2 --set claso_loose=1", {5, 3, 3, 6}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t got[4];
        issue(cases[i].settings, got);
        for (uint32_t sm = 0; sm < 4; sm++)
            if (got[sm] != cases[i].got[sm])
                fail_msg("%s: %u %u %u %u", cases[i].settings, got[0], got[1], got[2], got[3]);
    }
}

static uint64_t statistic(WbGpu *gpu, const char *name)
{
    WbStat stat;
    if (wb_stat_find(gpu, name, &stat) != WB_OK)
        fail_msg("%s", wb_error(gpu));
    return stat.value;
}

/* Every thread reads words that lie far apart, one after the other. */
static const char reads[] =
    PTX_HEADER ".visible .entry reads(.param .u64 out) {\n"
               ".reg .pred %p; .reg .u32 %r<5>; .reg .u64 %rd<4>;\n"
               "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
               "mad.lo.u32 %r0, %r1, 64, %r0; mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
               "LOOP: mad.lo.u32 %r4, %r2, 12345, %r0; mul.lo.u32 %r4, %r4, 2654435761; shr.u32 %r4, %r4, 14;\n"
               "mul.wide.u32 %rd1, %r4, 4; add.u64 %rd1, %rd0, %rd1; ld.global.u32 %r4, [%rd1];\n"
               "add.u32 %r3, %r3, %r4; add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 24; @%p bra LOOP;\n"
               "mul.wide.u32 %rd2, %r0, 4; add.u64 %rd2, %rd0, %rd2; st.global.u32 [%rd2+1048576], %r3;\n"
               "ret; }\n";
enum { INPUT = 1 << 18, BLOCKS = 96, OUTPUTS = BLOCKS * 64 };

/* On top of CLASO or not, the result is right and the same for any number of threads, and blocks are paused
 * and go on. */
static void dyncta_pauses_and_lets_go_on(void **state)
{
    (void)state;
    static const char *const admits[] = {"block_admit=dyncta", "block_admit=claso+dyncta"};
    static const char *const threads[] = {"threads=1", "threads=3"};
    uint32_t *memory = malloc((INPUT + OUTPUTS) * sizeof *memory);
    for (uint32_t i = 0; i < 2; i++) {
        char *first = NULL;
        for (uint32_t t = 0; t < 2; t++) {
            const char *const knobs[] = {"mode=cycle", "sm_count=4", "dyncta_interval=512",
                                         admits[i], threads[t], NULL};
            WbGpu *gpu = harness_open("c2050", knobs);
            for (uint32_t word = 0; word < INPUT + OUTPUTS; word++)
                memory[word] = word < INPUT ? word * 7 : 0;
            const HarnessRun run = {gpu, reads, "reads", {BLOCKS, 1, 1}, {64, 1, 1}, 0, memory, INPUT + OUTPUTS};
            harness_run_ok(&run);
            for (uint32_t thread = 0; thread < OUTPUTS; thread++) {
                uint32_t sum = 0;
                for (uint32_t round = 0; round < 24; round++)
                    sum += ((round * 12345u + thread) * 2654435761u >> 14) * 7;
                assert_int_equal(memory[INPUT + thread], sum);
            }
            assert_true(statistic(gpu, "admit_dyncta.paused") > 0);
            assert_true(statistic(gpu, "admit_dyncta.resumed") > 0);
            assert_true(statistic(gpu, "admit_dyncta.lowered") > 0);
            harness_same_report(gpu, "admit_dyncta", &first);
            wb_gpu_close(gpu);
        }
        free(first);
    }
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_case_study_runs_from_the_command_line),
        cmocka_unit_test(dyncta_pauses_and_lets_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

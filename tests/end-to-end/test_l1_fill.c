/* How long lines take to come into L1: the first sector, and each further one of the same line. */
#include <stdio.h>

#include "harness.h"

/* A warp loads words `stride` bytes apart and stores them where they were. */
static uint64_t cycles_of(const char *load, unsigned stride, const char *knob)
{
    const char *const knobs[] = {"mode=cycle", "sm_count=1", knob, NULL};
    char ptx[1024];
    uint32_t words[1024] = {0};
    WbRecord record;
    snprintf(ptx, sizeof ptx,
             PTX_HEADER ".visible .entry moves(.param .u64 data)\n"
                        "{\n"
                        ".reg .u32 %%r<3>; .reg .u64 %%d<4>;\n"
                        "ld.param.u64 %%d1, [data]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d2, %%r1, %u;\n"
                        "add.u64 %%d3, %%d1, %%d2; %s %%r2, [%%d3]; add.u32 %%r2, %%r2, 1;\n"
                        "st.global.u32 [%%d3], %%r2; ret;\n"
                        "}\n",
             stride, load);
    WbGpu *gpu = harness_open("gtx480", knobs);
    const HarnessRun run = {gpu, ptx, "moves", {1, 1, 1}, {32, 1, 1}, 0, words, 1024};
    harness_run_ok(&run);
    assert_int_equal(words[31 * stride / 4], 1);
    assert_int_equal(wb_record_at(gpu, 0, &record), WB_OK);
    wb_gpu_close(gpu);
    return record.cycles;
}

static uint64_t added(const char *load, unsigned stride)
{
    return cycles_of(load, stride, "l1_fill_sector_latency=50") -
           cycles_of(load, stride, "l1_fill_sector_latency=0");
}

static void further_sectors_take_their_time(void **state)
{
    (void)state;
    assert_int_equal(added("ld.global.u32", 4), 150);  /* a line of four sectors */
    assert_int_equal(added("ld.global.u32", 64), 50);  /* lines with two of them each */
    assert_int_equal(added("ld.global.u32", 128), 0);  /* with one each */
    assert_int_equal(added("ld.global.cg.u32", 4), 0); /* past L1 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(further_sectors_take_their_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

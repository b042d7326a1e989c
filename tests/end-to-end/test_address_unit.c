/* The SM's address unit: special registers, constants and barriers of all warps go through it one by one. */
#include <stdio.h>
#include <string.h>

#include "harness.h"

enum { READS = 64, LANES = 32 };

/* Each kernel adds up what it reads, so that the sum waits for the last one. */
static char *kernel_text(const char *read)
{
    static char text[1 << 14];
    size_t length = (size_t)snprintf(
        text, sizeof text,
        PTX_HEADER ".const .u32 zeros[64];\n.visible .entry reads()\n{\n"
                   ".reg .b32 %%r<3>; .reg .b64 %%d<3>;\nmov.u32 %%r1, %%tid.x;\nmov.u64 %%d1, zeros;\n");
    for (int i = 0; i < READS; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s\n", read);
    snprintf(text + length, sizeof text - length, "ret;\n}\n");
    return text;
}

static uint64_t cycles_of(const char *read, const char *const *more, uint32_t warps)
{
    const char *knobs[8] = {"mode=cycle", "sm_count=1"};
    for (unsigned i = 0; more && more[i]; i++)
        knobs[2 + i] = more[i];
    WbGpu *gpu = harness_open("h200", knobs);
    const WbLaunch launch = {.grid = {1, 1, 1}, .block = {LANES * warps, 1, 1}};
    WbModule *module;
    WbKernel *kernel;
    WbRecord record;
    const char *text = kernel_text(read);
    if (wb_module_load(gpu, "reads.ptx", text, strlen(text), &module) ||
        wb_module_kernel(module, "reads", &kernel) || wb_launch(kernel, &launch) || wb_wait(gpu) ||
        wb_record_at(gpu, wb_record_count(gpu) - 1, &record))
        fail_msg("%s", wb_error(gpu));
    wb_gpu_close(gpu);
    return record.cycles;
}

#define SPECIAL "mov.u32 %r2, %smid; xor.b32 %r1, %r1, %r2;"
#define CONSTANT "and.b32 %r2, %r1, 0; cvt.u64.u32 %d2, %r2; add.u64 %d2, %d1, %d2; ld.const.u32 %r1, [%d2];"
#define BARRIER "bar.sync 0;"

/* 32 warps keep the unit busy: a cycle more for each of their reads is a cycle more for the kernel. */
static void the_unit_takes_one_at_a_time(void **state)
{
    (void)state;
    static const struct {
        const char *read, *shorter, *longer;
    } cases[] = {
        {SPECIAL, "const_interval=2", "const_interval=3"},
        {CONSTANT, "const_interval=2", "const_interval=3"},
        {BARRIER, "barrier_interval=2", "barrier_interval=3"},
    };
    for (unsigned i = 0; i < 3; i++) {
        const char *const shorter[] = {cases[i].shorter, NULL}, *const longer[] = {cases[i].longer, NULL};
        const uint64_t more = cycles_of(cases[i].read, longer, 32) - cycles_of(cases[i].read, shorter, 32);
        assert_in_range(more, READS * 32 - 200, READS * 32 + 200);
    }
}

/* Two kinds of reads take as long as both do: there is one unit, not two. */
static void kinds_share_the_unit(void **state)
{
    (void)state;
    const char *const shared[] = {"address_unit=true", NULL}, *const apart[] = {"address_unit=false", NULL};
    const uint64_t barriers = cycles_of(BARRIER, shared, 32), both = cycles_of(SPECIAL BARRIER, shared, 32);
    assert_in_range(both - barriers, READS * 32 * 2 - 300, READS * 32 * 2 + 600);
    /* Without the unit special registers are read beside barriers. */
    assert_true(cycles_of(SPECIAL BARRIER, apart, 32) + READS * 32 < both);
}

/* A lone warp never finds the unit busy for long. */
static void a_lone_warp_does_not_wait(void **state)
{
    (void)state;
    const char *const shorter[] = {"const_interval=2", NULL}, *const longer[] = {"const_interval=3", NULL};
    assert_in_range(cycles_of(CONSTANT, longer, 1), cycles_of(CONSTANT, shorter, 1),
                    cycles_of(CONSTANT, shorter, 1) + 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_unit_takes_one_at_a_time),
        cmocka_unit_test(kinds_share_the_unit),
        cmocka_unit_test(a_lone_warp_does_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Shuffles share one network of an SM: how long each waits for those of other warps. */
#include <stdio.h>
#include <string.h>

#include "harness.h"

enum { SHUFFLES = 64, LANES = 32 };

/* Each shuffle takes what the one before gave. */
static char *kernel_text(void)
{
    static char text[1 << 14];
    size_t length = (size_t)snprintf(text, sizeof text,
                                     PTX_HEADER ".visible .entry chain()\n{\n.reg .b32 %%r<2>;\nmov.u32 %%r1, "
                                                "%%tid.x;\n");
    for (int i = 0; i < SHUFFLES; i++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "shfl.sync.bfly.b32 %%r1, %%r1, 1, 31, -1;\n");
    snprintf(text + length, sizeof text - length, "ret;\n}\n");
    return text;
}

static uint64_t cycles_of(const char *knob, uint32_t warps)
{
    const char *const knobs[] = {"mode=cycle", "sm_count=1", knob, NULL};
    WbGpu *gpu = harness_open("h200", knobs);
    const WbLaunch launch = {.grid = {1, 1, 1}, .block = {LANES * warps, 1, 1}};
    WbModule *module;
    WbKernel *kernel;
    WbRecord record;
    const char *text = kernel_text();
    if (wb_module_load(gpu, "exchange.ptx", text, strlen(text), &module) ||
        wb_module_kernel(module, "chain", &kernel) || wb_launch(kernel, &launch) || wb_wait(gpu) ||
        wb_record_at(gpu, wb_record_count(gpu) - 1, &record))
        fail_msg("%s", wb_error(gpu));
    wb_gpu_close(gpu);
    return record.cycles;
}

/* A lone warp's chain waits for itself only where a shuffle takes the network longer than its own 24 cycles. */
static void one_warp_waits_for_itself(void **state)
{
    (void)state;
    const uint64_t free = cycles_of("exchange_lanes=0", 1);
    assert_int_equal(cycles_of("exchange_lanes=32", 1), free);
    assert_int_equal(cycles_of("exchange_lanes=2", 1), free); /* 16 cycles each */
    /* How much of the last one's wait shows hangs on what the warp's end waits for; the first one waits for
     * the thread's index, which comes by the same network. */
    assert_in_range(cycles_of("exchange_lanes=1", 1), free + (SHUFFLES - 2) * (32 - 24),
                    free + SHUFFLES * (32 - 24));
}

/* 24 warps keep the network busy in each of the 24 cycles of a shuffle, 25 do so for one cycle more. */
static void warps_wait_for_each_other(void **state)
{
    (void)state;
    const uint64_t just = cycles_of("exchange_lanes=32", 24);
    assert_in_range(cycles_of("exchange_lanes=32", 32), just + (SHUFFLES - 1) * (32 - 24) - LANES,
                    just + (SHUFFLES - 1) * (32 - 24) + LANES);
    assert_in_range(just, cycles_of("exchange_lanes=0", 24), cycles_of("exchange_lanes=0", 24) + LANES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_warp_waits_for_itself),
        cmocka_unit_test(warps_wait_for_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

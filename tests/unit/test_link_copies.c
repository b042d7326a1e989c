/* Copies between GPUs and the host in a system of several: their time on links and PCIe, alone, beside each
 * other, and through the host. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"

enum { GPUS = 3, BYTES = 1 << 20 };

/* A cycle is a nanosecond; links have 8,000 MB/s of data in 9,000, PCIe 4,000, and copies to the host 2,000. */
static const char *const knobs[][2] = {
    {"clock_khz", "1000000"},       {"link_rate", "9000"},         {"link_flit_bytes", "16"},
    {"link_header_flits", "1"},     {"pcie_rate", "4750"},         {"pcie_flit_bytes", "4"},
    {"pcie_header_flits", "6"},     {"host_copy_rate", "2000"},    {"host_copy_latency_ns", "100"},
    {"peer_copy_latency_ns", "50"}, {"peer_stage_bytes", "65536"}, {"peer_stage_latency_ns", "200"},
};

typedef struct Rig {
    WbGpu *gpus[GPUS];
    uint64_t memory[GPUS][2];
    uint8_t *host;
} Rig;

static void build(Rig *rig, const char *topology, bool peers)
{
    const char *const names[GPUS] = {"gtx480", "gtx480", "gtx480"};
    assert_int_equal(wb_gpus_open(names, GPUS, rig->gpus, NULL, 0), WB_OK);
    rig->host = malloc(BYTES);
    memset(rig->host, 7, BYTES);
    for (uint32_t i = 0; i < GPUS; i++) {
        assert_int_equal(wb_gpu_set(rig->gpus[i], "link_topology", topology), WB_OK);
        for (size_t k = 0; k < sizeof knobs / sizeof *knobs; k++)
            assert_int_equal(wb_gpu_set(rig->gpus[i], knobs[k][0], knobs[k][1]), WB_OK);
        for (uint32_t k = 0; k < 2; k++)
            assert_int_equal(wb_malloc(rig->gpus[i], BYTES, &rig->memory[i][k]), WB_OK);
        for (uint32_t k = 0; k < GPUS; k++)
            if (k != i && peers)
                assert_int_equal(wb_peer_enable(rig->gpus[i], rig->gpus[k], true), WB_OK);
    }
}

static void demolish(Rig *rig)
{
    for (uint32_t i = 0; i < GPUS; i++)
        wb_gpu_close(rig->gpus[i]);
    free(rig->host);
}

static void copy(WbGpu *gpu, WbRegion to, WbRegion from, size_t bytes)
{
    const WbCopy wanted = {.destination = to, .source = from, .width = bytes, .height = 1, .depth = 1};
    assert_int_equal(wb_stream_copy(gpu, NULL, &wanted), WB_OK);
}

static void peer_copy(const Rig *rig, uint32_t to, uint32_t from, size_t bytes)
{
    copy(rig->gpus[to], (WbRegion){.address = rig->memory[to][0]},
         (WbRegion){.address = rig->memory[from][1]}, bytes);
}

/* Nanoseconds until the GPU's copies have ended. */
static uint64_t end_of(const Rig *rig, uint32_t gpu)
{
    assert_int_equal(wb_wait(rig->gpus[gpu]), WB_OK);
    return rig->gpus[gpu]->now;
}

static void a_copy_takes_latency_and_bytes(void **state)
{
    (void)state;
    Rig rig;
    build(&rig, "switch", true);
    peer_copy(&rig, 1, 0, 800000);
    assert_int_equal(end_of(&rig, 1), 50 + 100000);
    demolish(&rig);
    build(&rig, "mesh", true); /* half of the rate for each of two peers */
    peer_copy(&rig, 1, 0, 800000);
    assert_int_equal(end_of(&rig, 1), 50 + 200000);
    demolish(&rig);
    build(&rig, "pcie", true);
    peer_copy(&rig, 1, 0, 800000);
    assert_int_equal(end_of(&rig, 1), 50 + 200000);
    const uint64_t before = rig.gpus[1]->now;
    copy(rig.gpus[1], (WbRegion){.address = rig.memory[1][0]},
         (WbRegion){.address = (uint64_t)(uintptr_t)rig.host, .is_host = true}, 800000);
    assert_int_equal(end_of(&rig, 1) - before, 100 + 400000);
    uint8_t byte;
    assert_int_equal(wb_copy_from_device(rig.gpus[1], &byte, rig.memory[1][0] + 799999, 1), WB_OK);
    assert_int_equal(byte, 7);
    demolish(&rig);
}

/* Two into one GPU share its port; the one that is shorter leaves the rest to the other. */
static void copies_into_one_gpu_share_its_port(void **state)
{
    (void)state;
    Rig rig;
    build(&rig, "switch", true);
    const WbRegion to[] = {{.address = rig.memory[2][0]}, {.address = rig.memory[2][1]}};
    copy(rig.gpus[0], to[0], (WbRegion){.address = rig.memory[0][0]}, 800000);
    copy(rig.gpus[1], to[1], (WbRegion){.address = rig.memory[1][0]}, 400000);
    assert_int_equal(end_of(&rig, 1), 50 + 100000);
    assert_int_equal(end_of(&rig, 0), 50 + 150000);
    demolish(&rig);
}

static void other_ports_are_free(void **state)
{
    (void)state;
    Rig rig;
    build(&rig, "switch", true);
    peer_copy(&rig, 1, 0, 800000);
    peer_copy(&rig, 2, 1, 800000); /* out of 1, while the other comes in */
    copy(rig.gpus[0], (WbRegion){.address = (uint64_t)(uintptr_t)rig.host, .is_host = true},
         (WbRegion){.address = rig.memory[0][0]}, 200000);
    assert_int_equal(end_of(&rig, 1), 50 + 100000);
    assert_int_equal(end_of(&rig, 2), 50 + 100000);
    assert_int_equal(end_of(&rig, 0), 100 + 100000);
    demolish(&rig);
}

/* Pieces of 65,536 bytes take 32,768 ns and a call of 100 each; the first goes to the host alone, behind
 * 200 of the whole copy. */
static void without_access_the_host_is_between(void **state)
{
    (void)state;
    Rig rig;
    build(&rig, "switch", false);
    peer_copy(&rig, 1, 0, 16 * 65536);
    const double alone = 16 * 32868 + 32768 + 200;
    assert_true((double)end_of(&rig, 1) > 0.999 * alone && (double)end_of(&rig, 1) < 1.001 * alone);
    demolish(&rig);
}

/* Of the node's port, or of a path, over all samples. */
static uint64_t counted(const Rig *rig, LinkRow row, uint32_t node, uint32_t other)
{
    return link_series_sum(&rig->gpus[0]->system->links, row, node * (GPUS + 1) + other);
}

/* In samples of 10,000 cycles: the first byte moves in cycle 50, 8 a cycle. */
static void what_copies_move_is_counted(void **state)
{
    (void)state;
    Rig rig;
    build(&rig, "switch", true);
    System *system = rig.gpus[0]->system;
    for (uint32_t i = 0; i < GPUS; i++)
        assert_int_equal(wb_gpu_set(rig.gpus[i], "sample_interval", "10000"), WB_OK);
    peer_copy(&rig, 1, 0, 800000);
    assert_int_equal(end_of(&rig, 1), 50 + 100000);
    const uint32_t path = 0 * (GPUS + 1) + 1;
    assert_int_equal(system->links.places.count, 11);
    assert_int_equal(link_series_value(&system->links, 0, LINK_ROW_BYTES, path), 8 * (10000 - 50));
    assert_int_equal(link_series_value(&system->links, 5, LINK_ROW_BYTES, path), 8 * 10000);
    assert_int_equal(link_series_value(&system->links, 10, LINK_ROW_BYTES, path), 8 * 50);
    assert_int_equal(counted(&rig, LINK_ROW_BYTES, 0, 1), 800000);
    assert_int_equal(counted(&rig, LINK_ROW_BUSY_OUT, 0, 0), 100000);
    assert_int_equal(counted(&rig, LINK_ROW_BUSY_IN, 1, 1), 100000);
    assert_int_equal(counted(&rig, LINK_ROW_BUSY_OUT, 1, 1), 0);
    const LinkCopied copied = link_copied(system, 0, 1);
    assert_int_equal(copied.copies, 1);
    assert_int_equal(copied.bytes, 800000);
    assert_int_equal(copied.cycles, 50 + 100000);
    wb_stats_reset(rig.gpus[0]);
    assert_int_equal(link_copied(system, 0, 1).copies, 0);
    demolish(&rig);
}

/* Two that share a port fill it together; through the host, bytes take two paths and both PCIe ports. */
static void shared_ports_are_busy_once(void **state)
{
    (void)state;
    Rig rig;
    build(&rig, "switch", true);
    for (uint32_t i = 0; i < GPUS; i++)
        assert_int_equal(wb_gpu_set(rig.gpus[i], "sample_interval", "1000"), WB_OK);
    peer_copy(&rig, 2, 0, 800000);
    copy(rig.gpus[1], (WbRegion){.address = rig.memory[2][1]}, (WbRegion){.address = rig.memory[1][0]},
         400000);
    assert_int_equal(end_of(&rig, 2), 50 + 150000);
    assert_int_equal(counted(&rig, LINK_ROW_BUSY_IN, 2, 2), 150000);
    assert_int_equal(counted(&rig, LINK_ROW_BUSY_OUT, 0, 0), 100000);
    assert_int_equal(counted(&rig, LINK_ROW_BYTES, 1, 2), 400000);
    demolish(&rig);
    build(&rig, "switch", false);
    assert_int_equal(wb_gpu_set(rig.gpus[0], "sample_interval", "1000"), WB_OK);
    peer_copy(&rig, 1, 0, 131072);
    end_of(&rig, 1);
    assert_int_equal(counted(&rig, LINK_ROW_BYTES, 0, 1), 0);
    assert_int_equal(counted(&rig, LINK_ROW_BYTES, 0, GPUS), 131072);
    assert_int_equal(counted(&rig, LINK_ROW_BYTES, GPUS, 1), 131072);
    assert_int_equal(counted(&rig, LINK_ROW_BUSY_OUT, 0, GPUS), 65536);
    assert_int_equal(counted(&rig, LINK_ROW_BUSY_IN, 1, GPUS), 65536);
    assert_int_equal(link_copied(rig.gpus[0]->system, 0, 1).bytes, 131072);
    demolish(&rig);
}

/* Kernels that fail take copies with them. */
static void dropped_copies_leave_nothing(void **state)
{
    (void)state;
    Rig rig;
    build(&rig, "switch", true);
    peer_copy(&rig, 1, 0, 800000);
    peer_copy(&rig, 2, 0, 800000);
    wb_gpu_close(rig.gpus[1]);
    rig.gpus[1] = NULL;
    assert_int_equal(rig.gpus[0]->system->link_copies.count, 0);
    const uint64_t before = rig.gpus[2]->now;
    peer_copy(&rig, 2, 0, 800000);
    assert_int_equal(end_of(&rig, 2) - before, 50 + 100000);
    demolish(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_takes_latency_and_bytes),
        cmocka_unit_test(copies_into_one_gpu_share_its_port),
        cmocka_unit_test(other_ports_are_free),
        cmocka_unit_test(without_access_the_host_is_between),
        cmocka_unit_test(what_copies_move_is_counted),
        cmocka_unit_test(shared_ports_are_busy_once),
        cmocka_unit_test(dropped_copies_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

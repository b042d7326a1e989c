/* Every way to touch global memory is seen by a watch, in functional and in cycle mode: seen through the
 * profile of two launches, of which one writes what the other touches. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "warpbeam_graph.h"

/* The instruction of a kernel with %mem: 256 bytes of global memory; %shm: the same of shared memory; %tex: a
 * texture over %mem, %bar: an mbarrier that 64 bytes complete. */
static const char before[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                             ".visible .entry k(.param .u64 mem, .param .u64 tex)\n"
                             "{\n"
                             "    .reg .pred %p;\n"
                             "    .reg .b32 %r<8>, %shm, %bar;\n"
                             "    .reg .b16 %h;\n"
                             "    .reg .b64 %d<4>, %mem, %tex;\n"
                             "    .shared .align 16 .b8 space[256];\n"
                             "    .shared .align 8 .b64 barrier;\n"
                             "    ld.param.u64 %mem, [mem];\n"
                             "    ld.param.u64 %tex, [tex];\n"
                             "    mov.u32 %r7, 0;\n"
                             "    mov.u32 %shm, space;\n"
                             "    mov.u32 %bar, barrier;\n"
                             "    mbarrier.init.shared.b64 [%bar], 1;\n"
                             "    mbarrier.arrive.expect_tx.shared.b64 %d3, [%bar], 64;\n";
static const char after[] = "    ret;\n}\n";

static const char *const readers[] = {
    "ld.global.u32 %r0, [%mem];",
    "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%mem];",
    "ld.global.nc.u64 %d0, [%mem];",
    "ldu.global.u32 %r0, [%mem];",
    "ld.u32 %r0, [%mem];",
    "ld.global.u8 %h, [%mem+3];",
    "ld.volatile.global.u32 %r0, [%mem];",
    "cp.async.ca.shared.global [%shm], [%mem], 16; cp.async.wait_all;",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%shm], [%mem], 64, [%bar];",
    "tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%tex, {%r7}];",
    "atom.global.add.u32 %r0, [%mem], 1;",
    "red.global.add.u32 [%mem], 1;",
};

static const char *const writers[] = {
    "st.global.u32 [%mem], 7;",
    "st.global.v2.u64 [%mem], {%d0, %d0};",
    "st.u32 [%mem], %r0;",
    "mov.b16 %h, 1; st.global.u8 [%mem], %h; st.global.u8 [%mem+3], %h;",
    "cp.async.bulk.global.shared::cta.bulk_group [%mem], [%shm], 32; cp.async.bulk.commit_group; "
    "cp.async.bulk.wait_group 0;",
};

enum { READERS = sizeof readers / sizeof *readers, WRITERS = sizeof writers / sizeof *writers };

/* Kernels and what they are launched with. */
typedef struct Rig {
    WbGpu *gpu;
    uint64_t address, texture;
    WbKernel *readers[READERS], *writers[WRITERS];
} Rig;

static WbKernel *load(WbGpu *gpu, const char *instruction)
{
    char text[4096];
    WbModule *module;
    WbKernel *kernel;
    snprintf(text, sizeof text, "%s%s%s", before, instruction, after);
    if (wb_module_load(gpu, "k.ptx", text, strlen(text), &module) || wb_module_kernel(module, "k", &kernel))
        fail_msg("%s: %s", instruction, wb_error(gpu));
    return kernel;
}

static Rig begin(const char *mode)
{
    Rig rig = {.gpu = harness_open("h200", (const char *const[]){mode, "sm_count=2", NULL})};
    assert_int_equal(wb_malloc(rig.gpu, 1024, &rig.address), WB_OK);
    const WbTexture texture = {.shape = WB_TEXTURE_BUFFER,
                               .address = rig.address,
                               .width = 16,
                               .channel = WB_CHANNEL_SIGNED,
                               .channels = 1,
                               .channel_bits = 32};
    assert_int_equal(wb_texture_create(rig.gpu, &texture, &rig.texture), WB_OK);
    for (size_t i = 0; i < READERS; i++)
        rig.readers[i] = load(rig.gpu, readers[i]);
    for (size_t i = 0; i < WRITERS; i++)
        rig.writers[i] = load(rig.gpu, writers[i]);
    return rig;
}

static void launch(const Rig *rig, WbKernel *kernel, uint64_t address)
{
    if (wb_launch(kernel, &(WbLaunch){.grid = {1, 1, 1},
                                      .block = {1, 1, 1},
                                      .argument_count = 2,
                                      .arguments = (WbArgument[]){WB_ARG(address), WB_ARG(rig->texture)}}))
        fail_msg("%s", wb_error(rig->gpu));
}

/* Edges between a launch of one kernel and one of the other, which touches `offset` bytes further. */
static uint64_t edges(const Rig *rig, WbKernel *first, WbKernel *second, uint64_t offset)
{
    WbGraph *graph;
    assert_int_equal(wb_profile_begin(rig->gpu), WB_OK);
    launch(rig, first, rig->address);
    launch(rig, second, rig->address + offset);
    if (wb_profile_end(rig->gpu, &graph))
        fail_msg("%s", wb_error(rig->gpu));
    const uint64_t count = wb_graph_edge_count(graph);
    wb_graph_destroy(graph);
    return count;
}

static void see_all(const char *mode)
{
    const Rig rig = begin(mode);
    for (size_t r = 0; r < READERS; r++)
        for (size_t w = 0; w < WRITERS; w++) {
            if (edges(&rig, rig.writers[w], rig.readers[r], 0) != 1)
                fail_msg("%s: \"%s\" does not follow \"%s\"", mode, readers[r], writers[w]);
            if (edges(&rig, rig.readers[r], rig.writers[w], 0) != 1)
                fail_msg("%s: \"%s\" does not follow \"%s\"", mode, writers[w], readers[r]);
            if (edges(&rig, rig.readers[r], rig.writers[w], 256))
                fail_msg("%s: \"%s\" follows \"%s\", which is elsewhere", mode, writers[w], readers[r]);
        }
    wb_gpu_close(rig.gpu);
}

static void test_functional(void **state)
{
    (void)state;
    see_all("mode=functional");
}

static void test_cycle(void **state)
{
    (void)state;
    see_all("mode=cycle");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functional),
        cmocka_unit_test(test_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Memory instructions leave the same memory behind in cycle mode as in functional mode: the bytes that
 * take the long way through the load/store unit, L1, crossbar and L2 arrive where they should, on GPUs
 * with and without a global L1 and with wavefronts. */
#include "run_ptx.h"

enum { THREADS = 64, WORDS = 4096 };

typedef struct Program {
    const char *name, *outside, *body;
    bool needs_warps; /* of 32 */
} Program;

/* %rd1 is the thread's own share of 256 bytes. */
static const Program programs[] = {
    {"own loads and stores", "",
     "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1]; st.global.v4.u32 [%rd1+64], {%r4,%r3,%r2,%r1};\n"
     "ld.global.u8 %r5, [%rd1+3]; st.global.u8 [%rd1+129], %r5; ld.global.s16 %r6, [%rd1+2];\n"
     "st.global.u32 [%rd1+132], %r6; ld.global.u64 %rd4, [%rd1+64]; st.global.u64 [%rd1+200], %rd4;\n"
     "ld.global.u32 %r7, [%rd1+200]; add.u32 %r7, %r7, 1; st.global.u32 [%rd1+200], %r7;\n"
     "ld.global.cg.u32 %r8, [%rd1+200]; st.global.u32 [%rd1+204], %r8;",
     false},
    {"scattered", "",
     "mul.lo.u32 %r1, %r0, 37; and.b32 %r1, %r1, 63; mul.wide.u32 %rd2, %r1, 260; add.u64 %rd2, %rd2, %rd0;\n"
     "and.b64 %rd2, %rd2, -4; ld.global.u32 %r2, [%rd2]; bar.sync 0; setp.gt.u32 %p1, %r0, 5;\n"
     "@%p1 st.global.u32 [%rd1+8], %r2;",
     false},
    {"atomics", "",
     "atom.global.add.u32 %r1, [%rd1+4], 5; st.global.u32 [%rd1+8], %r1; red.global.xor.b32 [%rd0], %r0;\n"
     "atom.global.cas.b64 %rd2, [%rd1+16], 0, %rd0; atom.global.exch.b128 %q1, [%rd1+32], %q2;\n"
     "red.global.add.v2.f32 [%rd0+1048], {0f3F800000, 0f40000000};\n"
     "atom.global.add.f64 %d1, [%rd0+2072], 0d3FF0000000000000; ld.global.u32 %r3, [%rd1+4];\n"
     "st.global.u32 [%rd1+12], %r3; mov.b128 {%rd5, %rd6}, %q1; st.global.u64 [%rd1+48], %rd6;",
     false},
    {"vector atomics of one place", "",
     "mov.u32 %r1, 0x3C003C00;\n"
     "red.global.add.noftz.v4.f16x2 [%rd0+64], {%r1, %r1, %r1, %r1};\n"
     "red.global.max.noftz.v2.bf16x2 [%rd0+96], {%r0, %r0};",
     false},
    {"local memory", "",
     ".local .align 8 .b8 room[256]; mov.u64 %rd2, room; ld.global.v2.u32 {%r1,%r2}, [%rd1];\n"
     "st.local.v2.u32 [%rd2+16], {%r1,%r2}; and.b32 %r3, %r0, 31; mul.wide.u32 %rd3, %r3, 4;\n"
     "add.u64 %rd3, %rd3, %rd2; st.local.u32 [%rd3+32], %r0; ld.local.u32 %r4, [%rd3+32];\n"
     "ld.local.u64 %rd5, [%rd2+16]; st.global.u64 [%rd1+8], %rd5; st.global.u32 [%rd1+4], %r4;\n"
     "cvta.local.u64 %rd6, %rd2; ld.u8 %r5, [%rd6+17]; st.global.u32 [%rd1+20], %r5;",
     false},
    {"constants and parameters", ".const .u32 table[64] = {9,8,7,6,5,4,3,2,1};",
     "mov.u64 %rd2, table; and.b32 %r1, %r0, 7; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd2, %rd2, %rd3;\n"
     "ld.const.u32 %r2, [%rd2]; st.global.u32 [%rd1], %r2; ld.param.u32 %r3, [extra+12];\n"
     "st.global.u32 [%rd1+4], %r3;",
     false},
    {"lanes in several spaces", ".shared .align 8 .b8 box[512];",
     "mov.u32 %r1, box; cvt.u64.u32 %rd2, %r1; cvta.shared.u64 %rd2, %rd2; mul.wide.u32 %rd3, %r0, 8;\n"
     "add.u64 %rd2, %rd2, %rd3; st.u64 [%rd2], %rd3; and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0;\n"
     "selp.u64 %rd4, %rd1, %rd2, %p1; ld.u64 %rd5, [%rd4]; st.global.u64 [%rd1+8], %rd5;\n"
     "add.u64 %rd5, %rd5, 7; st.u64 [%rd4], %rd5; bar.sync 0; ld.shared.u64 %rd6, [box+8];\n"
     "st.global.u64 [%rd1+16], %rd6; atom.add.u64 %rd7, [%rd4], 3; st.global.u64 [%rd1+24], %rd7;",
     false},
    {"asynchronous copies", ".shared .align 16 .b8 box[4096];",
     "mov.u32 %r1, box; mad.lo.u32 %r2, %r0, 32, %r1; cp.async.cg.shared.global [%r2], [%rd1], 16;\n"
     "cp.async.commit_group; cp.async.ca.shared.global [%r2+16], [%rd1+128], 16, 5;\n"
     "cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %r3, [%r2]; cp.async.wait_all;\n"
     "ld.shared.u64 %rd2, [%r2+16]; st.global.u32 [%rd1+4], %r3; st.global.u64 [%rd1+8], %rd2;",
     false},
    {"copies and an mbarrier", ".shared .align 16 .b8 box[1024]; .shared .align 8 .b64 bar;",
     "mov.u32 %r1, box; mov.u32 %r2, bar; setp.ne.u32 %p1, %r0, 0;\n"
     "@!%p1 mbarrier.init.shared.b64 [%r2], 64; bar.sync 0; mad.lo.u32 %r3, %r0, 16, %r1;\n"
     "cp.async.cg.shared.global [%r3], [%rd1], 16; cp.async.mbarrier.arrive.noinc.shared.b64 [%r2];\n"
     "AGAIN: mbarrier.test_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra AGAIN;\n"
     "xor.b32 %r4, %r3, 16; ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd1+4], %r5;",
     false},
    /* Arrivals that come on top of those that the phase expects: it must not end before them. */
    {"an mbarrier that expects more for copies",
     ".shared .align 16 .b8 box[1024]; .shared .align 8 .b64 bar;",
     "mov.u32 %r1, box; mov.u32 %r2, bar; setp.ne.u32 %p1, %r0, 0;\n"
     "@!%p1 mbarrier.init.shared.b64 [%r2], 64; bar.sync 0; mad.lo.u32 %r3, %r0, 16, %r1;\n"
     "cp.async.cg.shared.global [%r3], [%rd1], 16; cp.async.mbarrier.arrive.shared.b64 [%r2];\n"
     "mbarrier.arrive.shared.b64 %rd2, [%r2];\n"
     "AGAIN: mbarrier.test_wait.shared.b64 %p2, [%r2], %rd2; @!%p2 bra AGAIN;\n"
     "xor.b32 %r4, %r3, 16; ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd1+4], %r5;",
     false},
    /* Eight rounds through two stages, each with an mbarrier; two copies of a thread are under way at a time,
     * in the first round with two arrivals; addresses of the window and of generic memory. */
    {"stages of copies", ".shared .align 16 .b8 box[4096]; .shared .align 8 .b64 bar[2];",
     "mov.u32 %r1, box; mov.u32 %r2, bar; setp.ne.u32 %p1, %r0, 0; mad.lo.u32 %r3, %r0, 16, %r1;\n"
     "@!%p1 mbarrier.init.shared.b64 [%r2], 64; @!%p1 mbarrier.init.shared.b64 [%r2+8], 64; bar.sync 0;\n"
     "cvt.u64.u32 %rd2, %r2; cvta.shared.u64 %rd2, %rd2; mov.u32 %r10, 0; mov.u32 %r20, 0;\n"
     "cp.async.cg.shared.global [%r3], [%rd1], 16; cp.async.mbarrier.arrive.b64 [%rd2];\n"
     "cp.async.mbarrier.arrive.shared::cta.b64 [%r2]; mbarrier.arrive.shared.b64 _, [%r2];\n"
     "ROUND: and.b32 %r11, %r10, 1; xor.b32 %r12, %r11, 1; mad.lo.u32 %r13, %r12, 2048, %r3;\n"
     "mad.lo.u32 %r14, %r12, 8, %r2; mul.wide.u32 %rd4, %r10, 16; add.u64 %rd4, %rd4, %rd1;\n"
     "cp.async.ca.shared.global [%r13], [%rd4+16], 16; cp.async.mbarrier.arrive.shared.b64 [%r14];\n"
     "mbarrier.arrive.shared.b64 _, [%r14]; mad.lo.u32 %r15, %r11, 8, %r2; shr.u32 %r16, %r10, 1;\n"
     "and.b32 %r16, %r16, 1;\n"
     "AGAIN: mbarrier.test_wait.parity.shared.b64 %p2, [%r15], %r16; @!%p2 bra AGAIN;\n"
     "mad.lo.u32 %r17, %r11, 2048, %r3; xor.b32 %r17, %r17, 16; ld.shared.u32 %r18, [%r17];\n"
     "mad.lo.u32 %r20, %r20, 31, %r18; bar.sync 0; add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 8;\n"
     "@%p3 bra ROUND; st.global.u32 [%rd1+252], %r20;",
     false},
    {"bulk copies", ".shared .align 16 .b8 box[2048]; .shared .align 8 .b64 bar;",
     "mov.u32 %r1, box; mov.u32 %r2, bar; setp.ne.u32 %p1, %r0, 0; @%p1 bra WAIT;\n"
     "mbarrier.init.shared.b64 [%r2], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 1104;\n"
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0+48], 1104, [%r2];\n"
     "WAIT: bar.sync 0;\n"
     "AGAIN: mbarrier.test_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra AGAIN;\n"
     "mad.lo.u32 %r3, %r0, 16, %r1; st.shared.u32 [%r3], %r0; bar.sync 0; @%p1 bra END;\n"
     "cp.async.bulk.global.shared::cta.bulk_group [%rd0+8192], [%r1], 1104;\n"
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:",
     false},
    {"matrices", ".shared .align 32 .b8 box[2048];",
     "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%rd0], 16;\n"
     "wmma.load.a.sync.aligned.col.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd0+1024];\n"
     "mov.u32 %r20, box; cvt.u64.u32 %rd3, %r20; bar.sync 0; setp.gt.u32 %p1, %r0, 31; @%p1 bra END;\n"
     "wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%rd0+4096], {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};\n"
     "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%rd3], {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};\n"
     "mad.lo.u32 %r9, %r0, 32, %r20; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10,%r11,%r12,%r13}, [%r9];\n"
     "st.global.v4.u32 [%rd1+128], {%r1,%r2,%r3,%r4}; st.global.v4.u32 [%rd1+144], {%r10,%r11,%r12,%r13}; "
     "END:",
     true},
};

static void run_mode(const char *configuration, const char *mode, const Program *program, uint32_t *data)
{
    char error[1024];
    WbGpu *gpu;
    if (wb_gpu_open(configuration, &gpu, error, sizeof error) != WB_OK)
        fail_msg("%s", error);
    assert_int_equal(wb_gpu_set(gpu, "mode", mode), WB_OK);
    for (uint32_t i = 0; i < WORDS; i++)
        data[i] = i * 2654435761u >> 9;
    run_ok(gpu, program->outside, program->body, THREADS, data, WORDS * sizeof *data);
    wb_gpu_close(gpu);
}

static void compare(const char *configuration)
{
    static uint32_t functional[WORDS], cycle[WORDS];
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (programs[i].needs_warps && !strcmp(configuration, "apu8"))
            continue;
        run_mode(configuration, "functional", &programs[i], functional);
        run_mode(configuration, "cycle", &programs[i], cycle);
        for (uint32_t word = 0; word < WORDS; word++)
            if (functional[word] != cycle[word])
                fail_msg("%s on %s: word %u is 0x%x and should be 0x%x", programs[i].name, configuration,
                         word, cycle[word], functional[word]);
    }
}

static void cached(void **state)
{
    (void)state;
    compare("h200");
}
static void not_cached(void **state)
{
    (void)state;
    compare("k20c");
}
static void wavefronts(void **state)
{
    (void)state;
    compare("apu8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cached), cmocka_unit_test(not_cached),
                                       cmocka_unit_test(wavefronts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

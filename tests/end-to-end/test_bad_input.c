/* Everything that can be wrong with a module, a launch or a running kernel is told in one sentence that
 * names what, where and who; and the next launch works. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

/* The body begins at line 8 of test.ptx. %rd1: the output, 256 bytes; %r1: the thread; %rd2: its word. */
#define HEAD                                                                                                 \
    ".visible .entry k(.param .u64 out)\n{\n"                                                                \
    ".reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<8>;\n"                              \
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n"
#define KERNEL(body) PTX_HEADER HEAD body "ret;\n}\n"
#define GOOD KERNEL("add.u32 %r2, %r1, 7; st.global.u32 [%rd2], %r2;\n")

enum { WORDS = 64 };

typedef struct Case {
    const char *ptx;
    WbStatus status;
    const char *parts[8];
    uint32_t blocks, threads, shared; /* 0: 1 block, 64 threads, no shared memory */
    const char *kernel;               /* null: k */
} Case;

#define BAD(text, code, ...)                                                                                 \
    {                                                                                                        \
        .ptx = text, .status = code, .parts = { __VA_ARGS__ }                                                \
    }

static void check_good(WbGpu *gpu)
{
    uint32_t out[WORDS] = {0};
    harness_run_ok(&(HarnessRun){gpu, GOOD, "k", {1, 1, 1}, {WORDS, 1, 1}, 0, out, WORDS});
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(out[i], i + 7);
}

static void check_case(WbGpu *gpu, const Case *c)
{
    uint32_t out[WORDS] = {0};
    const char *const *p = c->parts;
    HarnessRun run = {gpu,
                      c->ptx,
                      c->kernel ? c->kernel : "k",
                      {c->blocks ? c->blocks : 1, 1, 1},
                      {c->threads ? c->threads : WORDS, 1, 1},
                      c->shared,
                      out,
                      WORDS};
    harness_run_error(&run, c->status, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], (char *)NULL);
    check_good(gpu);
}

static void check_cases(const Case *cases, size_t count)
{
    static const char *const knobs[] = {"functional_limit=2000000", "watchdog_cycles=0", NULL};
    WbGpu *gpu = harness_open("h200", knobs);
    for (size_t i = 0; i < count; i++)
        check_case(gpu, &cases[i]);
    wb_gpu_close(gpu);
}
#define CHECK(cases) check_cases(cases, sizeof(cases) / sizeof *(cases))

static void test_broken_ptx(void **state)
{
    (void)state;
    static const Case cases[] = {
        BAD(KERNEL("add.u32 %r2, %r1 7;\n"), WB_ERROR_PTX, "test.ptx:8:", "expected", "add.u32 %r2, %r1 7;",
            "^"),
        BAD(KERNEL("add.u32 %r2, %r1, %r99;\n"), WB_ERROR_PTX, "test.ptx:8:", "%r99",
            "add.u32 %r2, %r1, %r99;"),
        BAD(KERNEL("add.u32 %r2, %rd1, 4;\n"), WB_ERROR_PTX, "test.ptx:8:", "add.u32 %r2, %rd1, 4;"),
        BAD(KERNEL("bra NOWHERE;\n"), WB_ERROR_PTX, "test.ptx:8:", "NOWHERE"),
        BAD(KERNEL("frobnicate.u32 %r2, %r1;\n"), WB_ERROR_UNSUPPORTED, "test.ptx:8:1:", "frobnicate"),
        BAD(KERNEL("ld.global.u32 %r2, [%rd1+;\n"), WB_ERROR_PTX, "test.ptx:8:", "expected"),
        BAD(KERNEL("X: X: mov.u32 %r2, 1;\n"), WB_ERROR_PTX, "test.ptx:8:", "X"),
        BAD(KERNEL(".reg .u32 %r<5>;\n"), WB_ERROR_PTX, "test.ptx:8:", "%r"),
        BAD(KERNEL("mov.u32 %r2, \"text\";\n"), WB_ERROR_PTX, "test.ptx:8:"),
        BAD(PTX_HEADER HEAD "mov.u32 %r2, 1;\n", WB_ERROR_PTX, "test.ptx:9:", "}"),
        BAD(".target sm_80\n", WB_ERROR_PTX, "test.ptx:1:", ".version"),
        BAD("", WB_ERROR_PTX, "test.ptx:1:", ".version"),
        BAD(PTX_HEADER "@ what is this\n", WB_ERROR_PTX, "test.ptx:4:1", "@ what is this"),
        BAD(PTX_HEADER ".global .u32 a[2] = {1, 2, 3};\n", WB_ERROR_PTX, "test.ptx:4:", "a"),
        BAD(PTX_HEADER ".global .u32 a; .global .u32 a;\n", WB_ERROR_PTX, "test.ptx:4:", "a"),
    };
    CHECK(cases);
}

#define TENSOR "tcgen05.wait::ld.sync.aligned;\n"
#define TENSOR_FUNCTION                                                                                      \
    PTX_HEADER ".func deep()\n{\n.reg .f32 %f<8>; .reg .b64 %rd<2>;\n" TENSOR "ret;\n}\n"                    \
               ".func shallow()\n{\ncall deep;\nret;\n}\n"

static void test_unsupported(void **state)
{
    (void)state;
    static const Case cases[] = {
        BAD(KERNEL(TENSOR), WB_ERROR_UNSUPPORTED, "test.ptx:8:1:", "'k'", "tcgen05.wait::ld.sync.aligned"),
        BAD(TENSOR_FUNCTION HEAD "call shallow;\nret;\n}\n", WB_ERROR_UNSUPPORTED, "test.ptx:7:1:", "'k'",
            "'deep'", "tcgen05"),
        /* A pointer may lead to any function whose address is taken. */
        BAD(TENSOR_FUNCTION HEAD
            "P: .callprototype _ ();\nmov.u64 %rd3, shallow; call %rd3, (), P;\nret;\n}\n",
            WB_ERROR_UNSUPPORTED, "test.ptx:7", "'deep'", "tcgen05"),
        BAD(PTX_HEADER ".extern .func (.param .b32 r) nobody(.param .b32 a);\n" HEAD
                       "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1;\ncall (r), nobody, (a); "
                       "ld.param.b32 %r2, [r]; }\nret;\n}\n",
            WB_ERROR_UNSUPPORTED, "test.ptx:10", "'k'", "'nobody'", "no body"),
    };
    CHECK(cases);
}

/* The module's other kernels run. */
static void test_others_run(void **state)
{
    (void)state;
    WbGpu *gpu = harness_open("h200", NULL);
    uint32_t out[WORDS] = {0};
    HarnessRun run = {gpu,
                      TENSOR_FUNCTION ".visible .entry bad(.param .u64 out)\n{\ncall shallow;\nret;\n}\n" HEAD
                                      "st.global.u32 [%rd2], 5; ret;\n}\n",
                      "k",
                      {1, 1, 1},
                      {WORDS, 1, 1},
                      0,
                      out,
                      WORDS};
    harness_run_ok(&run);
    assert_int_equal(out[WORDS - 1], 5);
    run.kernel = "bad";
    harness_run_error(&run, WB_ERROR_UNSUPPORTED, "'bad'", "'deep'", (char *)NULL);
    run.kernel = "bed";
    harness_run_error(&run, WB_ERROR_NOT_FOUND, "'bed'", "did you mean bad?", "test.ptx", (char *)NULL);
    wb_gpu_close(gpu);
}

/* Launches of a kernel with parameters (.u64, .u32, .align 8 .b8[12]) that do not fit. */
typedef struct LaunchCase {
    WbDim3 grid, block;
    uint32_t shared, argument_count;
    size_t second_size;
    const char *parts[4];
} LaunchCase;

static void test_wrong_launches(void **state)
{
    (void)state;
    static const char ptx[] = PTX_HEADER
        ".visible .entry three(.param .u64 a, .param .u32 b, .param .align 8 .b8 c[12])\n.maxntid 512, 1, 1\n"
        "{\n.shared .b32 s[1000]; .reg .b32 %r; ld.shared.b32 %r, [s]; ret;\n}\n";
    static const LaunchCase cases[] = {
        {{1, 1, 1}, {32, 1, 1}, 0, 2, 4, {"three", "2 arguments", "3 parameters"}},
        {{1, 1, 1}, {32, 1, 1}, 0, 0, 4, {"three", "0 arguments", "3 parameters"}},
        {{1, 1, 1}, {32, 1, 1}, 0, 3, 8, {"three", "Argument 1", "8 bytes", "has 4"}},
        {{1, 1, 1}, {32, 1, 1}, 0, 3, 0, {"three", "Argument 1", "0 bytes", "has 4"}},
        {{1, 1, 1}, {1025, 1, 1}, 0, 3, 4, {"three", "block.x = 1025", "1024"}},
        {{1, 1, 1}, {32, 33, 1}, 0, 3, 4, {"three", "1056 threads", "1024"}},
        {{1, 1, 1}, {1, 1, 65}, 0, 3, 4, {"three", "block.z = 65", "64"}},
        {{1, 1, 1}, {513, 1, 1}, 0, 3, 4, {"three", "513 threads", ".maxntid"}},
        {{1, 1, 1}, {0, 1, 1}, 0, 3, 4, {"three", "block.x = 0"}},
        {{0, 1, 1}, {32, 1, 1}, 0, 3, 4, {"three", "grid.x = 0"}},
        {{1, 1, 0}, {32, 1, 1}, 0, 3, 4, {"three", "grid.z = 0"}},
        {{1, 65536, 1}, {32, 1, 1}, 0, 3, 4, {"three", "grid.y = 65536", "65535"}},
        {{2147483648u, 1, 1}, {32, 1, 1}, 0, 3, 4, {"three", "grid.x = 2147483648", "2147483647"}},
        {{1, 1, 1}, {32, 1, 1}, 230000, 3, 4, {"three", "4000 static", "230000 dynamic", "232448"}},
    };
    WbGpu *gpu = harness_open("h200", NULL);
    WbModule *module;
    WbKernel *kernel;
    uint64_t a = 0;
    char b[8] = "", c[12] = "";
    assert_int_equal(wb_module_load(gpu, "test.ptx", ptx, strlen(ptx), &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "three", &kernel), WB_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WbArgument arguments[] = {WB_ARG(a), {b, cases[i].second_size}, WB_ARG(c)};
        WbLaunch launch = {.grid = cases[i].grid,
                           .block = cases[i].block,
                           .shared_bytes = cases[i].shared,
                           .arguments = arguments,
                           .argument_count = cases[i].argument_count};
        assert_int_equal(wb_launch(kernel, &launch), WB_ERROR_LAUNCH);
        for (int k = 0; k < 4 && cases[i].parts[k]; k++)
            if (!strstr(wb_error(gpu), cases[i].parts[k]))
                fail_msg("the sentence does not hold '%s': %s", cases[i].parts[k], wb_error(gpu));
        launch = (WbLaunch){.grid = {1, 1, 1},
                            .block = {32, 1, 1},
                            .arguments = (WbArgument[]){WB_ARG(a), {b, 4}, WB_ARG(c)},
                            .argument_count = 3};
        assert_int_equal(wb_launch(kernel, &launch), WB_OK);
        assert_int_equal(wb_wait(gpu), WB_OK);
    }
    wb_gpu_close(gpu);
}

#define AT "'k'", "test.ptx:8", "block (0,0,0)"

static void test_global_accesses(void **state)
{
    (void)state;
    static const Case cases[] = {
        /* one word behind the end, by the last thread */
        BAD(KERNEL("st.global.u32 [%rd2+4], %r1;\n"), WB_ERROR_ADDRESS, AT, "thread (63,0,0)", "4-byte store",
            "0x2000", "256 bytes", "st.global.u32"),
        BAD(KERNEL("ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd1+256];\n"), WB_ERROR_ADDRESS, AT,
            "thread (0,0,0)", "16-byte load", "256 bytes"),
        BAD(KERNEL("atom.global.add.u32 %r2, [%rd1+-4], 1;\n"), WB_ERROR_ADDRESS, AT, "thread (0,0,0)",
            "atomic", "256 bytes"),
        BAD(KERNEL("ld.global.u32 %r2, [%rd2+2];\n"), WB_ERROR_ADDRESS, AT, "thread (0,0,0)", "4-byte load",
            "misaligned", "multiple of 4"),
        BAD(KERNEL("st.global.v2.u64 [%rd1+8], {%rd1, %rd1};\n"), WB_ERROR_ADDRESS, AT, "16-byte store",
            "multiple of 16"),
        BAD(KERNEL("mov.u64 %rd3, 0; ld.global.u32 %r2, [%rd3];\n"), WB_ERROR_ADDRESS, AT,
            "load from 0x0:", "null"),
        BAD(KERNEL("mov.u64 %rd3, 16; setp.eq.u32 %p1, %r1, 40; @%p1 st.u32 [%rd3], %r1;\n"),
            WB_ERROR_ADDRESS, AT, "thread (40,0,0)", "store to 0x10:", "null"),
        BAD(KERNEL("mov.u64 %rd3, 0xdeadbeef0000; ld.u32 %r2, [%rd3];\n"), WB_ERROR_ADDRESS, AT,
            "0xdeadbeef0000", "nearest"),
        BAD(KERNEL("mov.u64 %rd3, 0xfffffffffffffff0; ld.u64 %rd4, [%rd3];\n"), WB_ERROR_ADDRESS, AT,
            "0xfffffffffffffff0"),
        BAD(PTX_HEADER ".const .u32 c[4] = {1,2,3,4};\n" HEAD
                       "mov.u64 %rd3, c;\nst.global.u32 [%rd3], %r1;\nret;\n}\n",
            WB_ERROR_ADDRESS, "'k'", "test.ptx:10", "store", "'c'", "read-only"),
        BAD(PTX_HEADER ".const .u32 c[4] = {1,2,3,4};\n" HEAD
                       "mov.u64 %rd3, c;\nld.const.u32 %r2, [%rd3+16];\nret;\n}\n",
            WB_ERROR_ADDRESS, "'k'", "test.ptx:10", "4-byte load", "16 bytes", "'c'"),
        BAD(PTX_HEADER ".global .u32 table[5];\n" HEAD
                       "mov.u64 %rd3, table;\nst.global.u32 [%rd3+20], %r1;\nret;\n}\n",
            WB_ERROR_ADDRESS, "'k'", "test.ptx:10", "20 bytes", "'table'"),
        BAD(KERNEL("mov.u64 %rd3, k; ld.u32 %r2, [%rd3];\n"), WB_ERROR_ADDRESS, AT, "function"),
    };
    CHECK(cases);
}

static void test_other_spaces(void **state)
{
    (void)state;
    static const Case cases[] = {
        BAD(KERNEL(".shared .b32 s[8]; mul.lo.u32 %r2, %r1, 4; mov.u32 %r3, s; add.u32 %r2, %r3, %r2; "
                   "st.shared.u32 [%r2], %r1;\n"),
            WB_ERROR_ADDRESS, AT, "thread (8,0,0)", "shared address 0x20", "32 bytes"),
        BAD(KERNEL(".shared .b32 s[8]; mov.u32 %r3, s; ld.shared.u32 %r2, [%r3+1];\n"), WB_ERROR_ADDRESS, AT,
            "shared address 0x1", "misaligned"),
        BAD(KERNEL("mov.u32 %r3, 0; ld.shared.u32 %r2, [%r3];\n"), WB_ERROR_ADDRESS, AT, "shared", "0 bytes"),
        BAD(KERNEL(".shared .b32 s[8]; mov.u32 %r3, s; ld.shared.u32 %r2, [%r3+-4];\n"), WB_ERROR_ADDRESS, AT,
            "shared"),
        BAD(KERNEL(".local .b32 l[4]; mov.u64 %rd3, l; st.local.u32 [%rd3+16], %r1;\n"), WB_ERROR_ADDRESS, AT,
            "local address 0x10", "16 bytes"),
        BAD(KERNEL(".local .b64 l[4]; mov.u64 %rd3, l; ld.local.u64 %rd4, [%rd3+4];\n"), WB_ERROR_ADDRESS, AT,
            "local address 0x4", "misaligned"),
        BAD(KERNEL("ld.param.u64 %rd3, [out+8];\n"), WB_ERROR_ADDRESS, AT, "parameter address 0x8",
            "8 bytes"),
        BAD(KERNEL("ld.param.u32 %r2, [out+2];\n"), WB_ERROR_ADDRESS, AT, "parameter", "misaligned"),
        /* the same through generic pointers */
        BAD(KERNEL(
                ".shared .b32 s[8]; mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; st.u32 [%rd3+32], %r1;\n"),
            WB_ERROR_ADDRESS, AT, "shared address 0x20", "32 bytes"),
        BAD(KERNEL(".local .b32 l[4]; mov.u64 %rd3, l; cvta.local.u64 %rd3, %rd3; ld.u32 %r2, [%rd3+-4];\n"),
            WB_ERROR_ADDRESS, AT),
        BAD(KERNEL(".local .b32 l[4]; mov.u64 %rd3, l; cvta.local.u64 %rd3, %rd3; ld.u32 %r2, [%rd3+2];\n"),
            WB_ERROR_ADDRESS, AT, "misaligned"),
        BAD(KERNEL("mov.u64 %rd3, out; cvta.param.u64 %rd3, %rd3; st.u64 [%rd3], %rd1;\n"), WB_ERROR_ADDRESS,
            AT, "parameter", "read-only"),
        BAD(KERNEL("mov.u64 %rd3, out; cvta.param.u64 %rd3, %rd3; ld.u64 %rd4, [%rd3+8];\n"),
            WB_ERROR_ADDRESS, AT, "parameter", "8 bytes"),
        /* dynamic shared memory ends where the launch says */
        {.ptx = PTX_HEADER ".extern .shared .align 4 .b8 d[];\n" HEAD
                           "mov.u32 %r3, d;\nst.shared.u32 [%r3+48], %r1;\nret;\n}\n",
         .status = WB_ERROR_ADDRESS,
         .parts = {"test.ptx:10", "shared address 0x30", "48 bytes"},
         .shared = 48},
    };
    CHECK(cases);
}

#define RECURSIVE                                                                                            \
    PTX_HEADER ".func forever()\n{\n.local .b32 l[4];\ncall forever;\nret;\n}\n" HEAD                        \
               "call forever;\nret;\n}\n"

static void test_control(void **state)
{
    (void)state;
    static const Case cases[] = {
        BAD(KERNEL("P: .callprototype _ (); mov.u64 %rd3, 0; call %rd3, (), P;\n"), WB_ERROR_EXECUTION, AT,
            "thread (0,0,0)", "null function pointer"),
        BAD(KERNEL("P: .callprototype _ (); add.s64 %rd3, %rd1, 0; call %rd3, (), P;\n"), WB_ERROR_EXECUTION,
            AT, "no function"),
        BAD(RECURSIVE, WB_ERROR_OUT_OF_MEMORY, "'k'", "test.ptx:7", "'forever'", "recursion", "stack_bytes",
            "block (0,0,0)", "thread (0,0,0)"),
        BAD(KERNEL("setp.eq.u32 %p1, %r1, 9; @%p1 trap;\n"), WB_ERROR_TRAP, AT, "thread (9,0,0)", "trap"),
        BAD(KERNEL("brkpt;\n"), WB_ERROR_TRAP, AT, "brkpt"),
        BAD(KERNEL("add.u32 %r2, %r1, 1; T: .branchtargets A, B; brx.idx %r2, T;\nA: B:\n"),
            WB_ERROR_EXECUTION, AT, "thread (1,0,0)", "index 2", "2 targets"),
        BAD(KERNEL("mov.u32 %r2, 16; bar.sync %r2;\n"), WB_ERROR_EXECUTION, AT, "barrier 16", "0 to 15"),
        BAD(KERNEL("mov.u32 %r2, 33; bar.sync 1, %r2;\n"), WB_ERROR_EXECUTION, AT, "33 threads", "multiple"),
        BAD(KERNEL("mov.u32 %r2, 0; bar.sync 1, %r2;\n"), WB_ERROR_EXECUTION, AT, "0 threads"),
        BAD(KERNEL("setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 1, 64; @!%p1 bar.sync 1, 32;\n"),
            WB_ERROR_EXECUTION, AT, "barrier 1", "32", "64"),
        BAD(KERNEL("shfl.sync.idx.b32 %r2, %r1, 0, 31, 1;\n"), WB_ERROR_EXECUTION, AT, "thread (1,0,0)",
            "membermask"),
        BAD(KERNEL("setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 0; @%p1 bar.sync 1, 64;\n"), WB_ERROR_DEADLOCK,
            "'k'", "block (0,0,0)", "test.ptx:8", "barrier 1", "32 of 64", "deadlock"),
        BAD(KERNEL("setp.lt.u32 %p1, %r1, 1; @%p1 bra A; bar.warp.sync -1; bra B; A: bar.sync 2, 64; B:\n"),
            WB_ERROR_DEADLOCK, "'k'", "test.ptx:8", "barrier 2", "lanes 0x1"),
        BAD(KERNEL("L: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;\n"),
            WB_ERROR_DEADLOCK, "'k'", "test.ptx:8", "functional_limit", "2000000"),
        BAD(KERNEL("L: bra L;\n"), WB_ERROR_DEADLOCK, "'k'", "test.ptx:8", "functional_limit"),
    };
    CHECK(cases);
}

#define FREE                                                                                                 \
    PTX_HEADER ".extern .func free(.param .b64 a);\n.extern .func (.param .b32 r) vprintf(.param .b64 f, "   \
               ".param .b64 a);\n" HEAD

static void test_intrinsics(void **state)
{
    (void)state;
    static const Case cases[] = {
        BAD(FREE "{ .param .b64 a; st.param.b64 [a], %rd1;\ncall free, (a); }\nret;\n}\n", WB_ERROR_ADDRESS,
            "'k'", "test.ptx:11", "block (0,0,0)", "thread (0,0,0)", "free", "0x2000"),
        BAD(FREE "mov.u64 %rd3, 8; { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd3; "
                 "st.param.b64 [a], 0;\n"
                 "call (r), vprintf, (f, a); }\nret;\n}\n",
            WB_ERROR_ADDRESS, "'k'", "test.ptx:11", "thread (0,0,0)", "printf", "0x8"),
        BAD(FREE "{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd1; st.param.b64 [b], %rd1;\ncall "
                 "free, (a, b); }\nret;\n}\n",
            WB_ERROR_PTX, "test.ptx:11:", "'free'", "takes 1", "gives 2"),
    };
    CHECK(cases);
}

static void test_modules(void **state)
{
    (void)state;
    static const Case cases[] = {
        /* A variable of another module matters to the kernels that name it. */
        BAD(PTX_HEADER ".extern .global .u32 elsewhere;\n" HEAD "ld.global.u32 %r2, [elsewhere];\nret;\n}\n",
            WB_ERROR_NOT_FOUND, "test.ptx:9:", "'k'", "'elsewhere'", ".extern"),
        BAD(PTX_HEADER ".const .b8 much[70000];\n" HEAD "ret;\n}\n", WB_ERROR_OUT_OF_MEMORY, "test.ptx:4",
            "much", "70000", "65536"),
        BAD(PTX_HEADER ".global .b64 huge[20][4000000000];\n" HEAD "ret;\n}\n", WB_ERROR_PTX,
            "test.ptx:4:", "2^32 bytes"),
        BAD(PTX_HEADER HEAD ".shared .b8 s[300000]; .reg .b32 %x; ld.shared.u32 %x, [s]; ret;\n}\n",
            WB_ERROR_LAUNCH, "300000", "232448", "k"),
        BAD(PTX_HEADER HEAD ".shared .b8 s[30000000]; .reg .b32 %x; ld.shared.u32 %x, [s]; ret;\n}\n",
            WB_ERROR_LAUNCH, "30000000", "'k'"),
    };
    CHECK(cases);
}

/* A .loc gives the source line, and another block and thread are named as they are. */
static void test_source_lines(void **state)
{
    (void)state;
    static const Case cases[] = {
        {.ptx = PTX_HEADER ".file 1 \"kernel.cu\"\n" HEAD
                           ".loc 1 42 9\nmov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 3;\n"
                           ".loc 1 43 5\n@%p1 st.global.u32 [%rd2+200], %r1;\nret;\n}\n",
         .status = WB_ERROR_ADDRESS,
         .parts = {"'k'", "test.ptx:12", "kernel.cu:43", "block (3,0,0)", "thread (14,0,0)"},
         .blocks = 5},
    };
    CHECK(cases);
}

static void test_use_after_free(void **state)
{
    (void)state;
    WbGpu *gpu = harness_open("h200", NULL);
    WbModule *module;
    WbKernel *kernel;
    uint64_t out;
    assert_int_equal(wb_module_load(gpu, "test.ptx", GOOD, strlen(GOOD), &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "k", &kernel), WB_OK);
    assert_int_equal(wb_malloc(gpu, 1000, &out), WB_OK);
    assert_int_equal(wb_free(gpu, out), WB_OK);
    WbArgument argument = WB_ARG(out);
    WbLaunch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .arguments = &argument, .argument_count = 1};
    assert_int_equal(wb_launch(kernel, &launch), WB_OK);
    assert_int_equal(wb_wait(gpu), WB_ERROR_ADDRESS);
    assert_non_null(strstr(wb_error(gpu), "freed"));
    assert_non_null(strstr(wb_error(gpu), "1000 bytes"));
    assert_int_not_equal(wb_free(gpu, out), WB_OK);
    assert_non_null(strstr(wb_error(gpu), "freed"));
    check_good(gpu);
    wb_gpu_close(gpu);
}

/* The launches behind one that fails do not run, and the sentence says so. */
static void test_queue_after_error(void **state)
{
    (void)state;
    static const char ptx[] = PTX_HEADER ".visible .entry bad(.param .u64 out)\n{\ntrap;\n}\n" HEAD
                                         "st.global.u32 [%rd2], 5;\nret;\n}\n";
    WbGpu *gpu = harness_open("h200", NULL);
    WbModule *module;
    WbKernel *bad, *good;
    uint64_t out;
    uint32_t words[WORDS] = {0};
    assert_int_equal(wb_module_load(gpu, "test.ptx", ptx, strlen(ptx), &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "bad", &bad), WB_OK);
    assert_int_equal(wb_module_kernel(module, "k", &good), WB_OK);
    assert_int_equal(wb_malloc(gpu, sizeof words, &out), WB_OK);
    WbArgument argument = WB_ARG(out);
    WbLaunch launch = {
        .grid = {1, 1, 1}, .block = {WORDS, 1, 1}, .arguments = &argument, .argument_count = 1};
    assert_int_equal(wb_launch(bad, &launch), WB_OK);
    assert_int_equal(wb_launch(good, &launch), WB_OK);
    assert_int_equal(wb_wait(gpu), WB_ERROR_TRAP);
    assert_non_null(strstr(wb_error(gpu), "The 1 launch queued behind it did not run"));
    assert_int_equal(wb_copy_from_device(gpu, words, out, sizeof words), WB_OK);
    assert_int_equal(words[0], 0);
    assert_int_equal(wb_launch(good, &launch), WB_OK);
    assert_int_equal(wb_copy_from_device(gpu, words, out, sizeof words), WB_OK);
    assert_int_equal(words[0], 5);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_ptx),      cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_others_run),      cmocka_unit_test(test_wrong_launches),
        cmocka_unit_test(test_global_accesses), cmocka_unit_test(test_other_spaces),
        cmocka_unit_test(test_control),         cmocka_unit_test(test_intrinsics),
        cmocka_unit_test(test_modules),         cmocka_unit_test(test_source_lines),
        cmocka_unit_test(test_use_after_free),  cmocka_unit_test(test_queue_after_error),
    };
    return cmocka_run_group_tests_name("bad input", tests, NULL, NULL);
}

/* The order of instructions: that loads come early, that what must stay in order does, and that registers do
 * not run out.
 *
 * Bodies have an instruction a line; instructions are known by their line, counted from 1. */
#include "run_ptx.h"

#include "base/alloc.h"
#include "parse_ptx.h"
#include "ptx/flow.h"
#include "ptx/schedule.h"

enum { HOPPER = 90, TURING = 75 };

typedef struct Order {
    Module *module;
    const Function *text, *function;
    Arena arena;
} Order;

static Order order_of(const char *body)
{
    Order order = {0};
    order.module = parse_kernel(body, &order.text);
    order.function = schedule_function(order.module, order.text, HOPPER, &order.arena);
    assert_int_equal(order.function->insn_count, order.text->insn_count);
    return order;
}

static void done(Order *order)
{
    arena_free(&order->arena);
    module_free(order->module);
}

/* Where the instruction of the line stands now. */
static uint32_t place_of(const Order *order, uint32_t line)
{
    for (uint32_t i = 0; i < order->function->insn_count; i++)
        if (order->function->insns[i].place.line == line)
            return i;
    fail_msg("line %u has no instruction", line);
    return 0;
}

/* The lines in their new order must be these. */
static void check_lines(const char *body, const uint32_t *lines, uint32_t count)
{
    Order order = order_of(body);
    assert_int_equal(order.function->insn_count, count);
    for (uint32_t i = 0; i < count; i++)
        if (order.function->insns[i].place.line != lines[i])
            fail_msg("place %u has line %u, not %u", i, order.function->insns[i].place.line, lines[i]);
    done(&order);
}
#define CHECK_LINES(body, ...)                                                                               \
    check_lines(body, (const uint32_t[]){__VA_ARGS__},                                                       \
                sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Is the instruction of line `first` before that of line `second`? */
static bool comes_before(const char *body, uint32_t first, uint32_t second)
{
    Order order = order_of(body);
    const bool answer = place_of(&order, first) < place_of(&order, second);
    done(&order);
    return answer;
}

/* -- what moves -- */

static void test_loads_come_before_uses(void **state)
{
    (void)state;
    CHECK_LINES("ld.global.f32 %f1, [%rd1];\n"
                "add.f32 %f9, %f9, %f1;\n"
                "ld.global.f32 %f2, [%rd1+4];\n"
                "add.f32 %f9, %f9, %f2;\n"
                "ld.global.f32 %f3, [%rd1+8];\n"
                "add.f32 %f9, %f9, %f3;\n"
                "st.global.f32 [%rd2], %f9;\nret;",
                1, 3, 5, 2, 4, 6, 7, 8);
}

/* The counter and its comparison go where the chain waits for its next link. */
static void test_loop_overhead_is_hidden(void **state)
{
    (void)state;
    CHECK_LINES("loop: fma.rn.f32 %f1, %f1, %f2, %f3;\n"
                "fma.rn.f32 %f1, %f1, %f2, %f3;\n"
                "fma.rn.f32 %f1, %f1, %f2, %f3;\n"
                "fma.rn.f32 %f1, %f1, %f2, %f3;\n"
                "add.s32 %r1, %r1, 1;\n"
                "setp.lt.s32 %p1, %r1, %r2;\n"
                "@%p1 bra loop;\n"
                "st.global.f32 [%rd2], %f1;\nret;",
                5, 1, 6, 2, 3, 4, 7, 8, 9);
}

static void test_longest_chain_first(void **state)
{
    (void)state;
    const char *body = "add.s32 %r1, %r9, 1;\n"
                       "add.s64 %rd3, %rd2, %rd4;\n"
                       "ld.global.u32 %r2, [%rd3];\n"
                       "add.s32 %r3, %r1, %r2;\n"
                       "st.global.u32 [%rd5], %r3;\nret;";
    CHECK_LINES(body, 2, 1, 3, 4, 5, 6);
}

static void test_blocks_keep_their_places(void **state)
{
    (void)state;
    const char *body = "add.s32 %r1, %r9, 1;\n"
                       "ld.global.u32 %r2, [%rd3];\n"
                       "setp.eq.s32 %p1, %r2, 0;\n"
                       "@%p1 bra out;\n"
                       "add.s32 %r1, %r1, %r2;\n"
                       "ld.global.u32 %r4, [%rd3+4];\n"
                       "out: add.s32 %r5, %r1, 7;\n"
                       "ld.global.u32 %r6, [%rd3+8];\n"
                       "add.s32 %r5, %r5, %r6;\n"
                       "st.global.u32 [%rd3], %r5;\nret;";
    CHECK_LINES(body, 2, 1, 3, 4, 6, 5, 8, 7, 9, 10, 11);
    Order order = order_of(body);
    const PtxOperand *target = operand_at(order.function, 3, 0);
    assert_int_equal(target->kind, PTX_LABEL);
    assert_int_equal(target->index, 6);
    done(&order);
}

/* -- registers -- */

static void test_anti_and_output_order(void **state)
{
    (void)state;
    const char *anti = "add.f32 %f2, %f1, %f1;\n"
                       "ld.global.f32 %f1, [%rd1];\n"
                       "st.global.f32 [%rd2+64], %f2;\n"
                       "st.global.f32 [%rd2], %f1;\nret;";
    assert_true(comes_before(anti, 1, 2));
    const char *output = "sqrt.rn.f32 %f1, %f3;\n"
                         "@%p1 ld.global.f32 %f1, [%rd1];\n"
                         "st.global.f32 [%rd2], %f1;\nret;";
    assert_true(comes_before(output, 1, 2));
}

static void test_guards_and_carry(void **state)
{
    (void)state;
    const char *guard = "setp.eq.s32 %p1, %r1, 0;\n"
                        "@%p1 ld.global.u32 %r2, [%rd1];\n"
                        "st.global.u32 [%rd1], %r2;\nret;";
    assert_true(comes_before(guard, 1, 2));
    const char *carry = "add.cc.u32 %r1, %r2, %r3;\n"
                        "addc.u32 %r4, %r5, %r6;\n"
                        "add.cc.u32 %r7, %r8, %r9;\n"
                        "addc.u32 %r10, %r11, %r12;\n"
                        "st.global.v4.u32 [%rd1], {%r1, %r4, %r7, %r10};\nret;";
    CHECK_LINES(carry, 1, 2, 3, 4, 5, 6);
}

/* -- memory -- */

static void test_stores_are_not_passed(void **state)
{
    (void)state;
    const char *form = "st%s [%%%s1], %%r1;\nld%s %%r2, [%%%s2%s];\nst.global.u32 [%%rd9], %%r2;\nret;";
    static const struct {
        const char *store, *load;
        bool passes;
    } cases[] = {
        {".global.u32", ".global.u32", false},   {".global.u32", ".u32", false},
        {".u32", ".global.u32", false},          {".u32", ".shared.u32", false},
        {".shared.u32", ".u32", false},          {".shared.u32", ".global.u32", true},
        {".shared.u32", ".local.u32", true},     {".local.u32", ".global.u32", true},
        {".global.u32", ".global.nc.u32", true}, {".global.u32", ".const.u32", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[512];
        snprintf(body, sizeof body, form, cases[i].store, "rd", cases[i].load, "rd", "");
        if (comes_before(body, 2, 1) != cases[i].passes)
            fail_msg("ld%s and st%s", cases[i].load, cases[i].store);
    }
}

static void test_offsets_of_one_base(void **state)
{
    (void)state;
    assert_true(comes_before("st.global.u32 [%rd1], %r1;\nld.global.u32 %r2, [%rd1+4];\n"
                             "st.global.u32 [%rd9], %r2;\nret;",
                             2, 1));
    assert_true(comes_before("st.global.u32 [%rd1], %r1;\nld.global.u64 %rd3, [%rd1+-4];\n"
                             "st.global.u64 [%rd9], %rd3;\nret;",
                             1, 2));
    assert_true(comes_before("st.global.v2.u32 [%rd1], {%r1, %r3};\nld.global.u32 %r2, [%rd1+4];\n"
                             "st.global.u32 [%rd9], %r2;\nret;",
                             1, 2));
    /* through sums and copies */
    assert_true(comes_before("sqrt.approx.f32 %f1, %f2;\nadd.s64 %rd2, %rd1, 16;\nst.global.f32 [%rd1+12], %f1;\n"
                             "ld.global.u32 %r2, [%rd2];\nst.global.u32 [%rd9], %r2;\nret;",
                             4, 3));
    assert_true(comes_before("sqrt.approx.f32 %f1, %f2;\nadd.s64 %rd2, %rd1, 16;\nst.global.f32 [%rd1+16], %f1;\n"
                             "ld.global.u32 %r2, [%rd2];\nst.global.u32 [%rd9], %r2;\nret;",
                             3, 4));
    /* the base is another one by then */
    assert_true(comes_before("st.global.u32 [%rd1], %r1;\nld.global.u64 %rd1, [%rd7];\n"
                             "ld.global.u32 %r2, [%rd1+4];\nst.global.u32 [%rd9], %r2;\nret;",
                             1, 3));
    assert_true(comes_before("sqrt.approx.f32 %f1, %f2;\nadd.s64 %rd2, %rd1, 4;\nst.global.f32 [%rd2], %f1;\n"
                             "@%p1 add.s64 %rd1, %rd1, 4;\nld.global.u32 %r2, [%rd1];\n"
                             "st.global.u32 [%rd9], %r2;\nret;",
                             3, 5));
    /* variables */
    assert_true(comes_before("st.global.u32 [table+4], %r1;\nld.global.u32 %r2, [table+8];\n"
                             "st.global.u32 [%rd9], %r2;\nret;",
                             2, 1));
    assert_true(comes_before("st.global.u32 [table+4], %r1;\nld.global.u32 %r2, [%rd1+8];\n"
                             "st.global.u32 [%rd9], %r2;\nret;",
                             1, 2));
}

static void test_atomics_are_reads_and_writes(void **state)
{
    (void)state;
    assert_true(comes_before("atom.global.add.u32 %r3, [%rd1], 1;\nld.global.u32 %r2, [%rd2];\n"
                             "st.global.u32 [%rd9], %r2;\nret;",
                             1, 2));
    assert_true(comes_before("ld.global.u32 %r1, [%rd4];\nadd.u32 %r1, %r1, 1;\n"
                             "red.shared.add.u32 [%rd1], %r1;\nld.global.u32 %r2, [%rd2];\n"
                             "st.global.u32 [%rd9], %r2;\nret;",
                             4, 3));
}

/* A load before and a load behind: neither passes what is between them. */
static void test_what_orders_accesses(void **state)
{
    (void)state;
    static const char *const between[] = {
        "ld.volatile.global.u32 %r5, [%rd5];",
        "st.volatile.shared.u32 [%rd5], %r5;",
        "ld.relaxed.gpu.global.u32 %r5, [%rd5];",
        "ld.acquire.gpu.global.u32 %r5, [%rd5];",
        "st.release.gpu.global.u32 [%rd5], %r5;",
        "atom.acquire.gpu.global.add.u32 %r5, [%rd5], 1;",
        "red.release.gpu.global.add.u32 [%rd5], 1;",
        "membar.gl;",
        "fence.acq_rel.gpu;",
        "bar.sync 0;",
        "bar.warp.sync 0xffffffff;",
        "shfl.sync.idx.b32 %r5, %r6, 0, 31, 0xffffffff;",
        "vote.sync.ballot.b32 %r5, %p5, 0xffffffff;",
        "match.any.sync.b32 %r5, %r6, 0xffffffff;",
        "redux.sync.add.u32 %r5, %r6, 0xffffffff;",
        "activemask.b32 %r5;",
        "cp.async.wait_all;",
        "mbarrier.inval.shared.b64 [%rd5];",
        "nanosleep.u32 20;",
        "mov.u32 %r5, %clock;",
        "mov.u64 %rd6, %globaltimer;",
    };
    for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
        char body[512];
        snprintf(
            body, sizeof body,
            "add.s64 %%rd1, %%rd1, %%rd2;\nld.global.u32 %%r1, [%%rd1];\n%s\n"
            "ld.global.u32 %%r2, [%%rd3];\nadd.u32 %%r3, %%r1, %%r2;\nst.global.u32 [%%rd4], %%r3;\nret;",
            between[i]);
        if (!comes_before(body, 2, 3) || !comes_before(body, 3, 4))
            fail_msg("a load passed %s", between[i]);
    }
}

/* Arithmetic may pass a barrier, but nothing passes a clock, a call, or a division that branches inside. */
static void test_walls(void **state)
{
    (void)state;
    assert_true(comes_before("bar.sync 0;\nsqrt.approx.f32 %f1, %f2;\nst.global.f32 [%rd1], %f1;\nret;", 2, 1));
    static const char *const walls[] = {"mov.u32 %r5, %clock;", "mov.u64 %rd5, %clock64;",
                                        "mov.u64 %rd5, %globaltimer;", "call f, ();",
                                        "div.rn.f32 %f6, %f7, %f8;", "sqrt.rn.f32 %f6, %f7;"};
    for (size_t i = 0; i < sizeof walls / sizeof *walls; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 PTX_HEADER
                 ".func f() { ret; } .entry k(.param .u64 a) { .reg .f32 %%f<9>; .reg .b32 %%r<9>; "
                 ".reg .b64 %%rd<9>; add.f32 %%f1, %%f2, %%f3;\n%s\nsqrt.approx.f32 %%f4, %%f5;\n"
                 "st.global.v2.f32 [%%rd1], {%%f1, %%f4};\nret; }",
                 walls[i]);
        Order order = {.module = parse_whole(text)};
        order.text = &order.module->functions[module_find_function(order.module, "k")];
        order.function = schedule_function(order.module, order.text, HOPPER, &order.arena);
        for (uint32_t line = 1; line <= 5; line++)
            assert_int_equal(place_of(&order, line), line - 1);
        done(&order);
    }
}

/* -- registers run out -- */

static char *sum_of_loads(uint32_t count)
{
    char *body = xmalloc(128 * (count + 1)), *at = body;
    for (uint32_t i = 0; i < count; i++)
        at += sprintf(at, "ld.global.f32 %%f%u, [%%rd1+%u];\nadd.f32 %%f99, %%f99, %%f%u;\n", i, 4 * i, i);
    sprintf(at, "st.global.f32 [%%rd2], %%f99;\nret;");
    return body;
}

static uint32_t pressure_of(const Order *order, uint32_t target)
{
    Arena arena = {0};
    const Function *function = schedule_function(order->module, order->text, target, &arena);
    const uint32_t pressure = flow_analyse(order->module, function, &arena)->pressure;
    arena_free(&arena);
    return pressure;
}

/* Registers beyond 32 (on Turing: 64) cost threads, and four are kept back; rd1, rd2 and f99 take five. */
static void test_pressure_is_bounded(void **state)
{
    (void)state;
    char *body = sum_of_loads(90);
    Order order = order_of(body);
    assert_int_equal(pressure_of(&order, HOPPER), 28);
    assert_int_equal(pressure_of(&order, TURING), 60);
    for (uint32_t i = 0; i < 23; i++) /* as many as there is room for */
        assert_int_equal(order.function->insns[i].row, ROW_ld);
    assert_int_not_equal(order.function->insns[23].row, ROW_ld);
    done(&order);
    xfree(body);
}

/* Where so many sums stay live that few of 32 registers are left, an SM rather holds fewer warps: with the sums,
 * rd1, rd2 and a load there must be room for four loads more and the four kept back, in 32, 40, 48, 56, ... */
static void test_sums_make_room(void **state)
{
    (void)state;
    static const struct {
        uint32_t sums, room;
    } cases[] = {{19, 28}, {20, 36}, {27, 36}, {28, 44}, {35, 44}, {36, 52}};
    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char body[16384], *at = body;
        for (uint32_t i = 0; i < cases[c].sums; i++)
            at += sprintf(at, "ld.volatile.global.f32 %%f%u, [%%rd1+%u];\n", i, 4 * i);
        for (uint32_t i = 0; i < 60; i++)
            at += sprintf(at, "ld.global.f32 %%f%u, [%%rd1+%u];\nadd.f32 %%f%u, %%f%u, %%f%u;\n", 40 + i,
                          1024 + 4 * i, i % cases[c].sums, i % cases[c].sums, 40 + i);
        at += sprintf(at, "bar.sync 0;\n");
        for (uint32_t i = 0; i < cases[c].sums; i++)
            at += sprintf(at, "st.global.f32 [%%rd2+%u], %%f%u;\n", 4 * i, i);
        sprintf(at, "ret;");
        Order order = order_of(body);
        assert_int_equal(pressure_of(&order, HOPPER), cases[c].room);
        done(&order);
    }
}

static void test_launch_bounds_bound_it_too(void **state)
{
    (void)state;
    char *body = sum_of_loads(90), text[12000];
    snprintf(text, sizeof text,
             ".entry k (.param .u64 arg) .maxnreg 16 { .reg .b64 %%rd<100>; .reg .f32 %%f<100>; %s }", body);
    Order order = {.module = parse(text)};
    order.text = &order.module->functions[0];
    assert_int_equal(pressure_of(&order, HOPPER), 12);
    done(&order);
    xfree(body);
}

/* Loads far behind must not fill the room with their addresses: some are early all along the text. */
static void test_room_is_for_loads(void **state)
{
    (void)state;
    char body[8192], *at = body;
    for (uint32_t i = 0; i < 16; i++) {
        at += sprintf(at, "add.s32 %%r%u, %%r1, %u;\ncvt.u64.u32 %%rd%u, %%r%u;\n", 10 + i, 512 * i, 10 + i,
                      10 + i);
        at += sprintf(at, "and.b64 %%rd%u, %%rd%u, 16368;\nadd.s64 %%rd%u, %%rd9, %%rd%u;\n", 30 + i, 10 + i,
                      50 + i, 30 + i);
        at += sprintf(at, "ld.global.v4.f32 {%%f%u, %%f%u, %%f%u, %%f%u}, [%%rd%u];\n", 4 * i, 4 * i + 1,
                      4 * i + 2, 4 * i + 3, 50 + i);
        for (uint32_t k = 0; k < 4; k++)
            at += sprintf(at, "add.f32 %%f99, %%f99, %%f%u;\n", 4 * i + k);
    }
    sprintf(at, "st.global.f32 [%%rd9], %%f99;\nret;");
    Order order = order_of(body);
    assert_in_range(pressure_of(&order, HOPPER), 20, 28);
    uint32_t overlapped = 0; /* loads behind which at least two more come before the first use */
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t loads = 0;
        for (uint32_t k = place_of(&order, 9 * i + 5); k < place_of(&order, 9 * i + 6); k++)
            loads += order.function->insns[k].row == ROW_ld;
        overlapped += loads > 2;
    }
    assert_in_range(overlapped, 12, 16);
    done(&order);
}

/* What a division needs for itself is not taken by loads. */
static void test_room_for_sequences(void **state)
{
    (void)state;
    char body[8192], *at = body;
    for (uint32_t i = 0; i < 40; i++)
        at += sprintf(at, "ld.global.f32 %%f%u, [%%rd1+%u];\nadd.f32 %%f99, %%f99, %%f%u;\n", i, 4 * i, i);
    sprintf(at,
            "rem.u32 %%r1, %%r2, %%r3;\nst.global.u32 [%%rd2], %%r1;\nst.global.f32 [%%rd2+8], %%f99;\nret;");
    Order order = order_of(body);
    assert_in_range(flow_analyse_for(order.module, order.function, HOPPER, &order.arena)->registers, 28, 32);
    done(&order);
}

/* -- the knob -- */

static void test_machine_code_relinks(void **state)
{
    WbGpu *gpu = *state;
    WbModule *module;
    WbKernel *kernel;
    WbKernelInfo info;
    char *body = sum_of_loads(90), text[12000];
    snprintf(text, sizeof text,
             ".version 8.0 .target sm_75 .address_size 64 .entry k (.param .u64 arg) {"
             ".reg .b64 %%rd<100>; .reg .f32 %%f<100>; %s }",
             body);
    assert_int_equal(wb_module_load(gpu, "test.ptx", text, strlen(text), &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "k", &kernel), WB_OK);
    assert_int_equal(wb_kernel_info(kernel, &info), WB_OK);
    assert_int_equal(info.registers, 32);
    assert_int_equal(wb_gpu_set(gpu, "machine_code", "ptx"), WB_OK);
    assert_int_equal(wb_kernel_info(kernel, &info), WB_OK);
    assert_int_equal(info.registers, 64);
    assert_int_equal(wb_gpu_set(gpu, "machine_code", "native"), WB_OK);
    wb_module_unload(module);
    xfree(body);
}

/* A fault is told with its own line, wherever the instruction went. */
static void test_faults_name_their_line(void **state)
{
    run_fails(*state, "",
              "add.f32 %f1, %f2, %f3;\nmov.u64 %rd5, 64;\nld.global.f32 %f4, [%rd5];\n"
              "add.f32 %f1, %f1, %f4;\nst.global.f32 [%rd1], %f1;",
              WB_ERROR_ADDRESS, "test.ptx:13");
}

/* Arithmetic that follows a barrier at once goes before it, unless it needs what a load brings. */
static void test_behind_barriers(void **state)
{
    (void)state;
    assert_true(comes_before("add.s32 %r1, %r1, 1;\nbar.sync 0;\nsetp.ne.s32 %p1, %r1, 64;\n"
                             "@%p1 st.global.u32 [%rd1], %r1;\nret;", 3, 2));
    assert_true(comes_before("ld.global.u32 %r1, [%rd1];\nbar.sync 0;\nadd.s32 %r2, %r1, 1;\n"
                             "st.global.u32 [%rd1], %r2;\nret;", 2, 3));
    assert_true(comes_before("add.s32 %r1, %r1, 1;\nbar.sync 0;\nld.shared.u32 %r2, [%r1];\n"
                             "add.s32 %r3, %r2, 1;\nst.global.u32 [%rd1], %r3;\nret;", 2, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_behind_barriers),
        cmocka_unit_test(test_loads_come_before_uses),
        cmocka_unit_test(test_loop_overhead_is_hidden),
        cmocka_unit_test(test_longest_chain_first),
        cmocka_unit_test(test_blocks_keep_their_places),
        cmocka_unit_test(test_anti_and_output_order),
        cmocka_unit_test(test_guards_and_carry),
        cmocka_unit_test(test_stores_are_not_passed),
        cmocka_unit_test(test_offsets_of_one_base),
        cmocka_unit_test(test_atomics_are_reads_and_writes),
        cmocka_unit_test(test_what_orders_accesses),
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_pressure_is_bounded),
        cmocka_unit_test(test_sums_make_room),
        cmocka_unit_test(test_launch_bounds_bound_it_too),
        cmocka_unit_test(test_room_is_for_loads),
        cmocka_unit_test(test_room_for_sequences),
        cmocka_unit_test_setup_teardown(test_machine_code_relinks, run_setup, run_teardown),
        cmocka_unit_test_setup_teardown(test_faults_name_their_line, run_setup, run_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

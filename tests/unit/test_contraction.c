/* Products and sums that become multiply-adds: the rules that scripts/contraction.py found in what ptxas
 * makes, case by case, and what an H200 computed of the random kernels of tests/device/contraction, bit by
 * bit. */
#include "run_ptx.h"

#include "../device/contraction/cases.h"
#include "parse_ptx.h"
#include "ptx/contract.h"

#define FOLDER SOURCE_DIRECTORY "/tests/device/contraction/"

/* -- rules -- */

/* What became of the instructions, in the order of the text, one letter each: '.' nothing, '-' absorbed, 'c'
 * a copy of a factor, 's' a sign as logic on bits, '+' a multiply-add, 'p' one whose product is negated, 'a'
 * whose addend is, 'b' both. */
static void describe(const Function *before, const Function *after, char *text)
{
    assert_int_equal(before->insn_count, after->insn_count);
    for (uint32_t i = 0; i < after->insn_count; i++) {
        const PtxInsn *insn = &after->insns[i];
        const PtxOperand *operands = &after->operands[insn->first_operand];
        const bool is_new = insn->row != before->insns[i].row;
        *text = insn->is_absorbed ? '-' : '.';
        if (is_new && insn->operand_count == 4)
            *text = "+pab"[(operands[1].minus != operands[2].minus) + 2 * operands[3].minus];
        else if (is_new)
            *text = insn->row == ROW_mov_b32 ? 'c' : 's';
        text++;
    }
    *text = '\0';
}

static void check(const char *header, const char *body, const char *expected)
{
    char text[4096], became[256];
    Error error = {0};
    Module *module = NULL;
    Arena arena = {0};
    snprintf(text, sizeof text,
             ".version 8.0\n.target %s\n.address_size 64\n.visible .entry k()\n{\n"
             ".reg .f32 %%a, %%b, %%c, %%d, %%e, %%t, %%u, %%v, %%w, %%y, %%z; .reg .pred %%p; "
             ".reg .b32 %%i; .reg .u64 %%out; .reg .f64 %%q<9>; .reg .b16 %%h<9>; .shared .f32 s[4];\n%s\n}\n",
             header, body);
    if (module_parse("test.ptx", text, strlen(text), &module, &error) != WB_OK)
        fail_msg("%s: %s", body, error.text);
    const Function *function = &module->functions[0];
    describe(function, contract_function(module, function, &arena), became);
    if (strcmp(became, expected))
        fail_msg("%s: '%s', not '%s'", body, became, expected);
    arena_free(&arena);
    module_free(module);
}

#define STORE(name) "st.shared.f32 [s], %" name ";"

static void test_rules(void **state)
{
    (void)state;
    static const struct {
        const char *body, *became;
    } cases[] = {
        /* sums and differences, in either place */
        {"mul.f32 %t, %a, %b; add.f32 %y, %t, %c;" STORE("y"), "-+."},
        {"mul.f32 %t, %a, %b; add.f32 %y, %c, %t;" STORE("y"), "-+."},
        {"mul.f32 %t, %a, %b; sub.f32 %y, %t, %c;" STORE("y"), "-a."},
        {"mul.f32 %t, %a, %b; sub.f32 %y, %c, %t;" STORE("y"), "-p."},
        {"mul.f64 %q3, %q1, %q2; sub.f64 %q4, %q5, %q3; st.shared.f64 [s], %q4;", "-p."},
        {"mul.f16 %h3, %h1, %h2; add.f16 %h4, %h5, %h3; st.shared.b16 [s], %h4;", "-+."},
        {"mul.bf16 %h3, %h1, %h2; sub.bf16 %h4, %h3, %h5; st.shared.b16 [s], %h4;", "-a."},
        {"mul.f16x2 %i, %i, %i; add.f16x2 %i, %i, %i; st.shared.b32 [s], %i;", "..."},
        /* a rounding in the name, saturation and flushing */
        {"mul.rn.f32 %t, %a, %b; add.f32 %y, %t, %c;" STORE("y"), "..."},
        {"mul.f32 %t, %a, %b; add.rn.f32 %y, %t, %c;" STORE("y"), "..."},
        {"mul.rz.f32 %t, %a, %b; add.f32 %y, %t, %c;" STORE("y"), "..."},
        {"mul.f32 %t, %a, %b; add.rz.f32 %y, %t, %c;" STORE("y"), "..."},
        {"mul.sat.f32 %t, %a, %b; add.f32 %y, %t, %c;" STORE("y"), "..."},
        {"mul.f32 %t, %a, %b; add.sat.f32 %y, %t, %c;" STORE("y"), "-+."},
        {"mul.ftz.f32 %t, %a, %b; add.ftz.f32 %y, %t, %c;" STORE("y"), "-+."},
        {"mul.ftz.f32 %t, %a, %b; add.f32 %y, %t, %c;" STORE("y"), "..."},
        {"mul.f32 %t, %a, %b; add.ftz.f32 %y, %t, %c;" STORE("y"), "..."},
        /* more than one use */
        {"mul.f32 %t, %a, %b; add.f32 %y, %t, %c; sub.f32 %z, %d, %t;" STORE("y") STORE("z"), "-+p.."},
        {"mul.f32 %t, %a, %b; add.f32 %y, %t, %c;" STORE("y") STORE("t"), "...."},
        {"mul.f32 %t, %a, %b; add.f32 %y, %t, %c; mul.f32 %z, %t, %d;" STORE("y") STORE("z"), "....."},
        {"mul.f32 %t, %a, %b; add.f32 %y, %t, %c; min.f32 %z, %t, %d;" STORE("y"), "-+.."},
        {"mul.f32 %t, %a, %b; add.f32 %y, %t, %t;" STORE("y"), "..."},
        {"mul.f32 %t, %a, %b; fma.rn.f32 %y, %c, %d, %t;" STORE("y"), "..."},
        /* signs and copies on the way */
        {"mul.f32 %t, %a, %b; neg.f32 %u, %t; add.f32 %y, %u, %c;" STORE("y"), "--p."},
        {"mul.f32 %t, %a, %b; neg.f32 %u, %t; sub.f32 %y, %u, %c;" STORE("y"), "--b."},
        {"mul.f32 %t, %a, %b; neg.f32 %u, %t; sub.f32 %y, %c, %u;" STORE("y"), "--+."},
        {"mul.f32 %t, %a, %b; mov.b32 %i, %t; mov.b32 %u, %i; add.f32 %y, %u, %c;" STORE("y"), "---+."},
        {"mul.f32 %t, %a, %b; abs.f32 %u, %t; add.f32 %y, %u, %c;" STORE("y"), "...."},
        {"mul.f32 %t, %a, %b; neg.ftz.f32 %u, %t; add.f32 %y, %u, %c;" STORE("y"), "...."},
        {"mul.ftz.f32 %t, %a, %b; neg.f32 %u, %t; add.ftz.f32 %y, %u, %c;" STORE("y"), "--p."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check("sm_90", cases[i].body, cases[i].became);
}

static void test_two_products(void **state)
{
    (void)state;
#define TWO "mul.f32 %t, %a, %b; mul.f32 %u, %c, %d; "
    static const struct {
        const char *body, *became;
    } cases[] = {
        /* the first operand's, wherever it was made */
        {TWO "add.f32 %y, %t, %u;" STORE("y"), "-.+."},
        {TWO "add.f32 %y, %u, %t;" STORE("y"), ".-+."},
        {TWO "sub.f32 %y, %u, %t;" STORE("y"), ".-a."},
        {TWO "sub.f32 %y, %t, %u; add.f32 %z, %t, %u;" STORE("y") STORE("z"), "-.a+.."},
        /* the one with fewer uses */
        {TWO "add.f32 %y, %t, %u; add.f32 %z, %t, %e;" STORE("y") STORE("z"), ".-+..."},
        {TWO "add.f32 %y, %t, %u; mul.f32 %z, %t, %e;" STORE("y") STORE("z"), ".-+..."},
        /* a product that the sum before has taken is made twice where a later sum needs it */
        {TWO "add.f32 %v, %t, %e; add.f32 %w, %u, %t; add.f32 %y, %w, %u;" STORE("v") STORE("y"), ".-+++.."},
        /* twice the same */
        {"mul.f32 %t, %a, %b; mul.f32 %u, %b, %a; add.f32 %y, %t, %u;" STORE("y"), "...."},
        {"mul.f32 %t, %a, %b; mul.f32 %u, %a, %b; sub.f32 %y, %t, %u;" STORE("y"), "-.a."},
        /* a product with 1 is none */
        {"mul.f32 %t, %a, 0f3F800000; mul.f32 %u, %c, %d; add.f32 %y, %t, %u;" STORE("y"), ".-+."},
        {"mul.f32 %t, %a, 0f40000000; mul.f32 %u, %c, %d; add.f32 %y, %t, %u;" STORE("y"), "-.+."},
        {"mul.f32 %t, %a, %b; mul.f32 %u, %t, 0fBF800000; add.f32 %y, %u, %d;" STORE("y"), "--p."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check("sm_90", cases[i].body, cases[i].became);
}

static void test_stretches(void **state)
{
    (void)state;
#define AROUND(between) "mul.f32 %t, %a, %b;" between "add.f32 %y, %t, %c;" STORE("y")
    static const struct {
        const char *body, *became;
    } cases[] = {
        {AROUND("bar.sync 0;"), "-.+."},
        {AROUND("bra L; L:"), "-.+."},
        {AROUND("@%p bra L; L:"), "...."},
        {AROUND("@%p ret;"), "...."},
        {AROUND("membar.cta;"), "...."},
        {AROUND("div.rn.f32 %d, %d, %e;" STORE("d")), "....."},
        {AROUND("div.approx.f32 %d, %d, %e;" STORE("d")), "-..+."},
        {AROUND("sqrt.rn.f64 %q1, %q2; st.shared.f64 [s], %q1;"), "....."},
        {AROUND("rem.s32 %i, %i, 3; st.shared.b32 [s], %i;"), "....."},
        {AROUND("rem.u32 %i, %i, 3; st.shared.b32 [s], %i;"), "-..+."},
        {AROUND("@%p st.shared.f32 [s], %d;"), "...."},
        {AROUND("@%p mov.f32 %d, %e;" STORE("d")), "-..+."},
        /* the sum may be guarded, the product not */
        {"mul.f32 %t, %a, %b; @%p add.f32 %y, %t, %c;" STORE("y"), "-+."},
        {"@%p mul.f32 %t, %a, %b; add.f32 %y, %t, %c;" STORE("y"), "..."},
        {"mul.f32 %t, %a, %b; @%p mov.f32 %t, %d; add.f32 %y, %t, %c;" STORE("y"), "...."},
        /* registers that are written again */
        {"mul.f32 %t, %a, %b; add.f32 %y, %t, %c; mul.f32 %t, %d, %e;" STORE("y") STORE("t"), "-+..."},
        {"mul.f32 %t, %a, %b; add.f32 %a, %d, %e; add.f32 %y, %t, %a;" STORE("y"), "c.+."},
        {"mul.f32 %t, %t, %b; add.f32 %y, %t, %c;" STORE("y"), "c+."},
        {"mul.f32 %t, %t, %t; add.f32 %y, %t, %c;" STORE("y"), "c+."},
        /* inside of a loop, and around it */
        {"L: mul.f32 %t, %a, %b; add.f32 %y, %y, %t; @%p bra L;" STORE("y"), "-+.."},
        {"mul.f32 %t, %a, %b; L: add.f32 %y, %y, %t; @%p bra L;" STORE("y"), "...."},
        {"L: add.f32 %y, %y, %t; mul.f32 %t, %y, %b; @%p bra L;" STORE("y"), "...."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check("sm_90", cases[i].body, cases[i].became);
}

/* Selects change the sign of a NaN and keep its other bits; what else changes a sign makes it the GPU's. */
static void test_signs(void **state)
{
    (void)state;
    static const struct {
        const char *body, *became;
    } cases[] = {
        /* guarded */
        {"neg.f32 %y, %a;" STORE("y"), ".."},
        {"@%p neg.f32 %y, %a;" STORE("y"), "s."},
        {"@%p abs.f32 %y, %y;" STORE("y"), "s."},
        {"@%p neg.ftz.f32 %y, %a;" STORE("y"), ".."},
        {"@%p neg.f64 %q1, %q2; st.shared.f64 [s], %q1;", ".."},
        {"abs.f32 %t, %a; @%p neg.f32 %y, %t;" STORE("y"), "ss."},
        {"@%p bra L; neg.f32 %y, %a; L:" STORE("y"), "..."},
        /* the old value of a guarded instruction that gives an f32 */
        {"neg.f32 %y, %a; @%p add.f32 %y, %c, %d;" STORE("y"), "s.."},
        {"neg.f32 %y, %a; @%p mul.f32 %y, %y, %d;" STORE("y"), "s.."},
        {"abs.f32 %y, %a; @%p mov.f32 %y, %c;" STORE("y"), "s.."},
        {"neg.f32 %y, %a; @%p mov.b32 %y, %c;" STORE("y"), "..."},
        {"neg.f32 %y, %a; @%p ld.shared.f32 %y, [s];" STORE("y"), "..."},
        {"neg.f32 %y, %a; mov.f32 %y, %c;" STORE("y"), "..."},
        {"mul.f32 %t, %a, %b; neg.f32 %y, %t; @%p add.f32 %y, %c, %d;" STORE("y"), ".s.."},
        /* an operand */
        {"neg.f32 %t, %a; selp.f32 %y, %t, %c, %p;" STORE("y"), "s.."},
        {"neg.f32 %t, %a; selp.b32 %y, %t, %c, %p;" STORE("y"), "..."},
        {"neg.f32 %t, %a; @%p mov.f32 %y, %t;" STORE("y"), "s.."},
        {"neg.f32 %t, %a; @%p mov.b32 %y, %t;" STORE("y"), "..."},
        /* other uses */
        {"neg.f32 %t, %a; add.f32 %z, %t, %c; selp.f32 %y, %t, %b, %p;" STORE("y") STORE("z"), "s...."},
        {"neg.f32 %t, %a; add.f32 %z, %t, %c;" STORE("z"), "..."},
        {"neg.f32 %t, %a; selp.f32 %y, %t, %c, %p;" STORE("y") STORE("t"), "...."},
        {"neg.f32 %t, %a; selp.f32 %y, %t, %c, %p; bra L; L:" STORE("y") STORE("t"), "....."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check("sm_90", cases[i].body, cases[i].became);
    check("sm_90, debug", "@%p neg.f32 %y, %a;" STORE("y"), "..");
}

/* nvcc -G makes such PTX, of which ptxas changes nothing. */
static void test_debug(void **state)
{
    (void)state;
    check("sm_90", AROUND(""), "-+.");
    check("sm_90, debug", AROUND(""), "...");
}

/* -- values -- */

/* 1 - (1 + e)(1 - e) is e * e if the product is not rounded, and 0 if it is. */
static void run_difference(const char *setting, float expected)
{
    WbGpu *gpu = NULL;
    float data[1] = {0x1p-13f};
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    assert_int_equal(wb_gpu_set(gpu, "contract_multiply_add", setting), WB_OK);
    assert_int_equal(run_status(gpu, "",
                                "ld.global.f32 %f1, [%rd1]; mov.f32 %f2, 0f3F800000; add.f32 %f3, %f2, %f1;"
                                "sub.f32 %f4, %f2, %f1; mul.f32 %f5, %f3, %f4; sub.f32 %f6, %f2, %f5;"
                                "st.global.f32 [%rd1], %f6;",
                                1, data, sizeof data),
                     WB_OK);
    assert_true(data[0] == expected);
    wb_gpu_close(gpu);
}

static void test_knob(void **state)
{
    (void)state;
    run_difference("true", 0x1p-26f);
    run_difference("false", 0.0f);
}

static void run_case(WbGpu *gpu, const char *line, char name[32], uint64_t outputs[CASE_WORDS])
{
    static char text[1 << 16];
    uint64_t inputs[CASE_WORDS], in, out, spare;
    int length = snprintf(text, sizeof text, "%s", case_header);
    length += case_kernel(line, text + length, sizeof text - (size_t)length, name);
    WbModule *module;
    WbKernel *kernel;
    case_inputs(name, inputs);
    memset(outputs, 0, sizeof inputs);
    if (wb_module_load(gpu, name, text, (size_t)length, &module) != WB_OK)
        fail_msg("%s", wb_error(gpu));
    assert_int_equal(wb_module_kernel(module, name, &kernel), WB_OK);
    assert_int_equal(wb_malloc(gpu, sizeof inputs, &in), WB_OK);
    assert_int_equal(wb_malloc(gpu, sizeof inputs, &out), WB_OK);
    assert_int_equal(wb_malloc(gpu, CASE_SPARE, &spare), WB_OK);
    assert_int_equal(wb_copy_to_device(gpu, in, inputs, sizeof inputs), WB_OK);
    assert_int_equal(wb_copy_to_device(gpu, out, outputs, sizeof inputs), WB_OK);
    WbArgument arguments[] = {WB_ARG(in), WB_ARG(out), WB_ARG(spare)};
    const WbLaunch launch = {
        .grid = {1, 1, 1}, .block = {CASE_THREADS, 1, 1}, .arguments = arguments, .argument_count = 3};
    if (wb_launch(kernel, &launch) != WB_OK || wb_wait(gpu) != WB_OK)
        fail_msg("%s", wb_error(gpu));
    assert_int_equal(wb_copy_from_device(gpu, outputs, out, sizeof inputs), WB_OK);
    wb_free(gpu, in);
    wb_free(gpu, out);
    wb_free(gpu, spare);
    wb_module_unload(module);
}

/* Lines of the recording: a name and the numbers of eight outputs. */
static void run_recorded(const char *mode, const char *machine_code, int every)
{
    static char line[1 << 15], recorded[256];
    FILE *cases = fopen(FOLDER "cases.txt", "r"), *results = fopen(FOLDER "h200-contraction.csv", "r");
    WbGpu *gpu = NULL;
    assert_true(cases && results);
    assert_int_equal(wb_gpu_open("h200", &gpu, NULL, 0), WB_OK);
    assert_int_equal(wb_gpu_set(gpu, "mode", mode), WB_OK);
    assert_int_equal(wb_gpu_set(gpu, "machine_code", machine_code), WB_OK);
    for (int number = 0; fgets(line, sizeof line, cases); number++) {
        uint64_t outputs[CASE_WORDS];
        char name[32], *at = recorded;
        assert_non_null(fgets(recorded, sizeof recorded, results));
        if (number % every)
            continue;
        run_case(gpu, line, name, outputs);
        assert_memory_equal(recorded, name, strlen(name));
        for (int k = 0; k < CASE_OUTPUTS; k++) {
            at = strchr(at, ',') + 1;
            if (case_sum(outputs + k * CASE_THREADS) != strtoul(at, NULL, 16))
                fail_msg("output %d of %s is not what an H200 computes (%s, %s)", k, name, mode,
                         machine_code);
        }
    }
    assert_null(fgets(recorded, sizeof recorded, results));
    fclose(cases);
    fclose(results);
    wb_gpu_close(gpu);
}

static void test_recorded(void **state)
{
    (void)state;
    run_recorded("functional", "native", 1);
    run_recorded("functional", "ptx", 7);
    run_recorded("cycle", "native", 23);
    run_recorded("cycle", "ptx", 29);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules), cmocka_unit_test(test_two_products), cmocka_unit_test(test_stretches),
        cmocka_unit_test(test_signs), cmocka_unit_test(test_debug), cmocka_unit_test(test_knob),
        cmocka_unit_test(test_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Instructions: opcodes, every kind of operand, constant expressions, calls. */
#include "parse_ptx.h"

static void expect_constant(const char *expression, int64_t value)
{
    const Function *k;
    char body[200];
    snprintf(body, sizeof body, "mov.b64 %%rd1, %s;", expression);
    Module *module = parse_kernel(body, &k);
    assert_int_equal(operand_at(k, 0, 1)->kind, PTX_INTEGER);
    if (operand_at(k, 0, 1)->value != value)
        fail_msg("%s gives %lld", expression, (long long)operand_at(k, 0, 1)->value);
    module_free(module);
}

static void test_constant_expressions(void **state)
{
    (void)state;
    expect_constant("5", 5);
    expect_constant("-5", -5);
    expect_constant("- -5", 5);
    expect_constant("+5", 5);
    expect_constant("~5", -6);
    expect_constant("!5", 0);
    expect_constant("!0", 1);
    expect_constant("1 + 2 * 3", 7);
    expect_constant("(1 + 2) * 3", 9);
    expect_constant("10 - 4 - 3", 3);
    expect_constant("-7 / 2", -3);
    expect_constant("-7 % 3", -1);
    expect_constant("-7U / 2", (int64_t)((uint64_t)-7 / 2));
    expect_constant("(.u64) -7 / 2", (int64_t)((uint64_t)-7 / 2));
    expect_constant("(.s64) 7U - 8 < 0", 1);
    expect_constant("7U - 8 < 0", 0);
    expect_constant("(-9223372036854775807 - 1) / -1", INT64_MIN);
    expect_constant("(-9223372036854775807 - 1) % -1", 0);
    expect_constant("1 << 4 | 3 ^ 2 & 6", 1 << 4 | (3 ^ (2 & 6)));
    expect_constant("-16 >> 2", -4);
    expect_constant("-16 >> 100", -1);
    expect_constant("0xFFFFFFFFFFFFFFFF >> 60", 15);
    expect_constant("1 << 64", 0);
    expect_constant("3 < 4 == 1", 1);
    expect_constant("3 <= 3 && 4 >= 5 || 2 != 2", 0);
    expect_constant("1 > 2 ? 10 : 0 ? 20 : 30", 30);
    expect_constant("WARP_SZ - 1", 31);
    expect_constant("-WARP_SZ", -32);
    expect_constant("0777", 511);
    expect_constant("0b11", 3);
    expect_constant("18446744073709551615", -1);
}

static void test_literals(void **state)
{
    (void)state;
    const Function *k;
    Module *module =
        parse_kernel("mov.f32 %f1, 0f3F800000; mov.f32 %f1, -1.5; mov.f64 %fd1, 0d4000000000000000;"
                     "mov.f32 %f1, -0f3F800000; mov.f32 %f1, 2.0;",
                     &k);
    static const struct { PtxOperandKind kind; uint64_t bits; } expected[] = {
        {PTX_FLOAT32, 0x3f800000}, {PTX_FLOAT64, 0xbff8000000000000}, {PTX_FLOAT64, 0x4000000000000000},
        {PTX_FLOAT32, 0xbf800000}, {PTX_FLOAT64, 0x4000000000000000},
    };
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(operand_at(k, i, 1)->kind, expected[i].kind);
        assert_int_equal((uint64_t)operand_at(k, i, 1)->value, expected[i].bits);
    }
    module_free(module);
}

static void test_names(void **state)
{
    (void)state;
    const Function *k;
    Module *module = parse_kernel(
        "mov.u32 %r1, %tid.x; mov.u32 %r1, %nctaid.z; mov.u32 %r1, %laneid; mov.u64 %rd1, %clock64;"
        "mov.u64 %rd1, table; mov.u64 %rd1, table+12; mov.u64 %rd1, table+-4; mov.u64 %rd1, table[3];"
        "mov.u64 %rd1, k; setp.eq.and.s32 %p1, %r1, 0, !%p2;",
        &k);
    static const SpecialRegister specials[] = {SPECIAL_tid_x, SPECIAL_nctaid_z, SPECIAL_laneid,
                                               SPECIAL_clock64};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(operand_at(k, i, 1)->kind, PTX_SPECIAL);
        assert_int_equal(operand_at(k, i, 1)->index, specials[i]);
    }
    static const int64_t addends[] = {0, 12, -4, 12};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(operand_at(k, 4 + i, 1)->kind, PTX_VARIABLE);
        assert_int_equal(operand_at(k, 4 + i, 1)->value, addends[i]);
    }
    assert_int_equal(operand_at(k, 8, 1)->kind, PTX_FUNCTION);
    assert_true(operand_at(k, 9, 3)->negated);
    assert_false(operand_at(k, 9, 0)->negated);
    module_free(module);
}

static void expect_address(const Function *k, uint32_t insn, unsigned number, PtxOperandKind base,
                           int64_t value)
{
    const PtxOperand *address = operand_at(k, insn, number);
    assert_int_equal(address->kind, PTX_ADDRESS);
    assert_int_equal(address->count, 1);
    assert_int_equal(element_at(k, address, 0)->kind, base);
    assert_int_equal(address->value, value);
}

static void test_addresses(void **state)
{
    (void)state;
    const Function *k;
    Module *module =
        parse_kernel("ld.global.u32 %r1, [%rd1]; ld.global.u32 %r1, [%rd1+8]; ld.global.u32 %r1, [%rd1+-8]; "
                     "ld.global.u32 %r1, [ %rd1 + -8 ];"
                     "ld.global.u32 %r1, [table]; ld.global.u32 %r1, [table+(2*4)]; ld.global.u32 %r1, "
                     "table[3]; ld.local.u32 %r1, [4096];"
                     "ld.param.u64 %rd1, [arg]; st.global.u32 [%rd1+4], 7; ld.global.u32 %r1, [%rd1+16-4];",
                     &k);
    expect_address(k, 0, 1, PTX_REGISTER, 0);
    expect_address(k, 1, 1, PTX_REGISTER, 8);
    expect_address(k, 2, 1, PTX_REGISTER, -8);
    expect_address(k, 3, 1, PTX_REGISTER, -8);
    expect_address(k, 4, 1, PTX_VARIABLE, 0);
    expect_address(k, 5, 1, PTX_VARIABLE, 8);
    expect_address(k, 6, 1, PTX_VARIABLE, 12);
    expect_address(k, 7, 1, PTX_INTEGER, 0);
    assert_int_equal(element_at(k, operand_at(k, 7, 1), 0)->value, 4096);
    expect_address(k, 8, 1, PTX_VARIABLE, 0);
    expect_address(k, 9, 0, PTX_REGISTER, 4);
    expect_address(k, 10, 1, PTX_REGISTER, 12);
    module_free(module);
}

static void test_vectors_and_pairs(void **state)
{
    (void)state;
    const Function *k;
    Module *module = parse_kernel(
        "ld.global.v4.f32 {%f1, _, %f3, %f4}, [%rd1]; mov.b64 %rd1, {%r1, %r2}; st.global.v2.u32 [%rd1], "
        "{%r1, -7};"
        "setp.lt.s32 %p1|%p2, %r1, 3; shfl.sync.up.b32 %r1|%p1, %r2, 1, 0, -1; setp.lt.s32 _|%p2, %r1, 3;",
        &k);
    const PtxOperand *vector = operand_at(k, 0, 0);
    assert_int_equal(vector->kind, PTX_VECTOR);
    assert_int_equal(vector->count, 4);
    assert_int_equal(element_at(k, vector, 1)->kind, PTX_SINK);
    assert_string_equal(register_name(k, element_at(k, vector, 3)), "%f4");
    assert_int_equal(operand_at(k, 1, 1)->count, 2);
    assert_int_equal(element_at(k, operand_at(k, 2, 1), 1)->value, -7);
    assert_int_equal(operand_at(k, 3, 0)->kind, PTX_PAIR);
    assert_string_equal(register_name(k, element_at(k, operand_at(k, 3, 0), 1)), "%p2");
    assert_int_equal(operand_at(k, 4, 0)->kind, PTX_PAIR);
    assert_int_equal(element_at(k, operand_at(k, 5, 0), 0)->kind, PTX_SINK);
    module_free(module);
}

static void test_vector_registers(void **state)
{
    (void)state;
    const Function *k;
    Module *module = parse_kernel(
        ".reg .v4 .f32 %v; .reg .v2 .u32 %w<3>; ld.global.v4.f32 %v, [%rd1]; add.f32 %f1, %v.x, %v.w;"
        "add.u32 %r1, %w1.x, %w2.y; mov.f32 %v.g, 0f00000000;",
        &k);
    const PtxOperand *whole = operand_at(k, 0, 0);
    assert_int_equal(whole->kind, PTX_VECTOR);
    assert_int_equal(whole->count, 4);
    assert_string_equal(register_name(k, element_at(k, whole, 0)), "%v.x");
    assert_int_equal(element_at(k, whole, 0)->index, operand_at(k, 1, 1)->index);
    assert_int_equal(element_at(k, whole, 3)->index, operand_at(k, 1, 2)->index);
    assert_string_equal(register_name(k, operand_at(k, 2, 1)), "%w1.x");
    assert_string_equal(register_name(k, operand_at(k, 2, 2)), "%w2.y");
    assert_string_equal(register_name(k, operand_at(k, 3, 0)), "%v.y");
    module_free(module);
}

static void test_opcodes(void **state)
{
    (void)state;
    const Function *k;
    Module *module = parse_kernel("ld.global.L1::no_allocate.L2::128B.b32 %r1, [%rd1]; atom.add .release /* "
                                  "x */ .gpu\n.u32 %r1, [%rd1], 1;"
                                  "ret; bar.sync 0;",
                                  &k);
    assert_int_equal(k->insns[0].row, ROW_ld);
    assert_string_equal(k->insns[0].mnemonic, "ld");
    assert_string_equal(k->insns[0].opcode, "ld.global.L1::no_allocate.L2::128B.b32");
    assert_int_equal(k->insns[0].mod_count, 4);
    assert_int_equal(k->mods[k->insns[0].first_mod + 2], MOD_l2_128b);
    assert_int_equal(k->insns[1].row, ROW_atom_add);
    assert_string_equal(k->insns[1].opcode, "atom.add.release.gpu.u32");
    assert_int_equal(k->insns[2].operand_count, 0);
    module_free(module);
}

/* Video instructions take halves and bytes of registers, and a minus. */
static void test_parts_of_registers(void **state)
{
    (void)state;
    const Function *k;
    Module *module = parse_kernel("vadd.u32.u32.u32 %r1.h1, %r2.b0, %r3, %r4;"
                                  "vmad.s32.s32.s32 %r1, -%r2.h1, %r3, %r4;"
                                  "vadd4.u32.u32.u32 %r1.b310, %r2.b7531, %r3, %r4;",
                                  &k);
    assert_int_equal(operand_at(k, 0, 0)->selector, isa_selector(".h1", 3));
    assert_int_equal(operand_at(k, 0, 1)->selector, isa_selector(".b0", 3));
    assert_int_equal(operand_at(k, 0, 2)->selector, 0);
    assert_true(operand_at(k, 1, 1)->minus && !operand_at(k, 1, 1)->negated);
    assert_false(operand_at(k, 1, 2)->minus);
    assert_int_equal(operand_at(k, 2, 1)->selector, isa_selector(".b7531", 6));
    module_free(module);
}

/* What no row knows is kept, for a sentence when a kernel that needs it is launched. */
static void test_unknown_instructions(void **state)
{
    (void)state;
    const Function *k;
    Module *module =
        parse_kernel("suld.p.2d.v4.b32.trap {%f1, %f2, %f3, %f4}, [table, {%r1, %r2}]; ad.s32 %r1, %r2, %r3;"
                     "tex.2dms.v4.f32.f32 {%f1, %f2, %f3, %f4}, [table, table, {%f5}]; add.s32.x %r1, %r2;"
                     "frob;",
                     &k);
    for (uint32_t i = 0; i < k->insn_count; i++)
        assert_int_equal(k->insns[i].row, ROW_UNKNOWN);
    assert_int_equal(k->insn_count, 5);
    assert_string_equal(k->insns[0].opcode, "suld.p.2d.v4.b32.trap");
    const PtxOperand *address = operand_at(k, 0, 1);
    assert_int_equal(address->count, 2);
    assert_int_equal(element_at(k, address, 1)->kind, PTX_VECTOR);
    assert_int_equal(element_at(k, address, 1)->count, 2);
    assert_int_equal(operand_at(k, 2, 1)->count, 3);
    module_free(module);
}

static void test_calls(void **state)
{
    (void)state;
    Module *module =
        parse(".func (.param .b32 r) f (.param .b32 x); .func (.param .b32 r, .reg .pred q) g; .func h;"
              ".entry k { .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>; call h; call.uni h, (); {"
              ".param .b32 a; .param .b32 b; call.uni (b), f, (a); proto : .callprototype (.param .b32 _) _ "
              "(.param .b32 _, .param .align 8 .b8 _[16]) .noreturn;"
              "call (b), %rd1, (a, a), proto; list: .calltargets f, h; call (b), %rd1, (a), list; @%p1 call "
              "(%r1, %p1), g; call (%r1), f, (5); } }");
    const Function *k = &module->functions[3];
    assert_int_equal(k->insn_count, 7);
    assert_int_equal(operand_at(k, 0, 0)->kind, PTX_FUNCTION);
    assert_int_equal(operand_at(k, 0, 0)->index, 2);
    assert_int_equal(operand_at(k, 1, 1)->kind, PTX_LIST);
    assert_int_equal(operand_at(k, 1, 1)->count, 0);
    assert_int_equal(operand_at(k, 2, 0)->kind, PTX_LIST);
    assert_int_equal(element_at(k, operand_at(k, 2, 2), 0)->kind, PTX_VARIABLE);
    assert_int_equal(operand_at(k, 3, 1)->kind, PTX_REGISTER);
    assert_int_equal(operand_at(k, 3, 2)->count, 2);
    const Table *prototype = &k->tables[operand_at(k, 3, 3)->index];
    assert_int_equal(operand_at(k, 3, 3)->kind, PTX_TABLE);
    assert_int_equal(prototype->result_count, 1);
    assert_int_equal(prototype->results[0].size, 4);
    assert_int_equal(prototype->parameter_count, 2);
    assert_int_equal(prototype->parameters[1].size, 16);
    assert_int_equal(prototype->parameters[1].align, 8);
    const Table *list = &k->tables[operand_at(k, 4, 3)->index];
    assert_int_equal(list->target_count, 2);
    assert_int_equal(list->targets[1], 2);
    assert_int_equal(operand_at(k, 5, 0)->count, 2);
    assert_int_equal(element_at(k, operand_at(k, 6, 2), 0)->value, 5);
    module_free(module);
}

/* The addition that a sum stands for may be the opcode for which the list of opcodes moves. */
static void test_sums_behind_many_opcodes(void **state)
{
    (void)state;
    static const char *const compares[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const char *const types[] = {"s16", "u16", "s32", "u32", "s64", "u64"};
    char body[2000];
    size_t length = 0;
    for (unsigned opcodes = 0; opcodes < 36; opcodes++) {
        const Function *k;
        snprintf(body + length, sizeof body - length, "mov.u32 %%r1, %%r2 + 4;");
        Module *module = parse_kernel(body, &k);
        assert_int_equal(k->insn_count, opcodes + 2);
        assert_string_equal(k->insns[opcodes].opcode, "add.u32");
        assert_int_equal(operand_at(k, opcodes, 2)->value, 4);
        module_free(module);
        length += (size_t)snprintf(body + length, sizeof body - length, "setp.%s.%s %%p1, 1, 2;",
                                   compares[opcodes / 6], types[opcodes % 6]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_expressions), cmocka_unit_test(test_literals),
        cmocka_unit_test(test_names),                cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_vectors_and_pairs),    cmocka_unit_test(test_vector_registers),
        cmocka_unit_test(test_opcodes),              cmocka_unit_test(test_parts_of_registers),
        cmocka_unit_test(test_unknown_instructions),
        cmocka_unit_test(test_sums_behind_many_opcodes),
        cmocka_unit_test(test_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

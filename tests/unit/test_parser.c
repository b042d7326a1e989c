/* Modules as the parser sees them: header, variables and their initial values, functions, scopes. */
#include "parse_ptx.h"

static void test_header(void **state)
{
    (void)state;
    Module *module =
        parse_whole("// first\n.version 7.8\n.target sm_90a, texmode_independent, debug\n.address_size 64\n"
                    ".file 1 \"a.cu\", 17, 19\n.file 3 \"b.cu\"\n.pragma \"nounroll\";\n"
                    ".section .debug_info { .b8 1, 2 L: .b32 .debug_abbrev { } .b64 L+4-3 }\n");
    assert_int_equal(module->version, 78);
    assert_int_equal(module->target, 90);
    assert_int_equal(module->address_bits, 64);
    assert_int_equal(module->file_count, 4);
    assert_string_equal(module->files[1], "a.cu");
    assert_null(module->files[2]);
    assert_string_equal(module->files[3], "b.cu");
    assert_int_equal(module->function_count + module->variable_count, 0);
    module_free(module);
    module = parse_whole(".version 3.0\n.target sm_20");
    assert_int_equal(module->version, 30);
    assert_int_equal(module->address_bits, 64);
    module_free(module);
}

static void test_variable_shapes(void **state)
{
    (void)state;
    Module *module = parse(
        ".global .u32 a; .visible .const .align 16 .b8 b[10]; .shared .v4 .f32 c; .extern .shared .align 16 "
        ".b8 d[];"
        ".global .f64 e[2][3][4]; .weak .global .u16 f, g[(1 << 3) + WARP_SZ], h; .common .global .v2 .u64 "
        "i[3];"
        ".global .attribute(.managed) .s32 j; .extern .global .u8 l[]; .const[2] .u32 m; .global .texref t;"
        ".global .samplerref s = {addr_mode_0 = wrap, filter_mode = linear}; .global .surfref u; .tex .u32 v;"
        ".global .b128 w; .global .f16x2 x;");
    static const struct {
        const char *name;
        Space space;
        uint64_t size;
        uint32_t align;
    } expected[] = {
        {"a", SPACE_GLOBAL, 4, 4},  {"b", SPACE_CONST, 10, 16},  {"c", SPACE_SHARED, 16, 16},
        {"d", SPACE_SHARED, 0, 16}, {"e", SPACE_GLOBAL, 192, 8}, {"f", SPACE_GLOBAL, 2, 2},
        {"g", SPACE_GLOBAL, 80, 2}, {"h", SPACE_GLOBAL, 2, 2},   {"i", SPACE_GLOBAL, 48, 16},
        {"j", SPACE_GLOBAL, 4, 4},  {"l", SPACE_GLOBAL, 0, 1},   {"m", SPACE_CONST, 4, 4},
        {"t", SPACE_TEXTURE, 8, 8}, {"s", SPACE_TEXTURE, 8, 8},  {"u", SPACE_TEXTURE, 8, 8},
        {"v", SPACE_TEXTURE, 4, 4}, {"w", SPACE_GLOBAL, 16, 16}, {"x", SPACE_GLOBAL, 4, 4},
    };
    assert_int_equal(module->variable_count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const Variable *variable = variable_of(module, expected[i].name);
        assert_int_equal(variable->space, expected[i].space);
        assert_int_equal(variable->size, expected[i].size);
        assert_int_equal(variable->align, expected[i].align);
        assert_int_equal(variable->function, NO_INDEX);
        assert_null(variable->init);
    }
    assert_true(variable_of(module, "b")->is_visible && variable_of(module, "b")->is_array);
    assert_true(variable_of(module, "d")->is_extern && !variable_of(module, "a")->is_extern);
    assert_true(variable_of(module, "h")->is_weak && variable_of(module, "i")->is_common);
    assert_false(variable_of(module, "a")->is_array);
    module_free(module);
}

static void expect_bytes(const Module *module, const char *name, size_t size, const void *bytes)
{
    const Variable *variable = variable_of(module, name);
    assert_int_equal(variable->size, size);
    assert_non_null(variable->init);
    assert_memory_equal(variable->init, bytes, size);
}

static void test_initial_numbers(void **state)
{
    (void)state;
    Module *module = parse(
        ".global .u32 a = 7; .global .s16 b[3] = {-1, 32767, 0xFFFF}; .global .u8 c[4] = {1, 2}; .global .b8 "
        "d[] = {3, 4, 5};"
        ".global .f32 e[5] = {0f3F800000, 1.5, -2.0, 3, 0d4000000000000000}; .global .f64 f[2] = "
        "{0f3F800000, -0.5};"
        ".global .s32 g[2][3] = {{1, 2}, {3}}; .global .s32 h[2][2] = {1, 2, 3}; .global .v2 .u16 i = {5, 6};"
        ".global .v2 .u8 j[2] = {{1}, {2, 3}}; .global .u32 l[] = {(1 << 4) | 3, 7 / 2, ~0, 5 > 3 ? 10 : 20, "
        "7 % 4};"
        ".global .b32 m = 0f3F800000; .global .u64 n = 18446744073709551615; .global .s64 o = "
        "-9223372036854775808;"
        ".global .b128 p = -2; .global .u32 q[2][2] = {1, {2, 3}}; .global .u32 z[4] = {0, 0};");
    expect_bytes(module, "a", 4, (const uint32_t[]){7});
    expect_bytes(module, "b", 6, (const int16_t[]){-1, 32767, -1});
    expect_bytes(module, "c", 4, (const uint8_t[]){1, 2, 0, 0});
    expect_bytes(module, "d", 3, (const uint8_t[]){3, 4, 5});
    expect_bytes(module, "e", 20, (const float[]){1.0f, 1.5f, -2.0f, 3.0f, 2.0f});
    expect_bytes(module, "f", 16, (const double[]){1.0, -0.5});
    expect_bytes(module, "g", 24, (const int32_t[]){1, 2, 0, 3, 0, 0});
    expect_bytes(module, "h", 16, (const int32_t[]){1, 2, 3, 0});
    expect_bytes(module, "i", 4, (const uint16_t[]){5, 6});
    expect_bytes(module, "j", 4, (const uint8_t[]){1, 0, 2, 3});
    expect_bytes(module, "l", 20, (const uint32_t[]){19, 3, UINT32_MAX, 10, 3});
    expect_bytes(module, "m", 4, (const float[]){1.0f});
    expect_bytes(module, "n", 8, (const uint64_t[]){UINT64_MAX});
    expect_bytes(module, "o", 8, (const int64_t[]){INT64_MIN});
    expect_bytes(module, "p", 16, (const int64_t[]){-2, -1});
    expect_bytes(module, "q", 16, (const uint32_t[]){1, 0, 2, 3});
    assert_null(variable_of(module, "z")->init);
    module_free(module);
}

static void test_initial_addresses(void **state)
{
    (void)state;
    Module *module = parse(
        ".global .u32 a[8]; .func f; .global .u64 b[5] = {a, generic(a)+4, generic(a+8)-2, f, 9};"
        ".global .b8 c[4] = {0xFF(a), 0xFF00(generic(a)+8), 0xFF000000(a+1), 7}; .global .u32 d = a+12;");
    const Variable *b = variable_of(module, "b");
    assert_int_equal(b->relocation_count, 4);
    static const Relocation expected[] = {
        {.offset = 0, .addend = 0, .target = 0, .bytes = 8},
        {.offset = 8, .addend = 4, .target = 0, .generic = true, .bytes = 8},
        {.offset = 16, .addend = 6, .target = 0, .generic = true, .bytes = 8},
        {.offset = 24, .addend = 0, .target = 0, .is_function = true, .bytes = 8},
    };
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(b->relocations[i].offset, expected[i].offset);
        assert_int_equal(b->relocations[i].addend, expected[i].addend);
        assert_int_equal(b->relocations[i].target, expected[i].target);
        assert_int_equal(b->relocations[i].generic, expected[i].generic);
        assert_int_equal(b->relocations[i].is_function, expected[i].is_function);
        assert_int_equal(b->relocations[i].bytes, expected[i].bytes);
    }
    assert_int_equal(b->init[32], 9);
    const Variable *c = variable_of(module, "c");
    assert_int_equal(c->relocation_count, 3);
    assert_int_equal(c->relocations[0].shift, 0);
    assert_int_equal(c->relocations[1].shift, 8);
    assert_int_equal(c->relocations[1].addend, 8);
    assert_true(c->relocations[1].generic && !c->relocations[2].generic);
    assert_int_equal(c->relocations[2].shift, 24);
    assert_int_equal(c->relocations[2].offset, 2);
    assert_int_equal(c->relocations[2].bytes, 1);
    assert_int_equal(c->init[3], 7);
    assert_int_equal(variable_of(module, "d")->relocations[0].bytes, 4);
    module_free(module);
}

static void test_declared_then_defined(void **state)
{
    (void)state;
    Module *module = parse(
        ".extern .global .u32 a; .extern .global .u32 a; .visible .global .u32 a = 3; .extern .global .u32 a;"
        ".visible .func (.param .b32 r) f (.param .b32 x);"
        ".func (.param .b32 r) f (.param .b32 y) { ret; } .func (.param .b32 r) f (.param .b32 z);");
    assert_int_equal(module->function_count, 1);
    assert_int_equal(module->variable_count, 3); /* a, r, y */
    assert_false(variable_of(module, "a")->is_extern);
    assert_non_null(variable_of(module, "a")->init);
    const Function *f = &module->functions[0];
    assert_true(f->has_body && f->is_visible && !f->is_extern);
    assert_int_equal(f->insn_count, 1);
    module_free(module);
}

static void test_functions(void **state)
{
    (void)state;
    Module *module = parse(".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);"
                           ".func nothing { ret; } .func stop () .noreturn;"
                           ".weak .func (.reg .f32 o, .reg .b64 q) old (.reg .f32 i, .param .align 8 .b8 "
                           "s[12]) { .reg .f32 t; mov.f32 t, i; ret; }"
                           ".visible .entry k (.param .u64 .ptr .global .align 8 p, .param .align 4 .b8 "
                           "s[20], .param .u64 .ptr .align 1 u)"
                           ".maxntid 64, 2 .minnctapersm 3 .maxnreg 40 .pragma \"x\"; .explicitcluster "
                           ".reqnctapercluster 2, 1, 1"
                           ".maxclusterrank 8 .blocksareclusters { ret; } .entry e .reqntid 128, 1, 1 { }");
    assert_int_equal(module->function_count, 6);
    const Function *f = module->functions;
    assert_true(f[0].is_extern && !f[0].has_body && f[0].result_count == 1 && f[0].parameter_count == 2);
    assert_true(f[1].has_body && !f[1].is_entry && f[1].parameter_count == 0);
    assert_true(f[2].no_return && !f[2].has_body);
    const Function *old = &f[3];
    assert_true(old->is_weak && old->result_count == 2 && old->parameter_count == 2 &&
                old->register_count == 4);
    assert_string_equal(old->registers[old->result_registers[1]].name, "q");
    assert_int_equal(old->registers[old->parameter_registers[0]].type, TYPE_f32);
    assert_int_equal(old->parameter_registers[1], NO_INDEX);
    assert_int_equal(module->variables[old->parameters[1]].size, 12);
    assert_int_equal(module->variables[old->parameters[0]].space, SPACE_REG);
    assert_int_equal(module->variables[old->parameters[0]].function, 3);
    const Function *k = &f[module_find_function(module, "k")];
    assert_true(k->is_entry && k->is_visible && k->has_body && k->parameter_count == 3);
    assert_int_equal(module->variables[k->parameters[0]].align, 8);
    assert_int_equal(module->variables[k->parameters[1]].size, 20);
    assert_int_equal(module->variables[k->parameters[2]].align, 8);
    assert_int_equal(k->max_threads[0] * 100 + k->max_threads[1] * 10 + k->max_threads[2], 6421);
    assert_int_equal(k->min_blocks, 3);
    assert_int_equal(k->max_registers, 40);
    assert_int_equal(k->required_threads[0], 0);
    assert_int_equal(f[5].required_threads[0], 128);
    assert_int_equal(f[5].max_threads[0], 0);
    assert_int_equal(module_find_function(module, "missing"), NO_INDEX);
    module_free(module);
}

/* Names in nested scopes hide outer ones; each declaration is a register or variable of its own. */
static void test_scopes(void **state)
{
    (void)state;
    Module *module = parse(
        ".global .u64 x; .entry k (.param .u64 y) { .reg .b32 x; .reg .b32 %r<4>; mov.b32 x, 1; mov.b32 %r1, "
        "1;"
        "{ .reg .b64 x; .reg .b64 %r<2>; .local .b64 y[2]; mov.b64 x, 2; mov.b64 %r1, y; mov.b32 %r2, 5;"
        "{ .shared .b32 x; ld.shared.b32 %r3, [x]; } mov.b64 %r1, 3; } mov.b32 %r1, 4; ld.param.u32 %r1, [y]; "
        "}");
    const Function *k = &module->functions[0];
    assert_int_equal(k->insn_count, 9);
    const uint32_t outer_x = operand_at(k, 0, 0)->index, inner_x = operand_at(k, 2, 0)->index;
    assert_int_equal(k->registers[outer_x].type, TYPE_b32);
    assert_int_equal(k->registers[inner_x].type, TYPE_b64);
    assert_int_equal(operand_at(k, 1, 0)->index, operand_at(k, 7, 0)->index);
    assert_int_not_equal(operand_at(k, 1, 0)->index, operand_at(k, 3, 0)->index);
    assert_int_equal(operand_at(k, 3, 0)->index, operand_at(k, 6, 0)->index);
    const Variable *inner_y = &module->variables[operand_at(k, 3, 1)->index];
    assert_int_equal(inner_y->space, SPACE_LOCAL);
    assert_int_equal(inner_y->function, 0);
    const Variable *shared = &module->variables[element_at(k, operand_at(k, 5, 1), 0)->index];
    assert_int_equal(shared->space, SPACE_SHARED);
    assert_int_equal(module->variables[element_at(k, operand_at(k, 8, 1), 0)->index].space, SPACE_PARAM);
    assert_int_equal(module_find_variable(module, "y"), NO_INDEX);
    module_free(module);
}

/* Only registers that are used exist, however many a range declares. */
static void test_register_ranges(void **state)
{
    (void)state;
    Module *module =
        parse(".entry k { .reg .b32 %r<4294967295>; .reg .b32 %r1<10>, a, b; mov.b32 %r4000000000, %r0;"
              "mov.b32 a, %r0; }");
    const Function *k = &module->functions[0];
    assert_int_equal(k->register_count, 4);
    assert_string_equal(register_name(k, operand_at(k, 0, 0)), "%r4000000000");
    assert_int_equal(operand_at(k, 0, 1)->index, operand_at(k, 1, 1)->index);
    module_free(module);
}

static void test_labels_and_tables(void **state)
{
    (void)state;
    const Function *k;
    Module *module = parse_kernel(
        "A: bra B; A2: { A: bra.uni A; bra A2; B: bra B; } ts: .branchtargets A, END, B; brx.idx %r1, ts;"
        "B: @!%p1 bra END; { brx.idx %r1, late; late: .branchtargets A2, B; } END:",
        &k);
    assert_int_equal(k->insn_count, 7);
    static const uint32_t targets[] = {5, 1, 1, 3};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(operand_at(k, i, 0)->kind, PTX_LABEL);
        assert_int_equal(operand_at(k, i, 0)->index, targets[i]);
    }
    assert_int_equal(operand_at(k, 5, 0)->index, 7);
    assert_true(k->insns[5].guard_negated);
    assert_string_equal(k->registers[k->insns[5].guard].name, "%p1");
    assert_int_equal(k->insns[0].guard, NO_INDEX);
    assert_int_equal(k->table_count, 2);
    assert_int_equal(operand_at(k, 4, 1)->kind, PTX_TABLE);
    const Table *table = &k->tables[operand_at(k, 4, 1)->index];
    assert_string_equal(table->name, "ts");
    assert_int_equal(table->target_count, 3);
    assert_int_equal(table->targets[0] * 100 + table->targets[1] * 10 + table->targets[2], 75);
    table = &k->tables[operand_at(k, 6, 1)->index];
    assert_int_equal(table->targets[0] * 10 + table->targets[1], 15);
    module_free(module);
}

static void test_source_places(void **state)
{
    (void)state;
    Module *module =
        parse_whole(".version 8.0\n.target sm_80\n.file 1 \"a.cu\"\n.func f {\nret;\n.loc 1 23 5\nret;\n"
                    ".loc 1 24 7, function_name $L__info_string0, inlined_at 1 20 3\n"
                    "ret; .loc 2 9 9, function_name $L__info_string0+20, inlined_at 1 20 3\nret;\n}\n");
    const Function *f = &module->functions[0];
    char buffer[100];
    assert_string_equal(module_place_text(module, &f->insns[0], buffer, sizeof buffer), "test.ptx:5:1");
    assert_string_equal(module_place_text(module, &f->insns[1], buffer, sizeof buffer),
                        "test.ptx:7:1 (a.cu:23)");
    assert_int_equal(f->insns[2].source.column, 7);
    assert_string_equal(module_place_text(module, &f->insns[3], buffer, sizeof buffer), "test.ptx:10:1");
    assert_int_equal(f->insns[2].place.column, 1);
    size_t length;
    assert_memory_equal(module_line(module, 3, &length), ".file 1", 7);
    assert_int_equal(length, strlen(".file 1 \"a.cu\""));
    module_line(module, 1000, &length);
    assert_int_equal(length, 0);
    module_free(module);
}

/* What comes from a function has its own line, unless that is in the toolkit: then the one that called it. */
static void test_inlined_places(void **state)
{
    (void)state;
    Module *module =
        parse_whole(".version 8.0\n.target sm_80\n.func f {\n.loc 1 33 5\nret;\n"
                    ".loc 2 57 9, function_name $L__info_string0, inlined_at 1 33 5\nret;\n"
                    ".loc 3 12 3, function_name $L__info_string1, inlined_at 2 57 9\nret;\n"
                    ".loc 4 13 3, function_name $L__info_string1, inlined_at 3 12 3\nret;\n"
                    ".loc 2 57 9, function_name $L__info_string0, inlined_at 1 44 5\nret;\n"
                    ".loc 3 12 3, function_name $L__info_string1, inlined_at 2 57 9\nret;\n.loc 3 0 0\nret;\n"
                    ".loc 2 58 9, function_name $L__info_string0, inlined_at 3 70 5\nret;\n"
                    "}\n.file 1 \"a.cu\"\n.file 2 \"cuda/b.hpp\"\n.file 4 \"own/include/c.h\"\n"
                    ".file 3 \"/usr/local/cuda-13.0/targets/x86_64-linux/include/d.hpp\"\n");
    static const uint32_t lines[] = {33, 33, 33, 13, 44, 44, 44, 58};
    const Function *f = &module->functions[0];
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(f->insns[i].source.line, lines[i]);
        assert_int_equal(f->insns[i].source.file, lines[i] == 13 ? 4 : lines[i] == 58 ? 2 : 1);
    }
    module_free(module);
}

/* Folders of people may have names that begin like those of toolkits. */
static void test_toolkit_folders(void **state)
{
    static const struct {
        const char *file;
        bool is_toolkit;
    } cases[] = {
        {"/usr/local/cuda/include/a.h", true},
        {"/opt/cuda-11.7/bin/../targets/x86_64-linux/include/crt/a.h", true},
        {"/usr/local/cuda/bin/..//include/a.h", true},
        {"/opt/hpc_sdk/24.5/cuda/12.4/targets/sbsa-linux/include/a.h", true},
        {"/home/cuda-user/cuda-12/include/a.h", true},
        {"/home/u/lib/python3.12/site-packages/nvidia/cuda_runtime/include/a.h", true},
        {"/home/u/cuda-samples/Common/include/a.h", false},
        {"/home/u/cuda_project/include/a.cuh", false},
        {"/home/u/cuda12include/a.h", false},
        {"/home/u/cuda/src/include/a.h", false},
        {"/home/u/cuda/targets", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_80\n.func f {\n.loc 2 7 9, function_name $L, inlined_at 1 33 5\n"
                 "ret;\n}\n.file 1 \"a.cu\"\n.file 2 \"%s\"\n",
                 cases[i].file);
        Module *module = parse_whole(text);
        if (module->functions[0].insns[0].source.line != (cases[i].is_toolkit ? 33 : 7))
            fail_msg("'%s' is %staken for the toolkit's", cases[i].file, cases[i].is_toolkit ? "not " : "");
        module_free(module);
    }
}

static void test_aliases(void **state)
{
    (void)state;
    Module *module = parse(
        ".func f { ret; } .func g; .entry k { .reg .b64 %a; call g; mov.u64 %a, g; } .global .u64 p = g; .alias g, f;");
    const Function *k = &module->functions[2];
    assert_int_equal(operand_at(k, 0, 0)->index, 0);
    assert_int_equal(operand_at(k, 1, 1)->index, 0);
    assert_int_equal(variable_of(module, "p")->relocations[0].target, 0);
    module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_variable_shapes),
        cmocka_unit_test(test_initial_numbers),
        cmocka_unit_test(test_initial_addresses),
        cmocka_unit_test(test_declared_then_defined),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_register_ranges),
        cmocka_unit_test(test_labels_and_tables),
        cmocka_unit_test(test_source_places),
        cmocka_unit_test(test_inlined_places),
        cmocka_unit_test(test_toolkit_folders),
        cmocka_unit_test(test_aliases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

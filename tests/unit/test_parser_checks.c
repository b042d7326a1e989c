/* Instructions that NVIDIA's assembler refuses must be refused, with a sentence at the operand: by types, by
 * numbers of registers, by addresses, by suffixes. What it takes beside them must pass. tests/mutants holds
 * many more of both kinds. */
#include "parse_ptx.h"

static const char frame[] =
    PTX_HEADER ".global .u32 g; .shared .u32 s; .const .u32 c;\n.entry k (.param .u64 arg) { .reg .b32 "
               "%%r<9>; "
               ".reg .b64 %%rd<9>; .reg .pred %%p<9>; .reg .f32 %%f<9>; .reg .f64 %%fd<9>; .reg .b16 %%h<9>; "
               ".reg .u32 %%u<9>; .reg .b128 %%q<9>; .local .b32 l[4];\n%s\nret; }\n";

static void refuse(const char *line, const char *sentence)
{
    char text[4096], expected[1024];
    Module *module;
    Error error = {0};
    snprintf(text, sizeof text, frame, line);
    snprintf(expected, sizeof expected, "test.ptx:3:%s", sentence);
    assert_int_equal(module_parse("test.ptx", text, strlen(text), &module, &error), WB_ERROR_PTX);
    if (strncmp(error.text, expected, strlen(expected)))
        fail_msg("expected \"%s\", found \"%s\"", expected, error.text);
}

static void take(const char *lines)
{
    char text[4096];
    snprintf(text, sizeof text, frame, lines);
    module_free(parse_whole(text));
}

static void test_vectors(void **state)
{
    (void)state;
    refuse("ld.global.v4.u32 %r1, [%rd1];",
           "18: 'ld.global.v4.u32' takes a vector of 4 registers there, found 1");
    refuse("ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];",
           "18: 'ld.global.v2.u32' takes a vector of 2 registers");
    refuse("ld.global.u32 {%r1, %r2}, [%rd1];", "15: 'ld.global.u32' takes 1 register there, found 2");
    refuse("st.global.v4.u32 [%rd1], {%r1, %r2};", "26: 'st.global.v4.u32' takes a vector of 4 registers");
    refuse("st.global.v2.u32 [%rd1], {%r1, _};", "26: '_' discards a result; it cannot be read");
    refuse("ld.global.v2.u32 {_, _}, [%rd1];", "18: a vector of '_' alone has no type");
    refuse("ld.global.v4.u64 {%rd1, %rd2, %rd3, %rd4}, [%rd1];",
           "1: 'ld.global.v4.u64' moves 256 bits at once");
    refuse("add.s32 %r1, {%r2, %r3}, 1;", "14: 'add.s32' takes no vectors");
    refuse("atom.global.add.u32 {%r1}, [%rd1], 1;", "21: 'atom.global.add.u32' takes 1 register there");
    refuse("mov.u64 {%r1, %r2}, %rd1;", "9: 'mov.u64' cannot pack or unpack a vector");
    take("ld.global.v2.u32 {%r1, _}, [%rd1]; ld.global.u32 {%r1}, [%rd1]; mov.b64 {%r1, _}, %rd1;"
         "st.global.v2.u32 [%rd1], {%r1, 5}; st.global.v2.f32 [%rd1], {%f1, 1.5};");
}

static void test_types(void **state)
{
    (void)state;
    refuse("add.s32 %f1, %r1, %r2;", "9: register '%f1' has type .f32, which does not go with the .s32 of");
    refuse("add.f32 %f1, %u1, %f2;", "14: register '%u1' has type .u32, which does not go with the .f32 of");
    refuse("ld.global.f32 %fd1, [%rd1];",
           "15: register '%fd1' has type .f64, which does not go with the .f32");
    refuse("mov.u32 %r1, %rd1;", "14: register '%rd1' has type .b64, but 'mov.u32' takes 32 bits there");
    refuse("mov.u32 %r1, 1.5;", "14: operand 2 of 'mov.u32' cannot be a constant of this type");
    refuse("add.f32 %f1, %f2, 3;", "19: operand 3 of 'add.f32' cannot be a constant of this type");
    refuse("mov.u32 %r1, g;", "14: the address of 'g' does not go with 'mov.u32'");
    refuse("mov.u32 %r1, %clock64;",
           "14: the special register has 64 bits, which does not go with 'mov.u32'");
    refuse("add.u32 %r1, %tid.x, 1;", "14: operand 2 of 'add.u32' cannot be a special register of this type");
    refuse("shl.b32 %r1, %r2, %f1;", "19: register '%f1' has type .f32");
    refuse("cvta.global.u64 %r1, %rd1;",
           "17: register '%r1' has type .b32, but 'cvta.global.u64' takes 64 bits");
    refuse("cvta.to.global.u64 %rd1, %r1;", "26: register '%r1' has type .b32");
    refuse("lop3.b32 %r1, %r2, %r3, %r4, %r5;", "30: operand 5 of 'lop3.b32' must be an integer constant");
    refuse("fma.rn.f32 _, %f1, %f2, %f3;", "12: 'fma.rn.f32' cannot discard its result with '_'");
    refuse("cvt.rn.f32.s32 %f1|%p1, %r1;", "16: 'cvt.rn.f32.s32' has one result, not a pair");
    take("add.s32 %r1, %u1, %r2; and.b32 %f1, %f2, %r1; mov.b32 %f1, %r1; ld.global.b8 %fd1, [%rd1];"
         "mov.u16 %h1, %tid.x; cvt.u64.u32 %rd1, %tid.x; mov.u32 %r1, s; st.global.b32 [%rd1], 0f3F800000;"
         "atom.global.add.u32 _, [%rd1], 1; setp.lt.u32 %p1|_, %r1, 2; add.u64 %rd1, %rd2, g+4;");
}

static void test_addresses(void **state)
{
    (void)state;
    refuse("ld.global.u32 %r1, [%p1];", "20: register '%p1' has type .pred, which cannot be an address");
    refuse("ld.global.u32 %r1, [%f1];", "20: register '%f1' has type .f32, which cannot be an address");
    refuse("st.global.u32 [%fd1], %r1;", "15: register '%fd1' has type .f64, which cannot be an address");
    refuse("ld.global.u32 %r1, [%q1];", "20: register '%q1' has type .b128, which cannot be an address");
    refuse("ld.global.u32 %r1, [s];", "20: 's' lies in .shared, but 'ld.global.u32' accesses .global");
    refuse("ld.u32 %r1, [c];", "13: 'c' lies in .const, but 'ld.u32' accesses generic addresses");
    refuse("ld.global.u32 %r1, [64];", "20: 'ld.global.u32' cannot access a constant address");
    refuse("ld.global.u32 %r1, [%rd1, %rd2];", "20: 'ld.global.u32' takes one address, not a list");
    refuse("ld.global.u32 %r1, [%rd1-8];", "25: expected '+', found '-': a negative offset is written +-8");
    refuse("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%r1, {%f1}];",
           "41: register '%r1' has type .b32, but the");
    refuse("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1}];",
           "41: register '%f1' has type .f32, but a");
    take("ld.u32 %r1, [s]; st.u32 [l], %r1; ld.local.u32 %r1, [16]; ld.global.u32 %r1, [%r2];"
         "ld.global.u32 %r1, [%rd1+-8];");
}

static void test_suffixes(void **state)
{
    (void)state;
    refuse("mul.u32.lo %r1, %r2, %r3;", "1: 'mul.u32.lo' has a suffix that must stand right behind the name");
    refuse("ld.relaxed.u32 %r1, [%rd1];", "1: 'ld.relaxed.u32' needs a scope such as .gpu beside its order");
    refuse("ld.cta.u32 %r1, [%rd1];", "1: 'ld.cta.u32' has a scope, which takes an order");
    refuse("ld.volatile.local.u32 %r1, [%rd1];", "1: 'ld.volatile.local.u32' is stronger than memory of one");
    refuse("ld.nc.u32 %r1, [%rd1];", "1: 'ld.nc.u32' has .nc, which takes .global");
    refuse("ld.global.u32 %r1, [%rd1], %rd2;",
           "1: 'ld.global.u32' has a cache policy, which takes the suffix");
    refuse("shfl.sync.up.b32 %r1, %r2, 1, 2;", "1: 'shfl.sync.up.b32' needs a mask of its lanes");
    refuse("shfl.up.b32 %r1, %r2, 1, 2;", "1: 'shfl.up.b32' needs .sync on sm_70 and later");
    refuse("setp.lt.and.u32 %p1, %r1, %r2;", "1: 'setp.lt.and.u32' needs a predicate to join");
    refuse("bar.sync 16;", "10: operand 1 of 'bar.sync' is 0 to 15, found 16");
    refuse("bar.sync 1, 33;", "13: the threads of a barrier are a multiple of a warp's 32, found 33");
    refuse("cp.async.cg.shared.global [%rd1], [%rd2], 8;", "43: 'cp.async.cg.shared.global' copies 16 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_suffixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

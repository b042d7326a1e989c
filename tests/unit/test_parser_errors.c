/* Broken PTX: every refusal says where, what was expected, and quotes the line. */
#include <stdlib.h>

#include "parse_ptx.h"

/* The text must fail, and the sentence must begin as given (after "test.ptx:"). */
static void expect_error(const char *text, const char *sentence)
{
    Module *module = (Module *)text;
    Error error = {0};
    assert_int_equal(module_parse("test.ptx", text, strlen(text), &module, &error), WB_ERROR_PTX);
    assert_null(module);
    assert_memory_equal(error.text, "test.ptx:", 9);
    if (strncmp(error.text + 9, sentence, strlen(sentence)))
        fail_msg("expected \"%s\", found \"%s\"", sentence, error.text + 9);
}

/* The same for one line after the header, which is line 1; sentences begin with the column. */
static void expect_line_error(const char *line, const char *sentence)
{
    char text[4096], expected[1024];
    snprintf(text, sizeof text, PTX_HEADER "\n%s\n", line);
    snprintf(expected, sizeof expected, "2:%s", sentence);
    expect_error(text, expected);
}

/* The same for one line of a kernel's body, line 3. */
static void expect_body_error(const char *line, const char *sentence)
{
    char text[4096], expected[1024];
    snprintf(text, sizeof text,
             PTX_HEADER
             "\n.global .u32 var; .func f (.param .b32 x); .entry k (.param .u64 arg) { .reg .b32 %%r<9>; "
             ".reg .b64 %%rd<9>; .reg .pred %%p<9>; .reg .f32 %%f<9>; .reg .b16 %%rs<9>; .reg .v2 .f32 "
             "%%v;\n%s\n}\n",
             line);
    snprintf(expected, sizeof expected, "3:%s", sentence);
    expect_error(text, expected);
}

static void test_whole_sentence(void **state)
{
    (void)state;
    static const char text[] =
        ".version 8.0\n.target sm_80\n.entry k {\n\t.reg .b32 %r<4>;\n\tadd.s32 %r1, %r2, %r3\n}\n";
    Module *module;
    Error error = {0};
    assert_int_equal(module_parse("kernels.ptx", text, strlen(text), &module, &error), WB_ERROR_PTX);
    assert_string_equal(error.text, "kernels.ptx:5:23: expected ';' after the instruction, found '}'\n"
                                    "    add.s32 %r1, %r2, %r3\n"
                                    "                         ^");
    /* An error that stands already is not replaced. */
    assert_int_equal(module_parse("other.ptx", "x", 1, &module, &error), WB_ERROR_PTX);
    assert_memory_equal(error.text, "kernels.ptx", 11);
}

static void test_long_and_strange_lines(void **state)
{
    (void)state;
    char text[4000];
    memset(text, ' ', sizeof text);
    memcpy(text, ".version 8.0", 12);
    memcpy(text + 3000, "\x01\x80", 2);
    text[3999] = 0;
    Module *module;
    Error error = {0};
    assert_int_equal(module_parse("long.ptx", text, 3999, &module, &error), WB_ERROR_PTX);
    assert_memory_equal(error.text, "long.ptx:1:3001: unexpected byte 0x01\n", 38);
    assert_true(strlen(error.text) < 250);
    assert_non_null(strstr(error.text, "??"));
    error_clear(&error);
    assert_int_equal(module_parse("odd.ptx", ".version 8.0 \"\x01\x80", 16, &module, &error), WB_ERROR_PTX);
    assert_memory_equal(error.text, "odd.ptx:1:14: string without closing quote: '\"?\?'\n", 50);
}

static void test_header_errors(void **state)
{
    (void)state;
    expect_error("", "1:1: expected '.version' at the beginning of the module, found the end of the text");
    expect_error(".target sm_80", "1:1: expected '.version' at the beginning of the module, found '.target'");
    expect_error(".version 8", "1:10: expected a version such as 7.8, found '8'");
    expect_error(".version 8.0 .target 80", "1:22: expected a target such as sm_80, found '80'");
    expect_error(".version 8.0 .target sm_x", "1:22: 'sm_x' is not a target such as sm_80");
    expect_error(".version 8.0 .global .u32 x;",
                 "1:14: expected '.target' before the first declaration, found '.global'");
    expect_error(".version 8.0 .address_size 16", "1:28: an address size must be 32 or 64");
    expect_error(".version 8.0 .target sm_80 .address_size 32",
                 "1:42: modules with addresses of 32 bits are not executed; compile this one with");
    expect_error(".version 8.0 .address_size 64 .target sm_80", "1:28: .address_size stands once, right behind");
    expect_error(".version 99.9", "1:10: there is no PTX version 99.9 that Warpbeam knows; it reads 1.0 to 9.9");
    expect_error(".version 7.9", "1:10: there is no PTX version 7.9");
    expect_error(".version 8.0 .target sm_999", "1:22: 'sm_999' is not a target such as sm_80");
    expect_error(".version 8.0 .target sm_80a", "1:22: 'sm_80a' is not a target");
    expect_error(".version 8.0 .target sm_80, fast", "1:29: 'fast' is not a target");
    expect_error(".version 7.0 .target sm_90", "1:22: PTX 7.0 has no target 'sm_90'; that takes .version 7.8");
    expect_line_error("hello", "1: expected a directive such as .global, .func or .entry, found 'hello'");
    expect_line_error(".frob x;", "1: expected a directive such as .global, .func or .entry, found '.frob'");
    expect_line_error("/* never closed", "1: comment without end");
    expect_line_error(".file x \"a\"", "7: expected a file number, found 'x'");
    expect_line_error(".file 99999999 \"a\"",
                      "7: 99999999 is out of range: expected a file number of at most 1048576");
    expect_line_error(".file 1 \"a", "9: string without closing quote");
    expect_line_error(".section .debug { .b8 1", "17: '{' is never closed");
    expect_line_error(".pragma x;", "9: expected a string after .pragma, found 'x'");
    expect_line_error(".alias a, b;", "8: 'a' is not a function declared before");
    expect_line_error(".reg .b32 x;",
                      "1: expected a directive such as .global, .func or .entry, found '.reg'");
}

static void test_variable_errors(void **state)
{
    (void)state;
    expect_line_error(".global x;", "9: expected a type such as .b32, found 'x'");
    expect_line_error(".global .u32;", "13: expected a name, found ';'");
    expect_line_error(".global .u32 x",
                      "15: expected ';' after the variable declaration, found the end of the text");
    expect_line_error(".global .align 3 .u32 x;", "16: an alignment must be a power of two, found 3");
    expect_line_error(".global .pred x;", "15: a variable cannot have type .pred");
    expect_line_error(".global .u32 x; .global .f32 x;",
                      "30: 'x' is declared twice in this scope, first at line 2");
    expect_line_error(".extern .global .u32 x; .const .u32 x;", "37: 'x' was declared in .global at line 2");
    expect_line_error(".func f; .global .u32 f;", "23: 'f' is declared twice");
    expect_line_error(".global .u32 x[];", "14: 'x' needs a size, an initializer or .extern");
    expect_line_error(".global .u32 x[0];", "16: an array dimension must be between 1 and 2^32, found 0");
    expect_line_error(".global .u32 x[-1];", "16: an array dimension must be between 1 and 2^32, found -1");
    expect_line_error(".global .u32 x[4];.global .u8 y[4294967297];",
                      "33: an array dimension must be between");
    expect_line_error(".global .u32 x[4294967296];", "14: a variable has at most 2^32 bytes");
    expect_line_error(".global .u64 x[65536][65536][65536][65536][65536];",
                      "14: a variable has at most 2^32 bytes");
    expect_line_error(".global .u64 x[][4294967296][4294967296] = {1};",
                      "14: a variable has at most 2^32 bytes");
    expect_line_error(".global .u8 x[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1];",
                      "63: an array has at most 16");
    expect_line_error(".global .u32 x[4;", "17: expected ']' after the array dimension, found ';'");
    expect_line_error(".shared .u32 x = 3;", "14: only .global and .const variables can have an initializer");
}

static void test_initializer_errors(void **state)
{
    (void)state;
    expect_line_error(".global .u32 x = ;", "18: expected a constant, found ';'");
    expect_line_error(".global .u8 x = 256;", "17: the value 256 does not fit in type .u8");
    expect_line_error(".global .s8 x = -129;", "17: the value -129 does not fit in type .s8");
    expect_line_error(".global .u32 x = 99999999999999999999;",
                      "18: integer literal does not fit in 64 bits");
    expect_line_error(".global .u32 x[2] = {1, 2, 3};",
                      "28: more initial values than the array has elements");
    expect_line_error(".global .u32 x[2] = {{1}};",
                      "22: more levels of braces than the array has dimensions");
    expect_line_error(".global .u32 x[2] = {1, 2;",
                      "26: expected ',' or '}' after the initial value, found ';'");
    expect_line_error(".global .u32 x[2] = 1;", "21: expected '{', found '1'");
    expect_line_error(".global .u32 x[] = {};", "14: 'x' needs a size or an initial value");
    expect_line_error(".global .u64 x = y;",
                      "18: 'y' is not the name of a variable or function declared before");
    expect_line_error(".global .u32 a; .global .u8 x = a;", "33: an address does not fit in type .u8");
    expect_line_error(".global .u32 a; .global .u8 x = 0xF0(a);",
                      "33: the mask of an address must select one byte");
    expect_line_error(".global .u32 a; .global .u8 x = 0(a);",
                      "33: the mask of an address must select one byte");
    expect_line_error(".global .u16 x = 1.5;", "18: a floating-point literal cannot initialize type .u16");
    expect_line_error(".global .u32 x = 1 / (2 - 2);", "20: division by zero in a constant expression");
    expect_line_error(".global .u32 x = (.u32) 4;", "19: expected .s64 or .u64, found '.u32'");
    expect_line_error(".global .u32 x = 1 ? 2;", "23: expected ':' of the conditional expression, found ';'");
    expect_line_error(".global .u8 x[65536][65536] = {{1}, {2}};",
                      "13: initial values of a module take at most 2^28 bytes");
}

static void test_function_errors(void **state)
{
    (void)state;
    expect_line_error(".entry 5", "8: expected a kernel's name, found '5'");
    expect_line_error(".func f (.param .b32 a) { ret; } .func f (.param .b32 a) { ret; }",
                      "40: 'f' is defined twice, first at line 2");
    expect_line_error(".func f (.param .b32 a); .func f { ret; }",
                      "32: 'f' was declared differently at line 2");
    expect_line_error(".func f; .entry f { ret; }", "17: 'f' was declared differently at line 2");
    expect_line_error(".global .u32 f; .func f;", "23: 'f' is declared twice");
    expect_line_error(".entry k (.global .u32 x) { }", "11: expected '.param' or '.reg', found '.global'");
    expect_line_error(".entry k (.param .u32 x { }",
                      "25: expected ',' or ')' after the formal parameter, found '{'");
    expect_line_error(".entry k (.param .u32 x, .param .u32 x) { }", "38: 'x' is declared twice");
    expect_line_error(".entry k .frob { }", "10: expected a function directive, '{' or ';', found '.frob'");
    expect_line_error(".entry k .maxntid x { }", "19: expected a number, found 'x'");
    expect_line_error(".entry k 5", "10: expected '{' or ';' after the function's header, found '5'");
    expect_error(PTX_HEADER ".entry k {\nret;\n",
                 "3:1: expected '}' at the end of the function that begins at line 1");
}

static void test_name_errors(void **state)
{
    (void)state;
    expect_body_error("add.s32 %r1, %r2, %r9;", "19: '%r9' is not declared");
    expect_body_error("add.s32 %r1, %r2, %r01;", "19: '%r01' is not declared");
    expect_body_error("mov.u32 %r1, %tid;", "14: 'mov.u32' cannot pack or unpack a vector");
    expect_body_error("mov.u32 %r1, %tid.q;", "14: '%tid.q' is neither declared nor a special register");
    expect_body_error("call g;", "6: 'g' is not declared");
    expect_body_error("bra NOWHERE;", "5: label 'NOWHERE' is not defined in this function");
    expect_body_error("{ L: ret; } bra L;", "17: label 'L' is not defined in this function");
    expect_body_error("bra var;", "5: label 'var' is not defined in this function");
    expect_body_error("ts: .branchtargets L;", "20: label 'L' is not defined");
    expect_body_error("L: brx.idx %r1, L;", "17: 'L' is not a .branchtargets list");
    expect_body_error("ts: .branchtargets ts;", "20: 'ts' is not a label");
    expect_body_error("L: mov.u32 %r1, L;", "17: the label 'L' cannot be an operand here");
    expect_body_error("L: ret; L: ret;", "9: 'L' is declared twice in this scope, first at line 3");
    expect_body_error(".reg .b32 %r5;", "11: '%r5' is declared twice in this scope");
    expect_body_error(".reg .b32 %r<3>;", "11: '%r' is declared twice in this scope");
    expect_body_error(".reg .b32 a, a;", "14: 'a' is declared twice in this scope");
    expect_body_error("{ .reg .b32 t; } mov.b32 t, 1;", "26: 't' is not declared");
    expect_body_error("t: .calltargets var;", "17: 'var' is not a function declared before");
    expect_body_error("mov.f32 %f1, %v.z;", "16: expected a component of the vector register, found '.z'");
}

static void test_syntax_errors(void **state)
{
    (void)state;
    expect_body_error("add.s32 %r1 %r2, %r3;", "13: expected ';' after the instruction, found '%r2'");
    expect_body_error("add.s32 %r1, , %r3;", "14: expected an operand, found ','");
    expect_body_error("add.s32 %r1, %r2,;", "18: expected an operand, found ';'");
    expect_body_error("ld.global.u32 %r1, [%rd1;", "25: expected ']' at the end of the address, found ';'");
    expect_body_error("ld.global.u32 %r1, [%rd1+%rd2];", "26: expected a constant, found '%rd2'");
    expect_body_error("ld.global.u32 %r1, [];", "21: expected a constant, found ']'");
    expect_body_error("ld.global.u32 %r1, [f];",
                      "21: an address begins with a register, a variable or a constant");
    expect_body_error("mov.b64 %rd1, {%r1, %r2;", "24: expected ',' or '}', found ';'");
    expect_body_error("mov.b64 %rd1, {%r1, {%r2}};", "21: expected an operand, found '{'");
    expect_body_error("call f, (%r1;", "13: expected ',' or ')', found ';'");
    expect_body_error("bra 5;", "5: expected a label, found '5'");
    expect_body_error("bra;", "1: 'bra' takes 1 operand, found 0");
    expect_body_error("@%p1;", "5: expected an instruction after the guard, found ';'");
    expect_body_error("@5 ret;", "2: expected a predicate register, found '5'");
    expect_body_error("@%r1 ret;", "2: the guard '%r1' is not a predicate register");
    expect_body_error("@%q ret;", "2: '%q' is not declared");
    expect_body_error(";", "1: expected an instruction, a declaration or '}', found ';'");
    expect_body_error(".frob;", "1: expected an instruction or a declaration, found '.frob'");
    expect_body_error(".reg .b32 5;", "11: expected a register name, found '5'");
    expect_body_error(".reg .b32 q<x>;", "13: expected a count of registers, found 'x'");
    expect_body_error(".loc 1 2;", "9: expected a column number, found ';'");
    expect_body_error(".loc 1 2 3, x", "13: expected 'function_name' or 'inlined_at', found 'x'");
    expect_body_error("setp.eq.s32 %p1|5, %r1, 0;", "17: expected a register after '|'");
    expect_body_error("mov.b32 %r1, 0f12;", "14: an 0f literal has exactly 8 hexadecimal digits: '0f12'");
}

static void test_operand_checks(void **state)
{
    (void)state;
    expect_body_error("ld.global.u32 %r1, %rd1;",
                      "20: operand 2 of 'ld.global.u32' must be an address in brackets, found a register");
    expect_body_error("ld.global.u32 5, [%rd1];",
                      "15: operand 1 of 'ld.global.u32' must be a register to write, found a constant");
    expect_body_error("ld.global.u32 %r1;", "1: 'ld.global.u32' takes 2 to 3 operands, found 1");
    expect_body_error("setp.eq.s32 %r1, %r2, %r3;",
                      "13: operand 1 of 'setp.eq.s32' must be a predicate register to write");
    expect_body_error("setp.eq.s32 %p1, %p2, %r3;",
                      "18: operand 2 of 'setp.eq.s32' must be a register or a constant");
    expect_body_error("setp.eq.and.s32 %p1, %r1, %r3, %r4;",
                      "32: operand 4 of 'setp.eq.and.s32' must be a predicate register");
    expect_body_error("mov.b32 %r1, [%rd1];",
                      "14: operand 2 of 'mov.b32' must be a register or a constant, found an address");
    expect_body_error("ret %r1;", "1: 'ret' takes 0 operands, found 1");
    expect_body_error("add.s32 %r1, %r2;", "1: 'add.s32' takes 3 operands, found 2");
    expect_body_error("add.s32 %r1, %r2, %r3, %r4;", "1: 'add.s32' takes 3 operands, found 4");
    expect_body_error("add.s32 %r1, !%r2, 1;", "14: operand 2 of 'add.s32' must be a register or a constant");
}

static void test_part_checks(void **state)
{
    (void)state;
    expect_body_error("add.s32 %r1, %r2.b0, 1;", "14: 'add.s32' takes whole registers without a sign");
    expect_body_error("add.s32 %r1, -%r2, 1;", "14: 'add.s32' takes whole registers without a sign");
    expect_body_error("and.pred %p1, -%p2, %p3;", "15: 'and.pred' takes whole registers without a sign");
    expect_body_error("mov.b64 %rd1, {%r1.h0, %r2};", "16: a vector cannot hold");
    expect_body_error("ld.global.u32 %r1, [%rd1.b0];", "21: an address begins with");
    expect_body_error("vadd.u32.u32.u32 %r1, %r2.x, 1;", "26: expected a selector");
    expect_body_error("vadd.u32.u32.u32 %r1, %r2.h2, 1;", "23: operand 2 of 'vadd.u32.u32.u32' must be a");
    expect_body_error("vadd.u32.u32.u32 %r1, -%r2, 1;",
                      "23: operand 2 of 'vadd.u32.u32.u32' must be a register or a constant, found a neg");
    expect_body_error("vadd.u32.u32.u32 %r1.h10, %r2, %r3, %r4;",
                      "18: operand 1 of 'vadd.u32.u32.u32' must be a register to write, found a part of a");
    expect_body_error("vadd2.u32.u32.u32 %r1, %r2.b10, %r3, %r4;", "24: operand 2 of 'vadd2.u32.u32.u32'");
    expect_body_error("vadd2.u32.u32.u32 %r1, %r2.h0, %r3, %r4;", "24: operand 2 of 'vadd2.u32.u32.u32'");
    expect_body_error("vadd4.u32.u32.u32 %r1.b13, %r2, %r3, %r4;", "19: operand 1 of 'vadd4.u32.u32.u32'");
    expect_body_error("vmad.u32.u32.u32 %r1.b0, %r2, %r3, %r4;", "18: operand 1 of 'vmad.u32.u32.u32'");
    expect_body_error("vmad.u32.u32.u32 %r1, %r2, %r3, %r4.b0;", "33: operand 4 of 'vmad.u32.u32.u32'");
}

static void test_call_checks(void **state)
{
    (void)state;
    expect_body_error("call;", "1: 'call' takes at least 1 operand, found 0");
    expect_body_error("call 5;", "1: a call needs a function or a register with its address");
    expect_body_error("call var;", "1: a call needs a function or a register with its address");
    expect_body_error("call (%r1), (%r2);", "1: a call needs a function or a register with its address");
    expect_body_error("call f;", "1: 'f' takes 1 arguments, but the call gives 0");
    expect_body_error("call f, (%r1, %r2);", "1: 'f' takes 1 arguments, but the call gives 2");
    expect_body_error("call (%r1), f, (%r1);", "1: 'f' gives 0 results, but the call takes 1");
    expect_body_error("call f, (%r1), %r2;", "16: expected ';', found a register");
    expect_body_error("call %rd1, (%r1);", "1: an indirect call ends with the name of a .callprototype or");
    expect_body_error("p: .callprototype _ (.param .b32 _); call %rd1, p;", "38: 'p' takes 1 arguments, but");
}

static void test_size_checks(void **state)
{
    (void)state;
    expect_body_error("add.s32 %r1, %rd2, %r3;",
                      "14: register '%rd2' has type .b64, but 'add.s32' takes 32 bits there");
    expect_body_error("add.s64 %rd1, %rd2, %r3;",
                      "21: register '%r3' has type .b32, but 'add.s64' takes 64 bits there");
    expect_body_error("mul.wide.s32 %r1, %r2, %r3;",
                      "14: register '%r1' has type .b32, but 'mul.wide.s32' takes 64 bits there");
    expect_body_error("ld.global.u64 %r1, [%rd1];",
                      "15: register '%r1' has type .b32, but 'ld.global.u64' takes at least 64 bits");
    expect_body_error("st.global.v2.u32 [%rd1], {%r1, %rs1};",
                      "26: a vector's registers have one size, but '%r1' has type .b32 and '%rs1' .b16");
    expect_body_error("mov.b64 %rd1, {%r1, %rs1};", "15: a vector's registers have one size");
    expect_body_error("shl.b64 %rd1, %rd2, %rd3;",
                      "21: register '%rd3' has type .b64, but 'shl.b64' takes 32 bits there");
    expect_body_error("setp.lt.f32 %p1, %f1, %rd1;", "23: register '%rd1' has type .b64");
    /* What PTX allows: wider registers for ld, st and cvt, and any constant. */
    const Function *k;
    Module *module = parse_kernel(
        "ld.global.u8 %rs1, [%rd1]; ld.global.u8 %r1, [%rd1]; ld.global.u16 %rd2, [%rd1]; st.global.u8 "
        "[%rd1], %r1;"
        "shl.b64 %rd1, %rd2, %r1; mul.wide.s32 %rd1, %r1, 4; mul.wide.u16 %r1, %rs1, 3; mov.b32 {%rs1, "
        "%rs2}, %r1;"
        "mad.wide.u32 %rd1, %r1, %r2, %rd2; popc.b64 %r1, %rd1; add.f32 %f1, %r1, 0f00000000; st.global.u8 "
        "[%rd1], 300;"
        "shfl.sync.idx.b32 %r1|%p1, %r2, %r3, 31, -1; atom.global.cas.b64 %rd1, [%rd2], %rd3, %rd4;",
        &k);
    assert_int_equal(k->insn_count, 14);
    module_free(module);
}

/* `count` times `open` between two texts. */
static char *repeat(const char *before, const char *open, unsigned count, const char *after)
{
    const size_t unit = strlen(open);
    char *text = malloc(strlen(before) + unit * count + strlen(after) + 1);
    assert_non_null(text);
    strcpy(text, before);
    char *at = text + strlen(before);
    for (unsigned i = 0; i < count; i++, at += unit)
        memcpy(at, open, unit);
    strcpy(at, after);
    return text;
}

static void expect_too_deep(const char *before, const char *open)
{
    char *text = repeat(before, open, 100000, "");
    Module *module;
    Error error = {0};
    assert_int_equal(module_parse("deep.ptx", text, strlen(text), &module, &error), WB_ERROR_PTX);
    assert_non_null(strstr(error.text, "nested more than 200 levels deep"));
    free(text);
}

static void test_depth(void **state)
{
    (void)state;
    expect_too_deep(PTX_HEADER ".global .u32 x = ", "(");
    expect_too_deep(PTX_HEADER ".global .u32 x = ", "- ");
    expect_too_deep(PTX_HEADER ".global .u32 x = ", "1 ? ");
    expect_too_deep(PTX_HEADER ".global .u32 x = ", "1 ? 2 : ");
    expect_too_deep(PTX_HEADER ".entry k ", "{");
    char *text = repeat(PTX_HEADER ".global .u32 x = ", "1 + ", 100000, "1;"); /* long, not deep */
    Module *module = parse_whole(text);
    assert_int_equal(*(const uint32_t *)variable_of(module, "x")->init, 100001);
    module_free(module);
    free(text);
}

static void test_limits(void **state)
{
    (void)state;
    char *text = repeat(PTX_HEADER ".entry k { frob 1", ", 1", 64, "; }");
    expect_error(text, "1:");
    free(text);
    text = repeat(PTX_HEADER ".entry k { frob", " .x", 100000, "; }");
    Module *module;
    Error error = {0};
    assert_int_equal(module_parse("long.ptx", text, strlen(text), &module, &error), WB_ERROR_PTX);
    assert_non_null(strstr(error.text, "an opcode has at most 1000 characters"));
    free(text);
    text = repeat(PTX_HEADER ".entry k { frob {1", ", 1", 5000, "}; }");
    error_clear(&error);
    assert_int_equal(module_parse("long.ptx", text, strlen(text), &module, &error), WB_ERROR_PTX);
    assert_non_null(strstr(error.text, "a list has at most 4096 elements"));
    free(text);
    /* Huge, but with nothing to store. */
    module = parse(".global .u8 x[4294967296]; .shared .b32 y[1073741824];");
    assert_int_equal(variable_of(module, "x")->size, (uint64_t)1 << 32);
    assert_null(variable_of(module, "x")->init);
    module_free(module);
}

/* Every beginning of a module either parses or fails with a sentence; nothing is read past its end. */
static void test_truncated(void **state)
{
    (void)state;
    static const char text[] = PTX_HEADER
        ".global .u64 p[2] = {1, generic(p)+4}; .func (.param .b32 r) f (.param .b32 x);"
        ".entry k (.param .u64 a) .maxntid 1 { .reg .b32 %r<3>; .reg .pred q; ld.param.u64 _, [a+0x8];"
        "L: @!q bra L; setp.lt.f32 q, 0f3F800000, -1.5e3; { call (%r1), f, (%r2); } /* x */ } // end";
    for (size_t length = 0; length < sizeof text; length++) {
        char *copy = malloc(length ? length : 1);
        assert_non_null(copy);
        memcpy(copy, text, length);
        Module *module;
        Error error = {0};
        const WbStatus status = module_parse("cut.ptx", copy, length, &module, &error);
        assert_true((status == WB_OK) == (module != NULL) && (status == WB_OK) == !error.text[0]);
        module_free(module);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_sentence),  cmocka_unit_test(test_long_and_strange_lines),
        cmocka_unit_test(test_header_errors),   cmocka_unit_test(test_variable_errors),
        cmocka_unit_test(test_initializer_errors), cmocka_unit_test(test_function_errors),
        cmocka_unit_test(test_name_errors),     cmocka_unit_test(test_syntax_errors),
        cmocka_unit_test(test_operand_checks),  cmocka_unit_test(test_size_checks),
        cmocka_unit_test(test_call_checks),     cmocka_unit_test(test_part_checks),
        cmocka_unit_test(test_depth),           cmocka_unit_test(test_limits),
        cmocka_unit_test(test_truncated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

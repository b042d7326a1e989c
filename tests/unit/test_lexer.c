/* Tokens: what the lexer makes of every kind of PTX text, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/lexer.h"

static Token first_token(const char *text)
{
    Lexer lexer;
    Token token;
    lexer_init(&lexer, text, strlen(text));
    lexer_next(&lexer, &token);
    return token;
}

/* Checks the kinds of all tokens of a text; kinds end with TOKEN_END. */
static void expect_kinds(const char *text, const int *kinds)
{
    Lexer lexer;
    lexer_init(&lexer, text, strlen(text));
    for (int i = 0;; i++) {
        Token token;
        lexer_next(&lexer, &token);
        if (token.kind != kinds[i])
            print_error("token %d of \"%s\" is of kind %d\n", i, text, token.kind);
        assert_int_equal(token.kind, kinds[i]);
        if (token.kind == TOKEN_END)
            return;
    }
}
#define EXPECT_KINDS(text, ...) expect_kinds(text, (const int[]){__VA_ARGS__, TOKEN_END})

static void expect_integer(const char *text, uint64_t value, bool is_unsigned)
{
    const Token token = first_token(text);
    assert_int_equal(token.kind, TOKEN_INTEGER);
    assert_int_equal(token.value, value);
    assert_int_equal(token.is_unsigned, is_unsigned);
    assert_int_equal(token.length, strlen(text));
}

static void expect_problem(const char *text, const char *problem)
{
    Lexer lexer;
    Token token;
    lexer_init(&lexer, text, strlen(text));
    do
        lexer_next(&lexer, &token);
    while (token.kind != TOKEN_BAD && token.kind != TOKEN_END);
    assert_int_equal(token.kind, TOKEN_BAD);
    assert_string_equal(lexer.problem, problem);
}

static void test_names(void **state)
{
    (void)state;
    EXPECT_KINDS("add _ $L__BB0_1 %r1 _Z1kPf WARP_SZ %3", TOKEN_NAME, TOKEN_NAME, TOKEN_NAME, TOKEN_NAME,
                 TOKEN_NAME, TOKEN_NAME, TOKEN_NAME);
    EXPECT_KINDS("a % b", TOKEN_NAME, '%', TOKEN_NAME);
    EXPECT_KINDS("%r1|%p2", TOKEN_NAME, '|', TOKEN_NAME);
    assert_int_equal(first_token("%r1+4").length, 3);
    assert_true(token_is(&(Token){.start = "add.s32", .length = 3}, "add"));
    assert_false(token_is(&(Token){.start = "add.s32", .length = 3}, "addc"));
    assert_false(token_is(&(Token){.start = "addc", .length = 4}, "add"));
}

static void test_directives(void **state)
{
    (void)state;
    EXPECT_KINDS("add.s32", TOKEN_NAME, TOKEN_DIRECTIVE);
    EXPECT_KINDS(".reg.b32", TOKEN_DIRECTIVE, TOKEN_DIRECTIVE);
    EXPECT_KINDS("tex.2d.v4", TOKEN_NAME, TOKEN_DIRECTIVE, TOKEN_DIRECTIVE);
    assert_int_equal(first_token(".shared::cta.b32").length, strlen(".shared::cta"));
    assert_int_equal(first_token(".mbarrier::complete_tx::bytes [").length,
                     strlen(".mbarrier::complete_tx::bytes"));
    EXPECT_KINDS("label:", TOKEN_NAME, ':');
    expect_problem("add. x", "a dot must be followed by a name");
}

static void test_integers(void **state)
{
    (void)state;
    expect_integer("0", 0, false);
    expect_integer("1234567890", 1234567890, false);
    expect_integer("0x7fffFFFF", 0x7fffffff, false);
    expect_integer("0XaB", 0xab, false);
    expect_integer("0b1011", 11, false);
    expect_integer("0777", 0777, false);
    expect_integer("5U", 5, true);
    expect_integer("0x10U", 16, true);
    expect_integer("9223372036854775807", INT64_MAX, false);
    expect_integer("9223372036854775808", (uint64_t)INT64_MAX + 1, true);
    expect_integer("0xFFFFFFFFFFFFFFFF", UINT64_MAX, true);
    EXPECT_KINDS("-5", '-', TOKEN_INTEGER);
    expect_problem("18446744073709551616", "integer literal does not fit in 64 bits");
    expect_problem("0x10000000000000000", "integer literal does not fit in 64 bits");
    expect_problem("12abc", "malformed integer literal");
    expect_problem("0x", "malformed integer literal");
    expect_problem("0b", "malformed integer literal");
    expect_problem("0b102", "malformed integer literal");
    expect_problem("089", "malformed integer literal");
}

static void expect_float(const char *text, TokenKind kind, uint64_t bits)
{
    const Token token = first_token(text);
    assert_int_equal(token.kind, kind);
    assert_int_equal(token.value, bits);
    assert_int_equal(token.length, strlen(text));
}

static void test_floats(void **state)
{
    (void)state;
    expect_float("0f3F800000", TOKEN_FLOAT32, 0x3f800000);
    expect_float("0FbF8000ff", TOKEN_FLOAT32, 0xbf8000ff);
    expect_float("0d3FF0000000000000", TOKEN_FLOAT64, 0x3ff0000000000000);
    expect_float("0D7ff0000000000000", TOKEN_FLOAT64, 0x7ff0000000000000);
    expect_float("1.5", TOKEN_FLOAT64, 0x3ff8000000000000);
    expect_float("1.", TOKEN_FLOAT64, 0x3ff0000000000000);
    expect_float("2e3", TOKEN_FLOAT64, 0x409f400000000000);
    expect_float("2.5E-1", TOKEN_FLOAT64, 0x3fd0000000000000);
    expect_float("0.1", TOKEN_FLOAT64, 0x3fb999999999999a);
    expect_problem("0f3F80000", "an 0f literal has exactly 8 hexadecimal digits");
    expect_problem("0f3F8000000", "an 0f literal has exactly 8 hexadecimal digits");
    expect_problem("0d3FF", "an 0d literal has exactly 16 hexadecimal digits");
    expect_problem("1.5x", "malformed floating-point literal");
}

static void test_punctuation(void **state)
{
    (void)state;
    EXPECT_KINDS("{}[](),;:@!<> =+-*/%?&|^~", '{', '}', '[', ']', '(', ')', ',', ';', ':', '@', '!', '<', '>',
                 '=', '+', '-', '*', '/', '%', '?', '&', '|', '^', '~');
    EXPECT_KINDS("<< >> <= >= == != && ||", TOKEN_SHIFT_LEFT, TOKEN_SHIFT_RIGHT, TOKEN_LESS_EQUAL,
                 TOKEN_GREATER_EQUAL, TOKEN_EQUAL, TOKEN_NOT_EQUAL, TOKEN_AND, TOKEN_OR);
    expect_problem("a ` b", "unexpected character");
    expect_problem("a \x80", "unexpected character");
}

static void test_null_character(void **state)
{
    (void)state;
    Lexer lexer;
    Token token;
    lexer_init(&lexer, "\0a", 2);
    lexer_next(&lexer, &token);
    assert_int_equal(token.kind, TOKEN_BAD);
    lexer_next(&lexer, &token);
    assert_int_equal(token.kind, TOKEN_NAME);
    lexer_next(&lexer, &token);
    assert_int_equal(token.kind, TOKEN_END);
    lexer_next(&lexer, &token);
    assert_int_equal(token.kind, TOKEN_END);
}

static void test_strings(void **state)
{
    (void)state;
    assert_int_equal(first_token("\"a b\" c").length, 5);
    assert_int_equal(first_token("\"a\\\"b\"").length, 6);
    expect_problem("\"abc", "string without closing quote");
    expect_problem("\"abc\ndef\"", "string without closing quote");
    expect_problem("\"abc\\", "string without closing quote");
}

static void test_comments(void **state)
{
    (void)state;
    EXPECT_KINDS("a // b\nc /* d\n e */ f /**/ g", TOKEN_NAME, TOKEN_NAME, TOKEN_NAME, TOKEN_NAME);
    EXPECT_KINDS("  # 1 \"kernel.cu\"\na", TOKEN_NAME);
    EXPECT_KINDS("// last line", TOKEN_END);
    expect_problem("a /* b", "comment without end");
    expect_problem("a /*/", "comment without end");
    expect_problem("a # b", "unexpected character");
}

static void test_places(void **state)
{
    (void)state;
    static const char text[] = "ab  cd\n\t/* x\n y */ ef\r\ngh";
    static const Place places[] = {{1, 1}, {1, 5}, {3, 7}, {4, 1}, {4, 3}};
    Lexer lexer;
    lexer_init(&lexer, text, strlen(text));
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        Token token;
        lexer_next(&lexer, &token);
        assert_int_equal(token.place.line, places[i].line);
        assert_int_equal(token.place.column, places[i].column);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),       cmocka_unit_test(test_directives),
        cmocka_unit_test(test_integers),    cmocka_unit_test(test_floats),
        cmocka_unit_test(test_punctuation), cmocka_unit_test(test_null_character),
        cmocka_unit_test(test_strings),     cmocka_unit_test(test_comments),
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

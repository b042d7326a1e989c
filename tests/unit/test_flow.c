/* Control flow, liveness and slots of hand-written functions. Numbers in comments of the PTX are
 * instruction numbers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/flow.h"

typedef struct Case {
    Module *module;
    const Function *function;
    Flow *flow;
    Arena arena;
} Case;

static Case analyse_text(const char *text, const char *name)
{
    Case c = {0};
    Error error = {0};
    if (module_parse("test.ptx", text, strlen(text), &c.module, &error) != WB_OK)
        fail_msg("%s", error.text);
    c.function = &c.module->functions[module_find_function(c.module, name)];
    c.flow = flow_analyse(c.module, c.function, &c.arena);
    return c;
}

#define HEAD ".version 8.3\n.target sm_75\n.address_size 64\n"
#define REGISTERS                                                                                      \
    ".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .b128 %q<4>;\n"

/* A kernel with this body, after some registers of each size. */
static Case analyse_with(const char *directives, const char *body)
{
    char text[8192];
    int length = snprintf(text, sizeof text,
                          HEAD ".func (.param .b32 x) callee(.param .b32 a) { ret; }\n"
                               ".func fatal() .noreturn { exit; }\n"
                               ".visible .entry k(.param .u64 a) %s\n{\n%s%s}\n",
                          directives, REGISTERS, body);
    assert_in_range(length, 1, sizeof text - 1);
    return analyse_text(text, "k");
}

static Case analyse(const char *body)
{
    return analyse_with("", body);
}

static void done(Case *c)
{
    arena_free(&c->arena);
    module_free(c->module);
}

static void expect_reconverge(const Case *c, const uint32_t *expected, uint32_t count)
{
    assert_int_equal(c->function->insn_count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(c->flow->reconverge[i], expected[i]);
}
#define EXPECT_RECONVERGE(c, ...)                                                                      \
    do {                                                                                               \
        static const uint32_t expected_[] = {__VA_ARGS__};                                             \
        expect_reconverge((c), expected_, sizeof expected_ / sizeof *expected_);                       \
    } while (0)

enum { R = -1 }; /* FLOW_AT_RETURN */

static void test_if_else(void **state)
{
    (void)state;
    Case c = analyse("@%p1 bra OTHER;"           /* 0 */
                     "mov.u32 %r1, 1; bra JOIN;" /* 1 2 */
                     "OTHER: mov.u32 %r1, 2;"    /* 3 */
                     "JOIN: mov.u32 %r2, %r1; ret;"); /* 4 5 */
    EXPECT_RECONVERGE(&c, 4, 4, 4, 4, R, R);
    assert_int_equal(c.flow->block_count, 4);
    done(&c);
}

static void test_loop_and_uniform_guard(void **state)
{
    (void)state;
    Case c = analyse("mov.u32 %r1, 0;"                       /* 0 */
                     "TOP: add.u32 %r1, %r1, 1;"             /* 1 */
                     "@%p1 bra.uni SKIP;"                    /* 2 */
                     "add.u32 %r1, %r1, 2;"                  /* 3 */
                     "SKIP: @!%p2 bra TOP;"                  /* 4 */
                     "ret;");                                /* 5 */
    EXPECT_RECONVERGE(&c, 1, 4, 4, 4, 5, R);
    done(&c);
}

static void test_switch(void **state)
{
    (void)state;
    Case c = analyse("cases: .branchtargets A, B, A, END;\n"
                     "brx.idx %r1, cases;"         /* 0 */
                     "A: mov.u32 %r2, 1;"          /* 1 */
                     "B: mov.u32 %r3, 2;"          /* 2 */
                     "END: mov.u32 %r4, 3; ret;"); /* 3 4 */
    EXPECT_RECONVERGE(&c, 3, 2, 3, R, R);
    assert_int_equal(c.flow->block_count, 4);
    done(&c);
    c = analyse("cases: .branchtargets A, B;\n"
                "@%p1 brx.idx.uni %r1, cases;"     /* 0 */
                "mov.u32 %r2, 0; bra B;"           /* 1 2 */
                "A: mov.u32 %r2, 1;"               /* 3 */
                "B: ret;");                        /* 4 */
    EXPECT_RECONVERGE(&c, 4, 4, 4, 4, R);
    done(&c);
}

/* Lanes that end drop out: the others meet as if no lane had gone there. */
static void test_early_ends(void **state)
{
    (void)state;
    Case c = analyse("@%p1 exit;"          /* 0 */
                     "mov.u32 %r1, 1;"     /* 1 */
                     "@%p2 ret;"           /* 2 */
                     "mov.u32 %r1, 2;"     /* 3 */
                     "@%p3 bra BAD;"       /* 4 */
                     "ret;"                /* 5 */
                     "BAD: trap;");        /* 6 */
    EXPECT_RECONVERGE(&c, 1, 3, 3, 5, 5, R, R);
    assert_int_equal(c.flow->block_count, 5);
    done(&c);
    c = analyse("@%p1 bra OTHER;"            /* 0 */
                "@%p2 exit;"                 /* 1 */
                "mov.u32 %r1, 1; bra MEET;"  /* 2 3 */
                "OTHER: mov.u32 %r1, 2;"     /* 4 */
                "MEET: mov.u32 %r2, 1;"      /* 5 */
                "@%p3 ret;");                /* 6: falls off the end as well */
    EXPECT_RECONVERGE(&c, 5, 2, 5, 5, 5, R, R);
    done(&c);
    c = analyse("@%p1 bra MEET;"              /* 0 */
                "@%p2 bra ON; exit;"          /* 1 2 */
                "ON: mov.u32 %r1, 1;"         /* 3 */
                "MEET: mov.u32 %r2, 1; ret;"); /* 4 5 */
    EXPECT_RECONVERGE(&c, 4, 3, R, 4, R, R);
    done(&c);
}

static void test_assertion_in_loop(void **state)
{
    (void)state;
    Case c = analyse("LOOP: @%p1 bra GOOD;"       /* 0 */
                     "call.uni fatal;"            /* 1 */
                     "trap;"                      /* 2: never reached */
                     "GOOD: add.u32 %r1, %r1, 1;" /* 3 */
                     "@%p2 trap;"                 /* 4 */
                     "@%p3 bra LOOP;"             /* 5 */
                     "mov.u32 %r2, 1; ret;");     /* 6 7 */
    EXPECT_RECONVERGE(&c, 3, R, R, 5, 5, 6, R, R);
    done(&c);
    c = analyse("@%p1 bra A; @%p2 bra B;"  /* 0 1 */
                "trap;"                    /* 2 */
                "A: mov.u32 %r1, 1;"       /* 3 */
                "B: trap;");               /* 4 */
    EXPECT_RECONVERGE(&c, R, R, R, 4, R);
    done(&c);
}

/* Compilers let all returns of a kernel share one block. */
static void test_common_return_block(void **state)
{
    (void)state;
    static const char loop[] = "@%p1 bra END;"            /* 0 */
                               "LOOP: @%p2 bra END;"      /* 1 */
                               "add.u32 %r1, %r1, 1;"     /* 2 */
                               "@%p3 bra LOOP;"           /* 3 */
                               "mov.u32 %r2, 1;"          /* 4 */
                               "END: ret;";               /* 5 */
    /* The first branch parts all lanes that run: they can meet at the return. */
    Case c = analyse(loop);
    EXPECT_RECONVERGE(&c, 5, 2, 4, 4, 5, R);
    done(&c);
    char text[1024];
    snprintf(text, sizeof text, HEAD ".func f() {\n%s%s}\n", REGISTERS, loop);
    c = analyse_text(text, "f"); /* its caller goes on with all lanes */
    EXPECT_RECONVERGE(&c, 5, 5, 5, 5, 5, R);
    done(&c);
    /* A return inside one side of a branch does not keep the sides from meeting. */
    c = analyse("@%p1 bra MEET;"           /* 0 */
                "@%p2 bra END;"            /* 1 */
                "mov.u32 %r1, 1;"          /* 2 */
                "MEET: mov.u32 %r2, 1;"    /* 3 */
                "END: ret;");              /* 4 */
    EXPECT_RECONVERGE(&c, 3, 2, 3, 4, R);
    done(&c);
    /* Three ways: the two that go on meet before the return. */
    c = analyse("cases: .branchtargets A, B, END;\n"
                "brx.idx %r1, cases;"         /* 0 */
                "A: mov.u32 %r2, 1; bra B;"   /* 1 2 */
                "B: mov.u32 %r3, 2;"          /* 3 */
                "END: ret;");                 /* 4 */
    EXPECT_RECONVERGE(&c, 3, 3, 3, 4, R);
    done(&c);
    c = analyse("cases: .branchtargets A, B, END;\n"
                "brx.idx %r1, cases;"                  /* 0 */
                "A: mov.u32 %r2, 1; bra MEET;"         /* 1 2 */
                "END: ret;"                            /* 3 */
                "B: mov.u32 %r2, 2;"                   /* 4 */
                "MEET: mov.u32 %r3, 2; bra END;");     /* 5 6 */
    EXPECT_RECONVERGE(&c, 5, 5, 5, R, 5, 3, 3);
    done(&c);
    /* All lanes pass the branch, but in a loop, and some may have left it already. */
    c = analyse("LOOP: @%p1 bra END;"               /* 0 */
                "add.u32 %r1, %r1, 1;"              /* 1 */
                "@%p2 bra LOOP;"                    /* 2 */
                "mov.u32 %r2, 1;"                   /* 3 */
                "@%p3 bra END;"                     /* 4 */
                "mov.u32 %r2, 2;"                   /* 5 */
                "END: ret;");                       /* 6 */
    EXPECT_RECONVERGE(&c, 1, 3, 3, 6, 6, 6, R);
    done(&c);
}

/* The return block is the loop's only way out, or its last one is. */
static void test_loop_left_by_returning(void **state)
{
    (void)state;
    Case c = analyse("@%p1 bra END;"             /* 0 */
                     "LOOP: @%p2 bra END;"       /* 1 */
                     "@%p3 bra SKIP;"            /* 2 */
                     "add.u32 %r1, %r1, 1;"      /* 3 */
                     "SKIP: bra LOOP;"           /* 4 */
                     "END: ret;");               /* 5 */
    EXPECT_RECONVERGE(&c, 5, 5, 4, 4, 1, R);
    done(&c);
    c = analyse("LOOP: @%p1 bra END;"         /* 0 */
                "add.u32 %r1, %r1, 1;"        /* 1 */
                "@%p2 bra LOOP;"              /* 2 */
                "END: ret;");                 /* 3 */
    EXPECT_RECONVERGE(&c, 1, 3, 3, R);
    done(&c);
    /* Only exits leave the loop, though the function can return: its lanes still meet in it. */
    c = analyse("@%p1 bra LAST;"             /* 0 */
                "LOOP: @%p2 bra SKIP;"       /* 1 */
                "add.u32 %r1, %r1, 1;"       /* 2 */
                "SKIP: @%p3 exit;"           /* 3 */
                "bra LOOP;"                  /* 4 */
                "LAST: mov.u32 %r2, 1; ret;"); /* 5 6 */
    EXPECT_RECONVERGE(&c, 5, 3, 3, R, 1, R, R);
    done(&c);
}

/* Without a return that can be reached, exits are the ends. */
static void test_exits_only(void **state)
{
    (void)state;
    Case c = analyse("LOOP: @%p1 bra BAD;"        /* 0 */
                     "@%p2 exit;"                 /* 1 */
                     "@%p3 bra LOOP;"             /* 2 */
                     "mov.u32 %r1, 1;"            /* 3 */
                     "exit; ret;"                 /* 4 5 */
                     "BAD: trap;");               /* 6 */
    EXPECT_RECONVERGE(&c, 1, 2, 3, R, R, R, R);
    done(&c);
}

static void test_no_return_call(void **state)
{
    (void)state;
    Case c = analyse("@%p1 bra GOOD;"     /* 0 */
                     "call.uni fatal;"    /* 1 */
                     "GOOD: ret;");       /* 2 */
    EXPECT_RECONVERGE(&c, 2, R, R);
    done(&c);
    c = analyse("{ .param .b32 x; .param .b32 y;\n"
                "@%p1 bra GOOD;"              /* 0 */
                "call.uni (y), callee, (x);"  /* 1 */
                "GOOD: ret; }");              /* 2 */
    EXPECT_RECONVERGE(&c, 2, 2, R);
    done(&c);
}

static void test_end_of_body(void **state)
{
    (void)state;
    Case c = analyse("@%p1 bra END;"    /* 0 */
                     "mov.u32 %r1, 1;"  /* 1 */
                     "END:");
    EXPECT_RECONVERGE(&c, R, R);
    done(&c);
    c = analyse("");
    assert_int_equal(c.function->insn_count, 0);
    assert_int_equal(c.flow->block_count, 0);
    assert_int_equal(c.flow->slot_count, 0);
    done(&c);
}

static void test_endless_loops(void **state)
{
    (void)state;
    Case c = analyse("TOP: bra TOP;"); /* 0 */
    EXPECT_RECONVERGE(&c, R);
    done(&c);
    /* A loop in an endless loop: the inner one still ends at its own exit, and the outer latch is what
     * counts as leaving. */
    c = analyse("mov.u32 %r1, 0;"               /* 0 */
                "OUTER: mov.u32 %r2, 0;"        /* 1 */
                "INNER: add.u32 %r2, %r2, 1;"   /* 2 */
                "@%p1 bra INNER;"               /* 3 */
                "@%p2 bra ODD;"                 /* 4 */
                "mov.u32 %r3, 1;"               /* 5 */
                "ODD: add.u32 %r1, %r1, 1;"     /* 6 */
                "bra OUTER;");                  /* 7 */
    EXPECT_RECONVERGE(&c, 1, 2, 4, 4, 6, 6, R, R);
    done(&c);
    /* One side ends, and drops out of the other, which never does. */
    c = analyse("@%p1 bra SPIN;"         /* 0 */
                "ret;"                   /* 1 */
                "SPIN: mov.u32 %r1, 1;"  /* 2 */
                "BACK: @%p2 bra SPIN;"   /* 3 */
                "bra BACK;");            /* 4 */
    EXPECT_RECONVERGE(&c, 2, R, 3, 4, R);
    done(&c);
}

static void test_irreducible(void **state)
{
    (void)state;
    Case c = analyse("@%p1 bra B;"             /* 0 */
                     "A: mov.u32 %r1, 1;"      /* 1 */
                     "@%p2 bra END;"           /* 2 */
                     "B: mov.u32 %r1, 2;"      /* 3 */
                     "@%p3 bra A;"             /* 4 */
                     "END: mov.u32 %r2, 1; ret;"); /* 5 6 */
    EXPECT_RECONVERGE(&c, 5, 5, 5, 5, 5, R, R);
    done(&c);
}

/* Before the instruction exactly the registers of this list are live, its names set apart by spaces. */
static void expect_live(const Case *c, uint32_t insn, const char *expected)
{
    uint32_t registers[64], expected_count = *expected != '\0', words = 0;
    uint32_t count = flow_live_before(c->module, c->function, insn, registers, 64);
    char list[512];
    snprintf(list, sizeof list, " %s ", expected);
    for (const char *at = expected; *at; at++)
        expected_count += *at == ' ';
    assert_int_equal(count, expected_count);
    for (uint32_t i = 0; i < count; i++) {
        const Register *reg = &c->function->registers[registers[i]];
        char name[64];
        snprintf(name, sizeof name, " %s ", reg->name);
        assert_non_null(strstr(list, name));
        assert_true(i == 0 || registers[i - 1] < registers[i]);
        words += reg->type == TYPE_pred ? 0 : (type_bits(reg->type) + 31) / 32;
    }
    assert_int_equal(c->flow->live_words[insn], words);
    assert_int_equal(flow_live_before(c->module, c->function, insn, NULL, 0), count);
}

static void test_live_operands(void **state)
{
    (void)state;
    Case c = analyse("ld.global.v2.u32 {%r1, %r2}, [%rd1+8];"            /* 0 */
                     "setp.lt.u32 %p1|%p2, %r1, %r2;"                    /* 1 */
                     "@%p1 mov.u32 %r3, %r4;"                            /* 2 */
                     "atom.global.add.u32 _, [%rd2], %r3;"               /* 3 */
                     "mov.b64 %rd3, {%r5, %r3};"                         /* 4 */
                     "mov.b64 {_, %r6}, %rd3;"                           /* 5 */
                     "@%p2 st.global.u32 [%rd1], %r6;"                   /* 6 */
                     "ret;");                                            /* 7 */
    expect_live(&c, 7, "");
    expect_live(&c, 6, "%p2 %r6 %rd1");
    expect_live(&c, 5, "%p2 %rd1 %rd3");
    expect_live(&c, 4, "%p2 %r3 %r5 %rd1");
    expect_live(&c, 3, "%p2 %r3 %r5 %rd1 %rd2");
    expect_live(&c, 2, "%p1 %p2 %r3 %r4 %r5 %rd1 %rd2");
    expect_live(&c, 1, "%r1 %r2 %r3 %r4 %r5 %rd1 %rd2");
    expect_live(&c, 0, "%r3 %r4 %r5 %rd1 %rd2");
    assert_int_equal(c.flow->pressure, 9);
    done(&c);
}

static void test_live_unknown_instruction(void **state)
{
    (void)state;
    Case c = analyse("frobnicate.u32 %r1, %r2;"      /* 0 */
                     "mov.u32 %r3, %r1; ret;");      /* 1 2 */
    assert_int_equal(c.function->insns[0].row, ROW_UNKNOWN);
    expect_live(&c, 1, "%r1");
    expect_live(&c, 0, "%r1 %r2");
    done(&c);
}

static void test_live_around_loop(void **state)
{
    (void)state;
    Case c = analyse("mov.u32 %r1, 0;"                 /* 0 */
                     "mov.u64 %rd1, 0;"                /* 1 */
                     "TOP: add.u32 %r1, %r1, %r2;"     /* 2 */
                     "mov.u32 %r3, %r1;"               /* 3 */
                     "setp.lt.u32 %p1, %r3, 9;"        /* 4 */
                     "@%p1 bra TOP;"                   /* 5 */
                     "st.global.u32 [%rd1], %r3;"      /* 6 */
                     "ret;");                          /* 7 */
    expect_live(&c, 0, "%r2");
    expect_live(&c, 2, "%r1 %r2 %rd1");
    expect_live(&c, 5, "%p1 %r1 %r2 %r3 %rd1");
    expect_live(&c, 6, "%r3 %rd1");
    done(&c);
}

static void test_calls_and_formals(void **state)
{
    (void)state;
    static const char text[] = HEAD
        ".func (.reg .u32 out) f(.reg .u32 in, .reg .u64 unused)\n{\n"
        ".reg .u32 %r<8>; .reg .u64 %rd<4>; .reg .pred %p<2>;\n"
        "proto: .callprototype (.reg .u32 _) _ (.reg .u32 _, .reg .u32 _);\n"
        "mov.u32 %r1, 7;"                               /* 0 */
        "call (%r2), %rd1, (%r1, in), proto;"           /* 1 */
        "@%p1 ret;"                                     /* 2 */
        "mov.u32 out, %r2;"                             /* 3 */
        "ret;\n}\n";                                    /* 4 */
    Case c = analyse_text(text, "f");
    uint32_t in = c.function->parameter_registers[0], unused = c.function->parameter_registers[1];
    uint32_t out = c.function->result_registers[0], live[8];
    assert_int_equal(flow_live_before(c.module, c.function, 4, live, 8), 1);
    assert_int_equal(live[0], out);
    assert_int_equal(flow_live_before(c.module, c.function, 3, live, 8), 1); /* %r2 */
    assert_int_equal(flow_live_before(c.module, c.function, 2, live, 8), 3); /* out %r2 %p1 */
    assert_int_equal(flow_live_before(c.module, c.function, 1, live, 8), 5); /* in %r1 %rd1 out %p1 */
    uint32_t slot = c.flow->slot[in];
    assert_int_not_equal(slot, FLOW_NO_SLOT);
    assert_int_not_equal(c.flow->slot[unused], FLOW_NO_SLOT);
    assert_false(slot == c.flow->slot[unused] || slot == c.flow->slot[unused] + 1);
    done(&c);
}

static uint32_t slot_of(const Case *c, const char *name)
{
    for (uint32_t r = 0; r < c->function->register_count; r++)
        if (!strcmp(c->function->registers[r].name, name))
            return c->flow->slot[r];
    fail_msg("no register %s", name);
    return 0;
}

static void test_slots_are_shared_where_safe(void **state)
{
    (void)state;
    Case c = analyse("mov.u32 %r1, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1; add.u32 %r4, %r3, 1;"
                     "st.global.u32 [%rd1], %r4; ret;");
    assert_int_equal(slot_of(&c, "%r1"), slot_of(&c, "%r4"));
    assert_int_equal(c.flow->slot_count, 3);
    done(&c);
    /* A wider or second destination would be written over sources that are still needed. */
    c = analyse("mov.u64 %rd1, 0; ld.global.v2.u32 {%r1, %r2}, [%rd1];"
                "st.local.u32 [0], %r1; st.local.u32 [0], %r2;"
                "mov.u32 %r3, 1; cvt.u64.u32 %rd2, %r3; st.local.u64 [0], %rd2; ret;");
    assert_int_not_equal(slot_of(&c, "%rd1"), slot_of(&c, "%r1"));
    assert_int_not_equal(slot_of(&c, "%rd1") + 1, slot_of(&c, "%r1"));
    assert_int_not_equal(slot_of(&c, "%rd1"), slot_of(&c, "%r2"));
    assert_int_not_equal(slot_of(&c, "%rd1") + 1, slot_of(&c, "%r2"));
    assert_int_not_equal(slot_of(&c, "%rd2") & ~1u, slot_of(&c, "%r3") & ~1u);
    done(&c);
    /* A value that nobody reads must not land on one that is read later. */
    c = analyse("mov.u32 %r1, 1; mov.u32 %r2, 2; st.local.u32 [0], %r1; ret;");
    assert_int_not_equal(slot_of(&c, "%r2"), FLOW_NO_SLOT);
    assert_int_not_equal(slot_of(&c, "%r1"), slot_of(&c, "%r2"));
    done(&c);
}

static void test_slots_are_aligned(void **state)
{
    (void)state;
    Case c = analyse("mov.b16 %h1, 1; mov.u32 %r1, 1; mov.u64 %rd1, 2; mov.u32 %r2, 3;"
                     "mov.b128 %q1, {%rd1, %rd1}; mov.b128 {%rd2, %rd3}, %q1;"
                     "st.local.v2.u32 [0], {%r1, %r2}; st.local.v2.u64 [0], {%rd2, %rd3};"
                     "st.local.u16 [0], %h1; ret;");
    assert_int_equal(slot_of(&c, "%rd1") % 2, 0);
    assert_int_equal(slot_of(&c, "%rd3") % 2, 0);
    assert_int_equal(slot_of(&c, "%q1") % 4, 0);
    done(&c);
}

__attribute__((format(printf, 3, 4))) static size_t append(char *text, size_t at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    at += (size_t)vsprintf(text + at, format, arguments);
    va_end(arguments);
    return at;
}

static void test_register_limits(void **state)
{
    (void)state;
    char body[8192];
    size_t at = append(body, 0, "mov.u64 %%rd0, 0;");
    for (int i = 0; i < 32; i++)
        at = append(body, at, "ld.global.u32 %%r%d, [%%rd0+%d];", i, 4 * i);
    for (int i = 1; i < 16; i++)
        at = append(body, at, "ld.global.u64 %%rd%d, [%%rd0+%d];", i, 8 * i);
    for (int i = 0; i < 32; i++)
        at = append(body, at, "st.global.u32 [%%rd0], %%r%d;", i);
    for (int i = 1; i < 16; i++)
        at = append(body, at, "st.global.u64 [%%rd0], %%rd%d;", i);
    append(body, at, "ret;");
    Case c = analyse_with("", body);
    assert_int_equal(c.flow->pressure, 64);
    assert_in_range(c.flow->registers, 64, 255);
    done(&c);
    c = analyse_with(".maxnreg 40", body);
    assert_int_equal(c.flow->registers, 40);
    done(&c);
    c = analyse_with(".maxntid 256, 1, 1 .minnctapersm 5", body); /* 65536 / 1280 = 51.2 */
    assert_int_equal(c.flow->registers, 48);
    done(&c);
    c = analyse_with(".maxntid 1024, 1, 1", body); /* one block must fit */
    assert_int_equal(c.flow->registers, 64);
    done(&c);
    c = analyse_with("", "ret;");
    assert_in_range(c.flow->registers, 1, 16);
    done(&c);
}

/* 100,000 instructions with 60,000 registers, in blocks, many of them alive for long. */
static void test_large_function(void **state)
{
    (void)state;
    enum { REGISTERS_USED = 60000 };
    char *text = xmalloc(8 << 20);
    size_t at = append(text, 0, HEAD ".visible .entry k()\n{\n.reg .pred %%p<2>; .reg .b32 %%r<%d>;\n",
                       REGISTERS_USED + 1);
    for (unsigned i = 2; i <= REGISTERS_USED; i++) {
        at = append(text, at, "add.u32 %%r%u, %%r%u, %%r%u;\n", i, i - 1, 1 + i * 7919u % (i - 1));
        if (i % 5 == 0)
            at = append(text, at, "@%%p1 bra L%u;\nadd.u32 %%r%u, %%r%u, 1;\nL%u:\n", i, i, i - 1, i);
    }
    for (unsigned i = 1; i <= 16000; i++)
        at = append(text, at, "st.local.u32 [0], %%r%u;\n", i * 3);
    append(text, at, "ret;\n}\n");
    Case c = analyse_text(text, "k");
    assert_true(c.function->insn_count > 99000);
    assert_true(c.flow->pressure > 10000);
    assert_true(c.flow->slot_count >= c.flow->pressure);
    assert_int_equal(c.flow->registers, 255);
    done(&c);
    xfree(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_if_else),
        cmocka_unit_test(test_loop_and_uniform_guard),
        cmocka_unit_test(test_switch),
        cmocka_unit_test(test_early_ends),
        cmocka_unit_test(test_assertion_in_loop),
        cmocka_unit_test(test_common_return_block),
        cmocka_unit_test(test_loop_left_by_returning),
        cmocka_unit_test(test_exits_only),
        cmocka_unit_test(test_no_return_call),
        cmocka_unit_test(test_end_of_body),
        cmocka_unit_test(test_endless_loops),
        cmocka_unit_test(test_irreducible),
        cmocka_unit_test(test_live_operands),
        cmocka_unit_test(test_live_unknown_instruction),
        cmocka_unit_test(test_live_around_loop),
        cmocka_unit_test(test_calls_and_formals),
        cmocka_unit_test(test_slots_are_shared_where_safe),
        cmocka_unit_test(test_slots_are_aligned),
        cmocka_unit_test(test_register_limits),
        cmocka_unit_test(test_large_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

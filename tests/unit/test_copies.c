/* Shared memory that repeats global memory: which loads and stores of a kernel the analysis takes for copies,
 * and what is known of a block then. Of kernels, `in` and `out` are parameters, `w` and `t` shared arrays, and %a, %b and %s hold addresses in them. */
#include "parse_ptx.h"

#include <stdlib.h>

#include "exec/shared_copies.h"

#define HEAD                                                                                                 \
    ".extern .func wb_global_sync (); .extern .func wb_wait (.param .b32 e, .param .b32 n);\n"               \
    ".extern .func wb_signal (.param .b32 e, .param .b32 n); .func other () { ret; }\n"                      \
    ".extern .shared .align 16 .b8 dynamic[]; .extern .shared .align 16 .b8 alias[];\n"                      \
    ".global .u32 table[8];\n.visible .entry k (.param .u64 in, .param .u64 out, .param .align 8 .b8 two[16]) {"  \
    ".reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 %a, %b, %rd<20>; .reg .b32 %s, %u; .reg .pred %p<4>;"     \
    ".shared .align 16 .b8 w[1024]; .shared .align 16 .b8 t[1024];\n"                                        \
    "mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2; cvt.u64.u32 %rd0, %r1;"                                       \
    "ld.param.u64 %rd1, [in]; cvta.to.global.u64 %a, %rd1; add.u64 %a, %a, %rd0;"                            \
    "ld.param.u64 %rd2, [out]; cvta.to.global.u64 %b, %rd2; mad.wide.u32 %b, %r0, 4, %b;"                    \
    "mov.u32 %s, w; add.u32 %s, %s, %r1; mov.u32 %u, t; add.u32 %u, %r1, %u; setp.eq.u32 %p0, %r0, 3;\n"
#define SYNC "call wb_global_sync;"

typedef struct Case {
    const char *what, *body;
    uint32_t stores;     /* that copy */
    uint32_t loads;
} Case;

static const Case cases[] = {
    {"a copy", "ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0; bar.sync 0;" SYNC, 1, 1},
    {"a wait does it, too; a signal does not",
     "call wb_signal, (1, 2); ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0; call wb_wait, (1, 2);", 1, 1},
    {"no call by which it leaves", "ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0; call wb_signal, (1, 2);",
     0, 0},
    {"through moves", "ld.global.f32 %f0, [%a]; mov.f32 %f1, %f0; mov.f32 %f2, %f1; st.shared.f32 [%s], %f2;" SYNC,
     1, 1},
    {"a vector, element by element",
     "ld.global.v4.f32 {%f0,%f1,%f2,%f3}, [%a]; st.shared.v2.f32 [%s], {%f2,%f1}; st.shared.f32 [%s+8], %f0;" SYNC,
     2, 1},
    {"another width", "ld.global.u8 %r5, [%a]; st.shared.u32 [%s], %r5;" SYNC, 0, 0},
    {"bytes", "ld.global.s8 %r5, [%a]; st.shared.u8 [%s], %r5;" SYNC, 1, 1},
    {"a value that was changed", "ld.global.f32 %f0, [%a]; add.f32 %f1, %f0, %f0; st.shared.f32 [%s], %f1;" SYNC,
     0, 0},
    {"zeros where there is nothing to load",
     "mov.f32 %f0, 0f00000000; @%p0 ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0;" SYNC, 0, 0},
    {"a guarded load", "@%p0 ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0;" SYNC, 0, 0},
    {"a guarded store", "ld.global.f32 %f0, [%a]; @%p0 st.shared.f32 [%s], %f0;" SYNC, 1, 1},
    {"written later", "ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0;" SYNC "st.shared.f32 [%s], %f0;", 0, 0},
    {"another one written later",
     "ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0;" SYNC "st.shared.f32 [%u], %f0;", 1, 1},
    {"in a loop with the call",
     "AGAIN: ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0;" SYNC "@%p0 bra AGAIN;", 0, 0},
    {"in a loop of its own",
     "AGAIN: ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0; add.u64 %a, %a, 128; add.u32 %s, %s, 128;"
     "setp.lt.u32 %p1, %s, 4096; @%p1 bra AGAIN;" SYNC,
     1, 1},
    {"of the round before", /* the value moved is not that of the latest load */
     "AGAIN: mov.f32 %f1, %f0; ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f1; @%p0 bra AGAIN;" SYNC, 0, 0},
    {"on one of two ways",
     "@%p0 bra ELSE; ld.global.f32 %f0, [%a]; ELSE: st.shared.f32 [%s], %f0;" SYNC, 0, 0},
    {"an atomic in shared memory",
     "ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0; red.shared.add.u32 [%s], 1;" SYNC, 0, 0},
    {"stores elsewhere", "ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0; st.global.f32 [%b], %f0;" SYNC, 1, 1},
    {"written where it was read",
     "ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0;" SYNC "st.global.f32 [%a+4], %f0;", 0, 0},
    {"by an atomic", "ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0; red.global.add.u32 [%a], 1;" SYNC, 0, 0},
    {"by a generic address",
     "ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0;" SYNC "add.u64 %rd3, %rd1, 64; st.f32 [%rd3], %f0;", 0,
     0},
    {"a pointer from memory",
     "ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0;" SYNC "ld.global.u64 %rd3, [%b]; st.global.f32 [%rd3], %f0;",
     0, 0},
    {"an index from memory",
     "ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0;" SYNC
     "ld.global.u32 %r5, [%b]; mad.wide.u32 %rd3, %r5, 4, %b; st.global.f32 [%rd3], %f0;",
     1, 1},
    {"a choice of pointers",
     "ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0;" SYNC
     "selp.b64 %rd3, %a, %b, %p0; st.global.f32 [%rd3], %f0;",
     0, 0},
    {"two pointers of one parameter",
     "ld.param.u64 %rd3, [two]; ld.param.u64 %rd4, [two+8]; ld.global.f32 %f0, [%rd3];"
     "st.shared.f32 [%s], %f0; st.global.f32 [%rd4], %f0;" SYNC,
     1, 1},
    {"a module variable", "mov.u64 %rd3, table; ld.global.f32 %f0, [%rd3]; st.shared.f32 [%s], %f0;" SYNC, 1, 1},
    {"one that is written",
     "ld.global.f32 %f0, [table]; st.shared.f32 [%s], %f0; st.global.f32 [table+4], %f0;" SYNC, 0, 0},
    {"a shared address of unknown origin",
     "ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0; st.shared.f32 [%r0], %f0;" SYNC, 0, 0},
    {"one of two arrays",
     "ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0; selp.b32 %r5, %s, %u, %p0; st.shared.f32 [%r5], %f0;" SYNC,
     0, 0},
    {"dynamic memory by two names",
     "mov.u32 %r5, dynamic; mov.u32 %r6, alias; ld.global.f32 %f0, [%a]; st.shared.f32 [%r5], %f0;" SYNC
     "st.shared.f32 [%r6], %f0;",
     0, 0},
    {"dynamic memory", "mov.u32 %r5, dynamic; ld.global.f32 %f0, [%a]; st.shared.f32 [%r5], %f0;" SYNC, 1, 1},
    {"a function that may do anything", "ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0; call other;" SYNC, 0, 0},
    {"a load that waits for others", "ld.volatile.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0;" SYNC, 0, 0},
    {"two arrays, one good",
     "ld.global.f32 %f0, [%a]; st.shared.f32 [%s], %f0; st.shared.f32 [%u], 0f00000000;" SYNC, 1, 1},
};

static void stores_that_copy(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[8192];
        assert_true((size_t)snprintf(text, sizeof text, "%s%s ret; }", HEAD, cases[i].body) < sizeof text);
        Module *module = parse(text);
        Arena arena = {0};
        const Function *kernel = &module->functions[module_find_function(module, "k")];
        const FlowCopies *found = flow_copies_find(module, kernel, &arena);
        uint32_t stores = 0;
        for (uint32_t k = 0; found && k < kernel->insn_count; k++)
            stores += found->stores[k] != NULL;
        if (stores != cases[i].stores || (found ? found->load_count : 0) != cases[i].loads)
            fail_msg("%s: %u stores of %u loads", cases[i].what, stores, found ? found->load_count : 0);
        arena_free(&arena);
        module_free(module);
    }
}

static void elements_and_pointers(void **state)
{
    (void)state;
    Module *module = parse(HEAD "ld.global.v4.f32 {%f0,%f1,%f2,%f3}, [%a]; st.shared.v2.f32 [%s], {%f2,%f1};"
                                "ld.global.f32 %f4, [table]; st.shared.f32 [%u], %f4; st.global.f32 [%b], %f4;" SYNC
                                "ret; }");
    Arena arena = {0};
    const Function *kernel = &module->functions[module_find_function(module, "k")];
    const FlowCopies *found = flow_copies_find(module, kernel, &arena);
    assert_non_null(found);
    const CopyElement *vector = NULL, *scalar = NULL;
    for (uint32_t k = 0; k < kernel->insn_count; k++) {
        scalar = vector && found->stores[k] ? found->stores[k] : scalar;
        vector = vector ? vector : found->stores[k];
    }
    assert_int_equal(vector[0].load, 0);
    assert_int_equal(vector[0].offset, 8);
    assert_int_equal(vector[1].offset, 4);
    assert_int_equal(scalar[0].load, 1);
    assert_int_equal(scalar[0].offset, 0);
    assert_int_equal(found->written_count, 1);
    assert_true(found->written[0].is_parameter);
    assert_string_equal(module->variables[found->written[0].variable].name, "out");
    assert_int_equal(found->source_count, 3); /* one for each element that is copied */
    assert_string_equal(module->variables[found->sources[0].variable].name, "in");
    assert_false(found->sources[2].is_parameter);
    arena_free(&arena);
    module_free(module);
}

/* -- of a block -- */

enum { SHARED = 1024, GLOBAL = 4096 };
static const uint64_t base = 0x200000000;

typedef struct Rig {
    Launch launch;
    Block block;
    uint8_t shared[SHARED];
    _Alignas(LINE_BYTES) uint8_t global[GLOBAL];
} Rig;

static Rig *new_rig(void)
{
    Rig *rig = xcalloc(1, sizeof *rig);
    rig->launch.shared_bytes = SHARED;
    rig->block = (Block){.launch = &rig->launch, .shared = rig->shared};
    for (uint32_t i = 0; i < GLOBAL; i++)
        rig->global[i] = (uint8_t)(i * 31 + i / 256);
    return rig;
}

static void free_rig(Rig *rig, CopyLines *lines)
{
    shared_copies_free(rig->block.copies);
    VEC_FREE(lines);
    xfree(rig);
}

static const CopyRun *check_line(const Rig *rig, CopyLine line)
{
    return shared_copies_differ(&rig->block, line, &rig->global[copy_line_address(line) - base]);
}

static void lines_that_pay(void **state)
{
    (void)state;
    Rig *rig = new_rig();
    CopyLines lines = {0};
    assert_int_equal(shared_copies_settle(&rig->block, &lines), 0); /* nothing is known */
    shared_copies_hint(&rig->block, 100, 304, base + 1124); /* of four lines */
    shared_copies_hint(&rig->block, 200, 40, base + 1224);  /* said before */
    shared_copies_hint(&rig->block, 600, 16, base + 3072);  /* half of a sector: not worth reading */
    shared_copies_hint(&rig->block, 702, 30, base + 2050);  /* words 704..731 are whole */
    assert_int_equal(shared_copies_settle(&rig->block, &lines), 304 + 28);
    assert_int_equal(lines.count, 5);
    assert_int_equal(lines.items[0], base + 1024 + 8); /* bytes 100..127 of its line: the last sector */
    assert_int_equal(lines.items[1], base + 1152 + 15);
    assert_int_equal(lines.items[3], base + 1408 + 1);
    assert_int_equal(lines.items[4], base + 2048 + 1);
    memcpy(rig->shared + 100, rig->global + 1124, 304);
    memcpy(rig->shared + 702, rig->global + 2050, 30);
    for (uint32_t i = 0; i < lines.count; i++)
        assert_null(check_line(rig, lines.items[i]));
    rig->shared[403] ^= 1;
    assert_null(check_line(rig, lines.items[2]));
    const CopyRun *wrong = check_line(rig, lines.items[3]);
    assert_non_null(wrong);
    assert_int_equal(wrong->shared + wrong->bytes, 404);
    assert_true(wrong->is_hint);
    free_rig(rig, &lines);
}

/* Runs at random, one over the other: what counts of each word is the last run, and every word that is read
 * again comes from where that says. */
static void the_last_run_counts(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 200; seed++) {
        Rig *rig = new_rig();
        CopyLines lines = {0};
        srand(seed);
        for (int i = 0; i < 20; i++) {
            const uint32_t bytes = (uint32_t)(rand() % 50 + 1) * 4, to = (uint32_t)(rand() % 200) * 4;
            const uint32_t from = (uint32_t)(rand() % 950) * 4;
            shared_copies_hint(&rig->block, to, bytes, base + from);
            memcpy(rig->shared + to, rig->global + from, bytes);
            if (i % 5 == 4) /* also between: runs are added to those that were in order */
                shared_copies_settle(&rig->block, &lines);
        }
        const uint32_t total = shared_copies_settle(&rig->block, &lines);
        assert_in_range(total, 100, SHARED);
        for (uint32_t i = 0; i < lines.count; i++) {
            assert_null(check_line(rig, lines.items[i]));
            assert_true(!i || lines.items[i] > lines.items[i - 1]);
        }
        assert_int_equal(shared_copies_settle(&rig->block, &lines), total);
        free_rig(rig, &lines);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_that_copy),
        cmocka_unit_test(elements_and_pointers),
        cmocka_unit_test(lines_that_pay),
        cmocka_unit_test(the_last_run_counts),
    };
    return cmocka_run_group_tests_name("copies", tests, NULL, NULL);
}

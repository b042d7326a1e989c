/* Waits of blocks and warps in functional mode: who goes on meanwhile, and what is said where nobody can. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/functional/functional.h"

/* Even blocks wait and odd ones wake; the second parameter says how. out[thread] is 1 + the index of the
 * thread's block in the end. */
static const char source[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func hold (.param .b32 warp);\n"
    ".extern .func wake ();\n"
    ".visible .entry k(.param .u64 out, .param .u64 wakes)\n{\n"
    ".reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;\n"
    "ld.param.u64 %rd0, [out]; ld.param.u32 %r4, [wakes]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
    "mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0; mul.wide.u32 %rd1, %r3, 4;\n"
    "add.u64 %rd1, %rd0, %rd1; and.b32 %r5, %r1, 1; setp.ne.u32 %p0, %r5, 0; shr.u32 %r6, %r0, 5;\n"
    "@%p0 bra WAKES;\n"
    "{ .param .b32 w; st.param.b32 [w], %r6; call hold, (w); }\nbra.uni STORE;\n"
    "WAKES: setp.eq.u32 %p1, %r4, 0; setp.ne.u32 %p2, %r0, 0; or.pred %p1, %p1, %p2; @%p1 bra STORE;\n"
    "call wake;\n"
    "STORE: add.u32 %r7, %r1, 1; st.global.u32 [%rd1], %r7; bar.sync 0; ret;\n}\n";

typedef struct Rig {
    Module *module;
    Program *program;
    AddressSpace space;
    Machine machine;
    Error errors[2];
    FunctionalGrid grids[2];
    uint64_t parameters[2][2];
    FunctionalSide side;
} Rig;

static VEC(Warp *) waiting;
static WaitKind kind;

/* The first warp of a block waits. */
static StepResult run_hold(IntrinsicCall *call)
{
    if (call->step->warp->index == 0) {
        block_wait_begin(call->step->warp, WAITS_FOR_LAUNCHED, kind);
        VEC_PUSH(&waiting, call->step->warp);
    }
    return STEP_NEXT;
}

static StepResult run_wake(IntrinsicCall *call)
{
    (void)call;
    for (uint32_t i = 0; i < waiting.count; i++)
        assert_true(block_wait_end(waiting.items[i], 0, 0));
    waiting.count = 0;
    return STEP_NEXT;
}

static const Intrinsic hold = {.name = "hold", .argument_count = 1, .run = run_hold};
static const Intrinsic wake = {.name = "wake", .run = run_wake};

static const Intrinsic *find(void *context, const char *name)
{
    (void)context;
    return !strcmp(name, "hold") ? &hold : !strcmp(name, "wake") ? &wake : NULL;
}

static uint64_t no_address(void *context, uint32_t number)
{
    (void)context;
    return 0x100 + number;
}

static void rig_open(Rig *rig)
{
    Error error = {0};
    *rig = (Rig){.machine = {.sm_count = 1}};
    space_init(&rig->space, 1 << 24);
    if (module_parse("wait.ptx", source, strlen(source), &rig->module, &error))
        fail_msg("%s", error.text);
    const LinkEnvironment environment = {
        .variable_address = no_address, .function_address = no_address, .intrinsic = find, .width = 32};
    const uint32_t entry = module_find_function(rig->module, "k");
    if (program_link(rig->module, entry, &environment, &rig->program, &error))
        fail_msg("%s", error.text);
}

static void rig_close(Rig *rig)
{
    program_free(rig->program);
    module_free(rig->module);
    space_destroy(&rig->space);
    VEC_FREE(&waiting);
}

/* Enters a grid of so many blocks of 64 threads. */
static FunctionalRun *enter(Rig *rig, uint32_t number, uint32_t blocks, bool wakes, uint32_t resident)
{
    Error error = {0};
    assert_int_equal(space_alloc(&rig->space, 4096, NULL, false, &rig->parameters[number][0], &error), WB_OK);
    rig->parameters[number][1] = wakes;
    rig->grids[number] = (FunctionalGrid){.launch = {.program = rig->program,
                                                     .grid = {blocks, 1, 1},
                                                     .block = {64, 1, 1},
                                                     .local_bytes = rig->program->local_bytes,
                                                     .warps_per_block = 2,
                                                     .width = 32,
                                                     .divergence = DIVERGENCE_INDEPENDENT,
                                                     .parameters = (const uint8_t *)rig->parameters[number],
                                                     .space = &rig->space,
                                                     .machine = &rig->machine,
                                                     .error = &rig->errors[number]}};
    const FunctionalLimits limits = {.turn = 8, .resident_blocks = resident, .watchdog = 100000};
    FunctionalRun *run = functional_create(&rig->grids[number], 1, (FunctionalOrder){0}, &limits, NULL, 0);
    functional_enter(&rig->side, run);
    return run;
}

/* One run, to its end. */
static void run_alone(WaitKind wanted, uint32_t blocks, bool wakes, uint32_t resident, const char *part)
{
    Rig rig;
    rig_open(&rig);
    kind = wanted;
    FunctionalRun *run = enter(&rig, 0, blocks, wakes, resident);
    assert_ptr_equal(functional_advance(&rig.side, UINT64_MAX, &(FunctionalOutside){.is_silent = true}), run);
    assert_int_equal(rig.errors[0].status, part ? WB_ERROR_DEADLOCK : WB_OK);
    assert_int_equal(functional_is_over(run), !part);
    if (part && !strstr(rig.errors[0].text, part))
        fail_msg("wanted '%s' in: %s", part, rig.errors[0].text);
    const uint32_t *out = (const uint32_t *)space_find(&rig.space, rig.parameters[0][0], 4)->host;
    for (uint32_t i = 0; !part && i < 64 * blocks; i++)
        assert_int_equal(out[i], 1 + i / 64);
    functional_leave(&rig.side, run);
    functional_free(run);
    rig_close(&rig);
}

static const WaitKind kinds[] = {WARP_WAITS, BLOCK_WAITS, BLOCK_LEAVES};

static void waits_end(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        for (uint32_t resident = 2; resident < 5; resident++)
            run_alone(kinds[i], 6, true, 6 + resident, NULL);
}

/* A block that waits away makes room for the one that wakes it; one that waits in place does not. */
static void a_wait_in_place_keeps_its_place(void **state)
{
    (void)state;
    run_alone(BLOCK_LEAVES, 4, true, 1, NULL);
    run_alone(BLOCK_WAITS, 4, true, 1, "1 waits in place for what it launched, 3 find no place");
    run_alone(WARP_WAITS, 4, true, 1, "1 waits in place for what it launched");
}

static void a_wait_that_nobody_ends_is_a_hang(void **state)
{
    (void)state;
    run_alone(WARP_WAITS, 6, false, 8, "3 wait in place for what they launched");
    run_alone(BLOCK_WAITS, 6, false, 8, "3 wait in place for what they launched");
    run_alone(BLOCK_LEAVES, 6, false, 8, "3 wait off the SMs for what they launched");
    run_alone(BLOCK_WAITS, 6, false, 8, "lanes 0xffffffff, wait.ptx:13:41: waits for what it launched");
    run_alone(BLOCK_WAITS, 6, false, 8, "waits with its block");
}

/* The first run has one block, which waits; the second, which comes later, wakes it. */
static void runs_wake_each_other(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        Rig rig;
        rig_open(&rig);
        kind = kinds[i];
        FunctionalRun *first = enter(&rig, 0, 1, false, 4);
        assert_null(functional_advance(&rig.side, 5000, &(FunctionalOutside){0})); /* time passes */
        assert_true(functional_clock(first) >= 5000);
        FunctionalRun *second = enter(&rig, 1, 2, true, 4);
        for (unsigned left = 2; left; left--) {
            FunctionalRun *over =
                functional_advance(&rig.side, UINT64_MAX, &(FunctionalOutside){.is_silent = true});
            assert_true(over == first || over == second);
            assert_true(functional_is_over(over));
            functional_leave(&rig.side, over);
        }
        assert_int_equal(rig.errors[0].status + rig.errors[1].status, WB_OK);
        functional_free(first);
        functional_free(second);
        rig_close(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_end),
        cmocka_unit_test(a_wait_in_place_keeps_its_place),
        cmocka_unit_test(a_wait_that_nobody_ends_is_a_hang),
        cmocka_unit_test(runs_wake_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Shuffles, votes, matches and reductions: one group, several groups, tiles with masks of their own. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "exec/collective.h"
#include "step_rig.h"

enum { D = 0, A = 1, B = 2, C = 3, MEMBERS = 4, WIDE = 6 };

static void run(Rig *rig)
{
    Step *const steps[1] = {&rig->step};
    Mask members = collective_members(&rig->step) & rig->warp.live;
    assert_int_not_equal(members, 0);
    assert_int_equal(collective_run(steps, 1, members & rig->step.mask), STEP_NEXT);
}

static void fill(Rig *rig, unsigned slot, uint32_t first, uint32_t step)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        rig_lanes(rig, slot)[lane] = first + step * lane;
}

static void shuffle(Rig *rig, const char *opcode, uint32_t b, uint32_t c)
{
    assert_true(rig_instruction(rig, opcode));
    fill(rig, D, 0xdead0000, 0);
    fill(rig, A, 100, 1);
    fill(rig, B, b, 0);
    rig_pair(rig, D, 1);
    rig_registers(rig, A, 1, 4);
    rig_registers(rig, B, 1, 4);
    rig_immediate(rig, c);
    rig_immediate(rig, -1);
    run(rig);
}

/* What CUDA says of __shfl_*_sync(value, offset, width). */
static int shuffle_source(char mode, int lane, int offset, int width)
{
    int first = lane / width * width, position = lane - first;
    switch (mode) {
    case 'u': return position - offset >= 0 ? lane - offset : -1;
    case 'd': return position + offset < width ? lane + offset : -1;
    case 'x': return (position ^ offset) < width ? first + (position ^ offset) : -1;
    default: return first + offset % width;
    }
}

static void test_shuffle_modes(void **state)
{
    (void)state;
    static const struct { char mode; const char *opcode; uint32_t clamp; } modes[] = {
        {'u', "shfl.sync.up.b32", 0}, {'d', "shfl.sync.down.b32", 31},
        {'x', "shfl.sync.bfly.b32", 31}, {'i', "shfl.sync.idx.b32", 31}};
    Rig *rig = rig_open(32);
    for (unsigned m = 0; m < 4; m++) {
        for (int width = 1; width <= 32; width *= 2) {
            for (int offset = 0; offset < 32; offset++) {
                shuffle(rig, modes[m].opcode, (uint32_t)offset, (uint32_t)(32 - width) << 8 | modes[m].clamp);
                for (int lane = 0; lane < 32; lane++) {
                    int source = shuffle_source(modes[m].mode, lane, offset, width);
                    /* a butterfly reads other, lower segments too */
                    if (modes[m].mode == 'x' && offset >= width)
                        continue;
                    assert_int_equal(rig_lanes(rig, D)[lane], 100 + (source < 0 ? lane : source));
                    assert_int_equal(rig->predicates[1] >> lane & 1, source >= 0);
                }
            }
        }
    }
    rig_close(rig);
}

static void test_shuffle_leaves_other_lanes(void **state)
{
    (void)state;
    Rig *rig = rig_open(32);
    rig->step.mask = 0x0000ff00;
    rig->predicates[1] = 0xf;
    shuffle(rig, "shfl.idx.b32", 3, 0x1f);
    for (unsigned lane = 0; lane < 32; lane++)
        /* lane 3 does not take part: each keeps its own value */
        assert_int_equal(rig_lanes(rig, D)[lane], lane >= 8 && lane < 16 ? 100 + lane : 0xdead0000);
    assert_int_equal(rig->predicates[1], 0xff0f);
    rig_close(rig);
}

static void test_shuffle_in_place(void **state)
{
    (void)state;
    Rig *rig = rig_open(32);
    assert_true(rig_instruction(rig, "shfl.sync.down.b32"));
    fill(rig, A, 0, 3);
    rig_registers(rig, A, 1, 4);
    rig_registers(rig, A, 1, 4);
    rig_immediate(rig, 4);
    rig_immediate(rig, 31);
    rig_immediate(rig, 0xffffffff);
    run(rig);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(rig_lanes(rig, A)[lane], 3 * (lane < 28 ? lane + 4 : lane));
    rig_close(rig);
}

/* Two groups in frames of their own, at shuffles of different modes. */
static void test_shuffle_between_groups(void **state)
{
    (void)state;
    Rig *low = rig_open(32), *high = rig_open(32);
    low->step.mask = 0x0000ffff;
    high->step.mask = 0xffff0000;
    for (unsigned i = 0; i < 2; i++) {
        Rig *rig = i ? high : low;
        assert_true(rig_instruction(rig, i ? "shfl.sync.bfly.b32" : "shfl.sync.idx.b32"));
        fill(rig, A, i ? 2000 : 1000, 1);
        fill(rig, D, 7, 0);
        rig_registers(rig, D, 1, 4);
        rig_registers(rig, A, 1, 4);
        rig_immediate(rig, i ? 16 : 20);
        rig_immediate(rig, 31);
        rig_immediate(rig, -1);
        assert_int_equal(collective_members(&rig->step), 0xffffffff);
    }
    Step *const steps[2] = {&low->step, &high->step};
    assert_int_equal(collective_run(steps, 2, 0xffffffff), STEP_NEXT);
    for (unsigned lane = 0; lane < 32; lane++) {
        assert_int_equal(rig_lanes(low, D)[lane], lane < 16 ? 2020 : 7);
        assert_int_equal(rig_lanes(high, D)[lane], lane < 16 ? 7 : 1000 + lane - 16);
    }
    rig_close(low);
    rig_close(high);
}

static Mask vote(Rig *rig, const char *opcode, bool negated, Mask executing, uint32_t members)
{
    assert_true(rig_instruction(rig, opcode));
    rig->step.mask = executing;
    rig->predicates[0] = 0;
    fill(rig, D, 0, 0);
    if (strstr(opcode, "ballot"))
        rig_registers(rig, D, 1, 4);
    else
        rig_predicate(rig, 0, false);
    rig_predicate(rig, 1, negated);
    if (strstr(opcode, "sync"))
        rig_immediate(rig, members);
    run(rig);
    unsigned first = mask_first(executing);
    return strstr(opcode, "ballot") ? rig_lanes(rig, D)[first] : rig->predicates[0];
}

static void test_vote(void **state)
{
    (void)state;
    Rig *rig = rig_open(32);
    rig->predicates[1] = 0x00ff00f0;
    assert_int_equal(vote(rig, "vote.sync.ballot.b32", false, 0xffffffff, 0xffffffff), 0x00ff00f0);
    assert_int_equal(vote(rig, "vote.ballot.sync.b32", true, 0xffffffff, 0xffffffff), 0xff00ff0f);
    assert_int_equal(vote(rig, "vote.sync.ballot.b32", true, 0x0000ffff, 0x0000ffff), 0x0000ff0f);
    assert_int_equal(vote(rig, "vote.ballot.b32", false, 0x00f000ff, 0), 0x00f000f0);
    assert_int_equal(vote(rig, "vote.sync.all.pred", false, 0x00ff0000, 0x00ff0000), 0x00ff0000);
    assert_int_equal(vote(rig, "vote.sync.all.pred", false, 0x01ff0000, 0x01ff0000), 0);
    assert_int_equal(vote(rig, "vote.sync.any.pred", false, 0x01ff0000, 0x01ff0000), 0x01ff0000);
    assert_int_equal(vote(rig, "vote.sync.any.pred", false, 0x0000000f, 0x0000000f), 0);
    assert_int_equal(vote(rig, "vote.sync.uni.pred", false, 0x0000000f, 0x0000000f), 0x0000000f);
    assert_int_equal(vote(rig, "vote.sync.uni.pred", false, 0x000000f0, 0x000000f0), 0x000000f0);
    assert_int_equal(vote(rig, "vote.sync.uni.pred", false, 0x0000001f, 0x0000001f), 0);
    rig_close(rig);
}

/* Tiles of 8 lanes run converged, each lane with its tile's mask in a register. */
static void test_tiles(void **state)
{
    (void)state;
    Rig *rig = rig_open(32);
    rig->predicates[1] = 0xff01f0aa;
    for (unsigned lane = 0; lane < 32; lane++)
        rig_lanes(rig, MEMBERS)[lane] = 0xffu << (lane / 8 * 8);
    assert_true(rig_instruction(rig, "vote.sync.ballot.b32"));
    rig_registers(rig, D, 1, 4);
    rig_predicate(rig, 1, false);
    rig_registers(rig, MEMBERS, 1, 4);
    assert_int_equal(collective_members(&rig->step), 0xffffffff);
    run(rig);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(rig_lanes(rig, D)[lane], 0xff01f0aa & 0xffu << (lane / 8 * 8));
    assert_true(rig_instruction(rig, "redux.sync.add.u32"));
    fill(rig, A, 1, 1);
    rig_registers(rig, D, 1, 4);
    rig_registers(rig, A, 1, 4);
    rig_registers(rig, MEMBERS, 1, 4);
    run(rig);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(rig_lanes(rig, D)[lane], 36 + 64 * (lane / 8));
    rig_close(rig);
}

static void test_redux(void **state)
{
    (void)state;
    static const struct { const char *opcode; uint32_t result; } cases[] = {
        {"redux.sync.add.u32", 0x80000001}, {"redux.sync.add.s32", 0x80000001},
        {"redux.sync.min.u32", 3}, {"redux.sync.max.u32", 0xfffffffe},
        {"redux.sync.min.s32", 0x80000000}, {"redux.sync.max.s32", 3},
        {"redux.sync.and.b32", 0}, {"redux.sync.or.b32", 0xffffffff}, {"redux.sync.xor.b32", 0x7ffffffd}};
    Rig *rig = rig_open(32);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(rig_instruction(rig, cases[i].opcode));
        rig->step.mask = 0x00010102;
        fill(rig, A, 55, 0);
        fill(rig, D, 9, 0);
        rig_lanes(rig, A)[1] = 3;
        rig_lanes(rig, A)[8] = 0x80000000;
        rig_lanes(rig, A)[16] = 0xfffffffe;
        rig_registers(rig, D, 1, 4);
        rig_registers(rig, A, 1, 4);
        rig_immediate(rig, 0x00010102);
        run(rig);
        for (unsigned lane = 0; lane < 32; lane++)
            assert_int_equal(rig_lanes(rig, D)[lane], 0x00010102 >> lane & 1 ? cases[i].result : 9);
    }
    rig_close(rig);
}

static void test_match(void **state)
{
    (void)state;
    Rig *rig = rig_open(32);
    assert_true(rig_instruction(rig, "match.any.sync.b32"));
    for (unsigned lane = 0; lane < 32; lane++)
        rig_lanes(rig, A)[lane] = lane % 3;
    rig_registers(rig, D, 1, 4);
    rig_registers(rig, A, 1, 4);
    rig_immediate(rig, -1);
    run(rig);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(rig_lanes(rig, D)[lane], 0x49249249u << lane % 3);
    /* values that differ only in their upper halves */
    for (unsigned narrow = 0; narrow < 2; narrow++) {
        assert_true(rig_instruction(rig, narrow ? "match.all.sync.b32" : "match.all.sync.b64"));
        for (unsigned lane = 0; lane < 32; lane++)
            rig_lanes64(rig, WIDE)[lane] = 5 | (uint64_t)(lane == 9) << 40;
        rig_pair(rig, D, 2);
        rig_registers(rig, WIDE, 1, 8);
        rig_immediate(rig, 0x0000ff00);
        rig->step.mask = 0x0000ff00;
        rig->predicates[2] = 0xf000000f;
        run(rig);
        assert_int_equal(rig_lanes(rig, D)[10], narrow ? 0xff00 : 0);
        assert_int_equal(rig->predicates[2], narrow ? 0xf000ff0f : 0xf000000f);
    }
    rig_close(rig);
}

static void test_elect_and_activemask(void **state)
{
    (void)state;
    Rig *rig = rig_open(32);
    rig->step.mask = 0x00f0f000;
    assert_true(rig_instruction(rig, "elect.sync"));
    rig_pair(rig, D, 2);
    rig_immediate(rig, 0x00f0f000);
    run(rig);
    assert_int_equal(rig_lanes(rig, D)[23], 12);
    assert_int_equal(rig->predicates[2], 1 << 12);
    assert_true(rig_instruction(rig, "activemask.b32"));
    rig_registers(rig, D, 1, 4);
    run(rig);
    assert_int_equal(rig_lanes(rig, D)[20], 0x00f0f000);
    assert_int_equal(rig_lanes(rig, D)[0], 0);
    rig_close(rig);
}

static void test_errors(void **state)
{
    (void)state;
    Rig *rig = rig_open(32);
    assert_true(rig_instruction(rig, "redux.sync.add.u32"));
    rig_registers(rig, D, 1, 4);
    rig_registers(rig, A, 1, 4);
    rig_immediate(rig, 0x7fffffff);
    rig->insn.ptx = NULL;
    assert_int_equal(collective_members(&rig->step), 0);
    assert_int_equal(rig->error.status, WB_ERROR_EXECUTION);
    assert_non_null(strstr(rig->error.text, "does not name the lane itself"));
    assert_non_null(strstr(rig->error.text, "thread (31,0,0)"));
    rig_close(rig);

    rig = rig_open(64);
    assert_true(rig_instruction(rig, "activemask.b32"));
    rig_registers(rig, D, 1, 4);
    rig->insn.ptx = NULL;
    assert_int_equal(collective_members(&rig->step), 0);
    assert_int_equal(rig->error.status, WB_ERROR_UNSUPPORTED);
    assert_true(rig_instruction(rig, "bar.warp.sync"));
    rig_immediate(rig, 0xffffffff);
    assert_true(collective_members(&rig->step) == ~(Mask)0);
    rig_close(rig);

    Rig *other = rig_open(32);
    rig = rig_open(32);
    assert_true(rig_instruction(rig, "vote.sync.any.pred"));
    assert_true(rig_instruction(other, "vote.sync.all.pred"));
    rig->insn.ptx = other->insn.ptx = NULL;
    Step *const steps[2] = {&rig->step, &other->step};
    assert_int_equal(collective_run(steps, 2, 0xffffffff), STEP_ERROR);
    assert_non_null(strstr(other->error.text, "different instructions"));
    rig_close(rig);
    rig_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shuffle_modes),
        cmocka_unit_test(test_shuffle_leaves_other_lanes),
        cmocka_unit_test(test_shuffle_in_place),
        cmocka_unit_test(test_shuffle_between_groups),
        cmocka_unit_test(test_vote),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_redux),
        cmocka_unit_test(test_match),
        cmocka_unit_test(test_elect_and_activemask),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

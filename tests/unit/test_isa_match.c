/* The instruction table: spellings find their rows and no others, and suffixes become LaneMods. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/isa.h"

enum { MAX_MODS = 40 };

/* Splits "add.s32" at its dots; false if a suffix is not in modifier.def. */
static bool split(const char *spelling, size_t *mnemonic, Mod *mods, unsigned *count)
{
    *mnemonic = strcspn(spelling, ".");
    *count = 0;
    for (const char *at = spelling + *mnemonic; *at;) {
        const size_t length = strcspn(at + 1, ".");
        if (*count == MAX_MODS || !mod_find(at + 1, length, &mods[(*count)++]))
            return false;
        at += 1 + length;
    }
    return true;
}

static RowId match(const char *spelling)
{
    Mod mods[MAX_MODS];
    unsigned count;
    size_t mnemonic;
    return split(spelling, &mnemonic, mods, &count) ? isa_match(spelling, mnemonic, mods, count)
                                                    : ROW_UNKNOWN;
}

static LaneMods lane_mods(const char *spelling)
{
    Mod mods[MAX_MODS];
    unsigned count;
    size_t mnemonic;
    assert_true(split(spelling, &mnemonic, mods, &count));
    return isa_lane_mods(mods, count);
}

static void test_required_and_optional(void **state)
{
    (void)state;
    assert_int_equal(match("bra"), ROW_bra);
    assert_int_equal(match("bra.uni"), ROW_bra);
    assert_int_equal(match("bra.sat"), ROW_UNKNOWN);
    assert_int_equal(match("bra.uni.uni"), ROW_UNKNOWN);
    assert_int_equal(match("membar.gl"), ROW_membar);
    assert_int_equal(match("membar"), ROW_UNKNOWN);
    assert_int_equal(match("membar.gl.sys"), ROW_UNKNOWN);
    assert_int_equal(match("bar.sync"), ROW_bar_sync);
    assert_int_equal(match("bar.cta.sync"), ROW_bar_sync);
    assert_int_equal(match("bar.warp.sync"), ROW_bar_warp_sync);
    assert_int_equal(match("bar.warp"), ROW_UNKNOWN);
}

static void test_any_order_of_suffixes(void **state)
{
    (void)state;
    assert_int_equal(match("atom.add.release.gpu.u32"), ROW_atom_add);
    assert_int_equal(match("atom.release.gpu.add.u32"), ROW_atom_add);
    assert_int_equal(match("atom.global.sys.add.f64"), ROW_atom_add);
    assert_int_equal(match("atom.global.add.noftz.f16x2"), ROW_atom_add_half);
    assert_int_equal(match("ld.volatile.global.v4.f32"), ROW_ld);
    assert_int_equal(match("ld.global.volatile.v4.f32"), ROW_ld);
    assert_int_equal(match("ld.global.v2.v4.f32"), ROW_UNKNOWN);
    assert_int_equal(match("ld.global.shared.f32"), ROW_UNKNOWN);
    assert_int_equal(match("ld.global.f32.f32"), ROW_UNKNOWN);
    assert_int_equal(match("ld.global"), ROW_UNKNOWN);
    assert_int_equal(match("ld.global.L1::no_allocate.L2::128B.b32"), ROW_ld);
}

static void test_types_in_order(void **state)
{
    (void)state;
    assert_int_equal(match("set.eq.u32.f32"), ROW_set_u32_f32);
    assert_int_equal(match("set.eq.f32.u32"), ROW_set_f32_u32);
    assert_int_equal(match("set.u32.eq.f32"), ROW_set_u32_f32);
    assert_int_equal(match("set.eq.u32"), ROW_UNKNOWN);
    assert_int_equal(match("setp.lt.and.s32"), ROW_setp_s32);
    assert_int_equal(match("setp.lt.and.or.s32"), ROW_UNKNOWN);
    assert_int_equal(match("setp.hi.s32"), ROW_UNKNOWN);
    assert_int_equal(match("setp.hi.u32"), ROW_setp_u32);
}

/* A choice may be several suffixes together, and a suffix may be wanted twice. */
static void test_sequences_and_repeats(void **state)
{
    (void)state;
    assert_int_equal(match("fence.proxy.async"), ROW_fence_proxy);
    assert_int_equal(match("fence.proxy.async.global"), ROW_fence_proxy);
    assert_int_equal(match("fence.proxy.global"), ROW_UNKNOWN);
    const RowId row_col = match("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    assert_int_not_equal(row_col, ROW_UNKNOWN);
    assert_int_equal(match("mma.sync.aligned.m16n8k16.row.f32.f16.f16.f32"), ROW_UNKNOWN);
    const RowId col_col = match("wmma.mma.sync.aligned.col.col.m16n16k16.f32.f32");
    assert_int_not_equal(col_col, ROW_UNKNOWN);
    assert_int_equal(match("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32"), col_col);
    assert_int_equal(match("wmma.mma.sync.aligned.row.m16n16k16.f32.f32"), ROW_UNKNOWN);
}

static void test_unknown(void **state)
{
    (void)state;
    assert_true(isa_mnemonic_known("ld", 2));
    assert_true(isa_mnemonic_known("ld.global", 2));
    assert_false(isa_mnemonic_known("ad", 2));
    assert_false(isa_mnemonic_known("", 0));
    assert_false(isa_mnemonic_known("sured", 5));
    assert_int_equal(match("ad.s32"), ROW_UNKNOWN);
    Mod many[MAX_MODS];
    for (int i = 0; i < MAX_MODS; i++)
        many[i] = MOD_uni;
    assert_int_equal(isa_match("bra", 3, many, MAX_MODS), ROW_UNKNOWN);
    assert_int_equal(isa_match("bra", 3, many, 32), ROW_UNKNOWN);
}

/* One spelling of a pattern: item number `special` takes choice number `choice`; of the others, groups
 * in parentheses take their first choice and groups in braces are left out. Returns the item count, and
 * the special item's choice count. */
static unsigned spell(const char *pattern, unsigned special, unsigned choice, char *spelling,
                      unsigned *choices)
{
    unsigned item = 0;
    size_t used = strcspn(pattern, ".({");
    memcpy(spelling, pattern, used);
    for (const char *at = pattern + used; *at; item++) {
        at += *at == '.';
        const bool is_group = *at == '(' || *at == '{';
        const bool is_optional = *at == '{';
        at += is_group;
        unsigned number = 0;
        for (;; number++) {
            at += is_group && *at == '.';
            const size_t length = strcspn(at, is_group ? "|)}" : ".({");
            const bool wanted = item == special ? number == choice : number == 0 && !is_optional;
            if (wanted)
                used += (size_t)sprintf(spelling + used, ".%.*s", (int)length, at);
            at += length;
            if (!is_group || *at != '|')
                break;
            at++;
        }
        if (item == special)
            *choices = number + 1;
        at += is_group;
    }
    spelling[used] = '\0';
    return item;
}

/* Whatever a row's pattern allows must find that row, or one before it in the table. */
static void test_every_row_is_reachable(void **state)
{
    (void)state;
    for (uint32_t row = 1; row < ROW_COUNT; row++) {
        const char *pattern = isa_rows[row].pattern;
        char spelling[1000];
        unsigned choices = 0, found_self = 0;
        const unsigned items = spell(pattern, UINT32_MAX, 0, spelling, &choices);
        found_self += match(spelling) == row;
        for (unsigned item = 0; item < items; item++) {
            choices = 1;
            for (unsigned choice = 0; choice < choices; choice++) {
                spell(pattern, item, choice, spelling, &choices);
                const RowId found = match(spelling);
                found_self += found == row;
                if (found == ROW_UNKNOWN || found > row)
                    fail_msg("'%s' of pattern '%s' finds row %u instead of %u", spelling, pattern, found,
                             row);
            }
        }
        if (!found_self)
            fail_msg("no spelling of '%s' reaches its row: an earlier one takes all", pattern);
    }
}

static void test_rows_are_well_formed(void **state)
{
    (void)state;
    for (uint32_t row = 1; row < ROW_COUNT; row++) {
        const IsaRow *entry = &isa_rows[row];
        assert_non_null(entry->pattern);
        assert_true((entry->lane != NULL) == (entry->action == ACTION_LANE));
        assert_true(entry->unit < UNIT_COUNT && entry->action < ACTION_COUNT);
        if (strspn(entry->operands, "DPVspvnmlf*?") != strlen(entry->operands))
            fail_msg("'%s' has operands '%s'", entry->pattern, entry->operands);
    }
}

static void test_modifier_names(void **state)
{
    (void)state;
    for (unsigned i = 1; i < MOD_COUNT; i++) {
        Mod mod;
        assert_true(mod_find(mod_name((Mod)i), strlen(mod_name((Mod)i)), &mod));
        assert_int_equal(mod, i);
    }
    Mod mod;
    assert_false(mod_find("", 0, &mod));
    assert_false(mod_find("s3", 2, &mod));
    assert_false(mod_find("s322", 4, &mod));
    assert_true(mod_find("s322", 3, &mod));
    assert_int_equal(mod, TYPE_s32);
}

static void test_types(void **state)
{
    (void)state;
    assert_int_equal(type_bits(TYPE_pred), 1);
    assert_int_equal(type_bits(TYPE_b128), 128);
    assert_int_equal(type_bytes(TYPE_pred), 1);
    assert_int_equal(type_bytes(TYPE_f16x2), 4);
    assert_int_equal(type_bits(MOD_ftz), 0);
    assert_true(mod_is_type(TYPE_bf16) && !mod_is_type(MOD_global) && !mod_is_type(MOD_NONE));
    assert_true(type_is_signed(TYPE_s8) && type_is_signed(TYPE_s64));
    assert_true(!type_is_signed(TYPE_u32) && !type_is_signed(TYPE_b32) && !type_is_signed(TYPE_f32));
    assert_true(type_is_float(TYPE_f16) && type_is_float(TYPE_bf16x2) && type_is_float(TYPE_tf32) &&
                type_is_float(TYPE_e4m3x2) && type_is_float(TYPE_f64));
    assert_true(!type_is_float(TYPE_b32) && !type_is_float(TYPE_u8) && !type_is_float(MOD_ftz));
    assert_string_equal(unit_name(UNIT_LDST), "ldst");
    assert_string_equal(unit_name(UNIT_INT), "int");
}

static void test_rounding_and_flags(void **state)
{
    (void)state;
    assert_int_equal(lane_mods("x.rn").rounding, ROUND_NEAREST);
    assert_int_equal(lane_mods("x.rz").rounding, ROUND_ZERO);
    assert_int_equal(lane_mods("x.rm").rounding, ROUND_DOWN);
    assert_int_equal(lane_mods("x.rp").rounding, ROUND_UP);
    assert_int_equal(lane_mods("x.rna").rounding, ROUND_NEAREST_AWAY);
    assert_false(lane_mods("x.rz").to_integer);
    assert_int_equal(lane_mods("x.rmi").rounding, ROUND_DOWN);
    assert_true(lane_mods("x.rni").to_integer && lane_mods("x.rzi").to_integer &&
                lane_mods("x.rmi").to_integer && lane_mods("x.rpi").to_integer);
    const LaneMods all = lane_mods("x.ftz.sat.satfinite.relu.NaN.xorsign.abs.wrap.shiftamt");
    assert_true(all.ftz && all.sat && all.satfinite && all.relu && all.nan && all.xorsign && all.wrap &&
                all.shiftamt);
    const LaneMods none = lane_mods("x.nan.clamp.f32");
    assert_true(!none.ftz && !none.sat && !none.satfinite && !none.relu && !none.nan && !none.xorsign &&
                !none.wrap && !none.shiftamt && !none.to_integer);
    assert_int_equal(lane_mods("x.s32.u32.s32").signs, 5);
}

static void test_compare_and_modes(void **state)
{
    (void)state;
    static const char *const compares[] = {"x.eq",  "x.ne",  "x.lt",  "x.le",  "x.gt",  "x.ge",  "x.equ",
                                           "x.neu", "x.ltu", "x.leu", "x.gtu", "x.geu", "x.num", "x.nan"};
    static const char *const prmt[] = {"x", "x.f4e", "x.b4e", "x.rc8", "x.ecl", "x.ecr", "x.rc16"};
    static const char *const testp[] = {"x.finite",     "x.infinite", "x.number",
                                        "x.notanumber", "x.normal",   "x.subnormal"};
    static const char *const video[] = {"x", "x.add", "x.min", "x.max"};
    static const char *const bools[] = {"x", "x.and", "x.or", "x.xor"};
    for (unsigned i = 0; i < 14; i++)
        assert_int_equal(lane_mods(compares[i]).compare, i);
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(lane_mods(prmt[i]).mode, i);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(lane_mods(testp[i]).mode, i);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(lane_mods(video[i]).mode, i);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(lane_mods(bools[i]).bool_op, i);
    assert_int_equal(lane_mods("x.lo").compare, COMPARE_LT);
    assert_int_equal(lane_mods("x.ls").compare, COMPARE_LE);
    assert_int_equal(lane_mods("x.hi").compare, COMPARE_GT);
    assert_int_equal(lane_mods("x.hs").compare, COMPARE_GE);
}

static void test_destination_count(void **state)
{
    (void)state;
    assert_int_equal(isa_destination_count(&isa_rows[ROW_ld]), 1);
    assert_int_equal(isa_destination_count(&isa_rows[ROW_st]), 0);
    assert_int_equal(isa_destination_count(&isa_rows[ROW_setp_s32]), 1);
    assert_int_equal(isa_destination_count(&isa_rows[ROW_bra]), 0);
    assert_int_equal(isa_destination_count(&(IsaRow){.operands = "D?P?m"}), 2);
    assert_int_equal(isa_destination_count(&isa_rows[ROW_UNKNOWN]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_required_and_optional), cmocka_unit_test(test_any_order_of_suffixes),
        cmocka_unit_test(test_types_in_order),        cmocka_unit_test(test_sequences_and_repeats),
        cmocka_unit_test(test_unknown),               cmocka_unit_test(test_every_row_is_reachable),
        cmocka_unit_test(test_rows_are_well_formed),  cmocka_unit_test(test_modifier_names),
        cmocka_unit_test(test_types),                 cmocka_unit_test(test_rounding_and_flags),
        cmocka_unit_test(test_compare_and_modes),     cmocka_unit_test(test_destination_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The table itself, and the facts about modifiers, types and rows that need no pattern matching. */
#include "isa/element.h"
#include "isa/isa.h"

#include <string.h>

#define ISA_DECLARE
#include "isa/rows.h"
#undef ISA_DECLARE

const IsaRow isa_rows[ROW_COUNT] = {
    [ROW_UNKNOWN] = {.pattern = "", .operands = "*", .unit = UNIT_CONTROL, .action = ACTION_NOP},
#define ISA_TABLE
#include "isa/rows.h"
#undef ISA_TABLE
};

static const char *const mod_names[MOD_COUNT] = {
    "",
#define MOD(identifier, spelling) spelling,
#define TYPE(identifier, spelling, bits) spelling,
#include "isa/modifier.def"
#undef MOD
#undef TYPE
};

static const uint8_t mod_bits[MOD_COUNT] = {
#define MOD(identifier, spelling)
#define TYPE(identifier, spelling, bits) [TYPE_##identifier] = bits,
#include "isa/modifier.def"
#undef MOD
#undef TYPE
};

const char *mod_name(Mod mod) { return (unsigned)mod < MOD_COUNT ? mod_names[mod] : ""; }
unsigned type_bits(Type type) { return (unsigned)type < MOD_COUNT ? mod_bits[type] : 0; }

bool type_is_signed(Type type)
{
    switch (type) {
    case TYPE_s4: case TYPE_s8: case TYPE_s16: case TYPE_s32: case TYPE_s64: case TYPE_s16x2: case TYPE_s8x4:
        return true;
    default:
        return false;
    }
}

/* A float type is spelled f.., bf.., tf.. or e<exponent bits>m<mantissa bits>. */
bool type_is_float(Type type)
{
    if (!mod_is_type(type))
        return false;
    const char *name = mod_name(type);
    return name[0] == 'f' || name[0] == 'e' || !strncmp(name, "bf", 2) || !strncmp(name, "tf", 2);
}

const char *unit_name(Unit unit)
{
    static const char *const names[UNIT_COUNT] = {
        [UNIT_INT] = "int",       [UNIT_FP32] = "fp32", [UNIT_FP64] = "fp64", [UNIT_HALF] = "half",
        [UNIT_SFU] = "sfu",       [UNIT_TENSOR] = "tensor", [UNIT_LDST] = "ldst", [UNIT_CONTROL] = "control",
    };
    return (unsigned)unit < UNIT_COUNT ? names[unit] : "";
}

unsigned isa_destination_count(const IsaRow *row)
{
    unsigned count = 0;
    /* Destinations stand first; the first letter of a source ends them. */
    for (const char *letter = row->operands; *letter && strchr("DPV?", *letter); letter++)
        count += *letter != '?';
    return count;
}

/* The rounding of a suffix and whether it rounds to an integral value; false for any other suffix. */
static bool set_rounding(LaneMods *lane, Mod mod)
{
    switch (mod) {
    case MOD_rn: case MOD_rni: lane->rounding = ROUND_NEAREST; break;
    case MOD_rz: case MOD_rzi: lane->rounding = ROUND_ZERO; break;
    case MOD_rm: case MOD_rmi: lane->rounding = ROUND_DOWN; break;
    case MOD_rp: case MOD_rpi: lane->rounding = ROUND_UP; break;
    case MOD_rna: lane->rounding = ROUND_NEAREST_AWAY; break;
    default: return false;
    }
    lane->to_integer |= mod == MOD_rni || mod == MOD_rzi || mod == MOD_rmi || mod == MOD_rpi;
    return true;
}

static bool set_compare(LaneMods *lane, Mod mod)
{
    switch (mod) {
    case MOD_eq: lane->compare = COMPARE_EQ; return true;
    case MOD_ne: lane->compare = COMPARE_NE; return true;
    case MOD_lt: case MOD_lo: lane->compare = COMPARE_LT; return true;
    case MOD_le: case MOD_ls: lane->compare = COMPARE_LE; return true;
    case MOD_gt: case MOD_hi: lane->compare = COMPARE_GT; return true;
    case MOD_ge: case MOD_hs: lane->compare = COMPARE_GE; return true;
    case MOD_equ: lane->compare = COMPARE_EQU; return true;
    case MOD_neu: lane->compare = COMPARE_NEU; return true;
    case MOD_ltu: lane->compare = COMPARE_LTU; return true;
    case MOD_leu: lane->compare = COMPARE_LEU; return true;
    case MOD_gtu: lane->compare = COMPARE_GTU; return true;
    case MOD_geu: lane->compare = COMPARE_GEU; return true;
    case MOD_num: lane->compare = COMPARE_NUM; return true;
    case MOD_isnan: lane->compare = COMPARE_NAN; return true;
    default: return false;
    }
}

/* prmt modes, testp classes and third operations of video instructions share one field: no
 * instruction has two of them. */
static bool set_mode(LaneMods *lane, Mod mod)
{
    switch (mod) {
    case MOD_f4e: lane->mode = 1; return true;
    case MOD_b4e: lane->mode = 2; return true;
    case MOD_rc8: lane->mode = 3; return true;
    case MOD_ecl: lane->mode = 4; return true;
    case MOD_ecr: lane->mode = 5; return true;
    case MOD_rc16: lane->mode = 6; return true;
    case MOD_finite: lane->mode = 0; return true;
    case MOD_infinite: lane->mode = 1; return true;
    case MOD_number: lane->mode = 2; return true;
    case MOD_notanumber: lane->mode = 3; return true;
    case MOD_normal: lane->mode = 4; return true;
    case MOD_subnormal: lane->mode = 5; return true;
    case MOD_add: lane->mode = 1; return true;
    case MOD_min: lane->mode = 2; return true;
    case MOD_max: lane->mode = 3; return true;
    default: return false;
    }
}

LaneMods isa_lane_mods(const Mod *mods, unsigned mod_count)
{
    LaneMods lane = {0};
    unsigned type_count = 0;
    for (unsigned i = 0; i < mod_count; i++) {
        if (mod_is_type(mods[i])) {
            /* Bit k: whether the k-th type is signed. */
            lane.signs |= (uint8_t)((unsigned)type_is_signed(mods[i]) << (type_count++ & 7));
            continue;
        }
        if (set_rounding(&lane, mods[i]) || set_compare(&lane, mods[i]) || set_mode(&lane, mods[i]))
            continue;
        switch (mods[i]) {
        case MOD_ftz: lane.ftz = true; break;
        case MOD_sat: lane.sat = true; break;
        case MOD_satfinite: lane.satfinite = true; break;
        case MOD_relu: lane.relu = true; break;
        case MOD_nan: lane.nan = true; break;
        case MOD_xorsign: lane.xorsign = true; break;
        case MOD_wrap: lane.wrap = true; break;
        case MOD_shiftamt: lane.shiftamt = true; break;
        case MOD_and: lane.bool_op = BOOL_AND; break;
        case MOD_or: lane.bool_op = BOOL_OR; break;
        case MOD_xor: lane.bool_op = BOOL_XOR; break;
        default: break;
        }
    }
    return lane;
}

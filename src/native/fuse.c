/* Instructions of a basic block that the assembler makes one machine instruction of.
 *
 * A rule looks at an instruction whose result is used only in its own block, and only by instructions that
 * can take it over: then it costs nothing, and they cost what the joint instruction costs. */
#include "native/native.h"

#include "base/alloc.h"

#include <string.h>

enum { MAX_USERS = 16, MAX_INPUTS = 3 };

typedef struct Users {
    uint32_t insn[MAX_USERS];
    uint32_t count;
} Users;

typedef struct Fuser {
    NativeFunction *f;
    uint8_t *inputs; /* [count] sources of a sum or logic instruction, with those it took over */
} Fuser;

/* How often the instruction reads the register. */
typedef struct Reads {
    uint32_t reg, count;
} Reads;

static void count_reads(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_definite;
    Reads *reads = context;
    reads->count += !is_write && reg == reads->reg;
}

/* All instructions that use what instruction i writes to the register; false: not all of them are in its
 * block. */
static bool find_users(const NativeFunction *f, uint32_t i, uint32_t reg, Users *users)
{
    users->count = 0;
    if (reg == NO_INDEX || f->registers[reg].definitions != 1)
        return false;
    /* All uses must be found in this block; one elsewhere would still need the value. */
    uint32_t left = f->registers[reg].uses;
    for (uint32_t j = i + 1; j < f->count && f->block[j] == f->block[i] && left; j++) {
        if (!f->code[j].ptx)
            continue;
        Reads reads = {reg, 0};
        flow_visit_registers(f->function, f->code[j].ptx, count_reads, &reads);
        if (!reads.count)
            continue;
        if (users->count == MAX_USERS)
            return false;
        users->insn[users->count++] = j;
        left -= reads.count;
    }
    return left == 0 && users->count > 0;
}

static bool all_are(const NativeFunction *f, const Users *users, uint16_t row)
{
    for (uint32_t u = 0; u < users->count; u++)
        if (f->code[users->insn[u]].row != row)
            return false;
    return true;
}

static void vanish(NativeFunction *f, uint32_t i) { f->forms[i] = (NativeForm){.skips_unit = true}; }

/* The upper half of a factor that was extended with zeros is not multiplied. */
static void drop_zero_halves(const NativeFunction *f, uint32_t i, NativeForm *form)
{
    for (unsigned k = 1; k <= 2; k++) {
        const uint32_t reg = native_register(f, &f->code[i], k);
        if (reg != NO_INDEX && f->registers[reg].definitions == 1 &&
            f->code[f->registers[reg].definition].row == ROW_cvt_u64_u32)
            form->slots.count[WORK_MULTIPLY]--;
    }
}

/* One of its products has 64 bits. */
static void make_wide(NativeForm *form)
{
    form->slots.count[WORK_MULTIPLY]--;
    form->slots.count[WORK_WIDE]++;
    form->chain.count[WORK_MULTIPLY]--;
    form->chain.count[WORK_WIDE]++;
}

/* A product or shifted value that is only added: IMAD.WIDE, IMAD, LEA, LEA with LEA.HI. */
static bool fuse_into_sum(Fuser *fuser, uint32_t i, const Users *users)
{
    NativeFunction *f = fuser->f;
    static const struct {
        uint16_t row, sum;
        bool by_constant, is_wide, is_sign; /* of which only the sign is left, on Hopper */
        const char *slots, *chain;
    } rules[] = {
        {ROW_mul_wide_u32, ROW_add_64, false, true, false, "m1", "m1"},
        {ROW_mul_wide_s32, ROW_add_64, false, true, false, "m1", "m1"},
        {ROW_mul_lo_32, ROW_add_32, false, false, false, "m1", "m1"},
        {ROW_shl_b32, ROW_add_32, true, false, false, "i1", "i1"},
        {ROW_shl_b64, ROW_add_64, true, false, false, "i2", "i2"},
        {ROW_mul_wide_u16, ROW_add_32, false, false, false, "m1", "m1"},
        {ROW_cvt_s64_s32, ROW_add_64, false, false, false, "i2", "i2"},
        {ROW_mul_lo_64, ROW_add_64, false, true, false, "i1 m3", "i1 m2"},
        {ROW_shr_u32, ROW_add_32, true, false, true, "i1", "i1"},
    };
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        if (f->code[i].row != rules[r].row || !all_are(f, users, rules[r].sum))
            continue;
        if (rules[r].by_constant && !native_is_immediate(&f->code[i], 2))
            continue;
        if (rules[r].is_sign && !(f->is_hopper && f->code[i].op[f->code[i].begin[2]].value == 31))
            continue;
        vanish(f, i);
        for (uint32_t u = 0; u < users->count; u++) {
            f->forms[users->insn[u]] = native_form_of(rules[r].slots, rules[r].chain);
            if (f->is_hopper && rules[r].is_wide)
                make_wide(&f->forms[users->insn[u]]);
            if (rules[r].row == ROW_mul_lo_64)
                drop_zero_halves(f, i, &f->forms[users->insn[u]]);
            /* A fused sum has three inputs already and takes no more. */
            fuser->inputs[users->insn[u]] = MAX_INPUTS;
        }
        return true;
    }
    return false;
}

/* Its sources have one value wherever they have any. */
static bool is_steady(const NativeFunction *f, const Insn *insn)
{
    for (unsigned k = 1; k <= 2; k++) {
        const uint32_t reg = native_register(f, insn, k);
        if (reg == NO_INDEX ? !native_is_immediate(insn, k) : f->registers[reg].definitions != 1)
            return false;
    }
    return true;
}

/* A wide product that was computed before a loop is multiplied again by each sum inside of it, which costs
 * nothing there. */
static bool fuse_far_product(Fuser *fuser, uint32_t i)
{
    NativeFunction *f = fuser->f;
    const uint32_t reg = native_register(f, &f->code[i], 0);
    if ((f->code[i].row != ROW_mul_wide_u32 && f->code[i].row != ROW_mul_wide_s32) || reg == NO_INDEX ||
        f->registers[reg].definitions != 1 || !is_steady(f, &f->code[i]))
        return false;
    uint32_t left = f->registers[reg].uses;
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t j = 0; j < f->count && (left || pass); j++) {
            if (!f->code[j].ptx)
                continue;
            Reads reads = {reg, 0};
            flow_visit_registers(f->function, f->code[j].ptx, count_reads, &reads);
            if (!reads.count)
                continue;
            if (reads.count > 1 || f->code[j].row != ROW_add_64 || (!pass && fuser->inputs[j] == MAX_INPUTS))
                return false;
            left -= !pass;
            if (!pass)
                continue;
            f->forms[j] = f->is_hopper ? native_form_of("x1", "x1") : native_form_of("m1", "m1");
            fuser->inputs[j] = MAX_INPUTS;
        }
    vanish(f, i);
    return true;
}

static bool is_logic(uint16_t row)
{
    switch (row) {
    case ROW_and_b16:
    case ROW_or_b16:
    case ROW_xor_b16:
    case ROW_not_b16:
    case ROW_and_b32:
    case ROW_or_b32:
    case ROW_xor_b32:
    case ROW_not_b32:
    case ROW_and_b64:
    case ROW_or_b64:
    case ROW_xor_b64:
    case ROW_not_b64:
        return true;
    default:
        return false;
    }
}

static bool is_sum(uint16_t row) { return row == ROW_add_32 || row == ROW_sub_32; }

/* Logic of up to three inputs is one LOP3, a sum of three one IADD3. */
static bool fuse_chain(Fuser *fuser, uint32_t i, const Users *users)
{
    NativeFunction *f = fuser->f;
    const uint32_t user = users->insn[0];
    const uint16_t row = f->code[i].row, next = f->code[user].row;
    const bool logic = is_logic(row) && is_logic(next) && f->code[i].bytes[0] == f->code[user].bytes[0];
    const bool sums = is_sum(row) && is_sum(next) && fuser->inputs[i] == 2;
    if (users->count != 1 || f->registers[native_register(f, &f->code[i], 0)].uses != 1 || !(logic || sums))
        return false;
    /* One input of the user is replaced by those of the instruction that goes. */
    const unsigned inputs = fuser->inputs[user] - 1u + fuser->inputs[i];
    if (inputs > MAX_INPUTS)
        return false;
    fuser->inputs[user] = (uint8_t)inputs;
    vanish(f, i);
    if (sums)
        f->forms[user] = native_form_of("i1", "i1");
    return true;
}

static bool is_zero(const Insn *insn, unsigned k)
{
    return native_is_immediate(insn, k) && insn->op[insn->begin[k]].value == 0;
}

static bool is_zero_test(const NativeFunction *f, const Insn *insn)
{
    const bool compares = insn->row == ROW_setp_s32 || insn->row == ROW_setp_u32 || insn->row == ROW_setp_b32;
    return compares && insn->operand_count == 3 && insn->guard == NO_INDEX && is_zero(insn, 2) &&
           (function_has_mod(f->function, insn->ptx, MOD_eq) ||
            function_has_mod(f->function, insn->ptx, MOD_ne));
}

/* LOP3 also says whether its result is zero; if nothing else is asked, only that. */
static void fuse_zero_test(NativeFunction *f, uint32_t i)
{
    const Insn *insn = &f->code[i];
    const uint32_t reg = native_register(f, insn, 0);
    if (!is_logic(insn->row) || insn->bytes[0] != 4 || reg == NO_INDEX || f->registers[reg].definitions != 1)
        return;
    for (uint32_t j = i + 1; j < f->count && f->block[j] == f->block[i]; j++)
        if (f->code[j].ptx && is_zero_test(f, &f->code[j]) && native_register(f, &f->code[j], 1) == reg &&
            work_total(&f->forms[j].slots)) {
            f->forms[j].slots = (WorkList){0};
            return;
        }
}

static bool reads_register(const NativeFunction *f, uint32_t i, uint32_t reg)
{
    Reads reads = {reg, 0};
    if (f->code[i].ptx)
        flow_visit_registers(f->function, f->code[i].ptx, count_reads, &reads);
    return reads.count > 0;
}

/* Whether the register has a value of the block of instruction i, which nothing behind `user` reads. */
static bool is_given_up(const NativeFunction *f, uint32_t reg, uint32_t i, uint32_t user)
{
    if (f->registers[reg].definitions != 1 || f->block[f->registers[reg].definition] != f->block[i])
        return false;
    for (uint32_t j = user + 1; j < f->count; j++)
        if (reads_register(f, j, reg))
            return false;
    return true;
}

/* A changed sign of a float; on Hopper also if ptx/contract_sign.c has made logic of it. */
static bool is_sign(const NativeFunction *f, const Insn *insn)
{
    if (insn->row == ROW_neg_f32 || insn->row == ROW_abs_f32)
        return true;
    const bool is_made = insn->ptx && (insn->row == ROW_xor_b32 || insn->row == ROW_and_b32);
    return f->is_hopper && is_made &&
           (!strncmp(insn->ptx->opcode, "neg", 3) || !strncmp(insn->ptx->opcode, "abs", 3));
}

/* Whether the instruction can change a sign of what it reads. */
static bool takes_sign(const NativeFunction *f, const Insn *insn, Unit unit)
{
    const bool selects = insn->row == ROW_selp_b32 && function_has_mod(f->function, insn->ptx, TYPE_f32);
    return insn->action == ACTION_LANE &&
           (insn->unit == unit || (f->is_hopper && unit == UNIT_FP32 && (selects || is_sign(f, insn))));
}

/* Whether the register has no place of its own: it is another one with its sign changed. */
static bool is_only_sign(const NativeFunction *f, uint32_t reg)
{
    const uint32_t from = f->registers[reg].definition;
    return f->is_hopper && f->registers[reg].definitions == 1 && is_sign(f, &f->code[from]) &&
           !work_total(&f->forms[from].slots);
}

/* A choice between a value and what an instruction makes of it, or of others if nothing else needs the value
 * or it is the choice's own old one, is that instruction under a guard, in the value's register. */
static bool fuse_choice(Fuser *fuser, uint32_t i, const Users *users)
{
    NativeFunction *f = fuser->f;
    const uint32_t at = users->insn[0], result = native_register(f, &f->code[i], 0);
    const Insn *user = &f->code[at];
    if (users->count != 1 || user->row != ROW_selp_b32 || f->code[i].row == ROW_selp_b32 ||
        user->guard != NO_INDEX || work_total(&f->forms[i].slots) != 1 || fuser->inputs[at] == MAX_INPUTS)
        return false;
    const bool is_first = native_register(f, user, 1) == result;
    const uint32_t kept = native_register(f, user, is_first ? 2 : 1);
    if (kept == NO_INDEX || kept == result || (!is_first && native_register(f, user, 2) != result) ||
        !(reads_register(f, i, kept) || is_given_up(f, kept, i, at) ||
          (f->is_hopper && kept == native_register(f, user, 0))) ||
        is_only_sign(f, kept))
        return false;
    f->forms[at] = f->forms[i];
    fuser->inputs[at] = MAX_INPUTS;
    vanish(f, i);
    return true;
}

/* A comparison combines its result with a predicate; other logic of predicates is an instruction. */
static void lower_predicate_logic(NativeFunction *f, uint32_t i)
{
    const Insn *insn = &f->code[i];
    if (insn->row != ROW_and_pred && insn->row != ROW_or_pred && insn->row != ROW_xor_pred)
        return;
    for (unsigned k = 1; k <= 2; k++) {
        const uint32_t reg = native_register(f, insn, k);
        if (reg == NO_INDEX || f->registers[reg].definitions != 1)
            return;
        const uint32_t from = f->registers[reg].definition;
        if (f->block[from] == f->block[i] && f->registers[reg].uses == 1)
            return;
    }
    f->forms[i].slots.count[WORK_INT] = 1;
}

/* Signs are operands' modifiers in floating-point instructions, of other blocks too. */
static bool fuse_sign(NativeFunction *f, uint32_t i)
{
    const uint16_t row = f->code[i].row;
    const bool is_single = is_sign(f, &f->code[i]);
    const bool is_double = row == ROW_neg_f64 || row == ROW_abs_f64;
    const uint32_t reg = native_register(f, &f->code[i], 0);
    if ((!is_single && !is_double) || reg == NO_INDEX || f->registers[reg].definitions != 1)
        return false;
    uint32_t left = f->registers[reg].uses;
    for (uint32_t j = 0; j < f->count && left; j++) {
        if (!f->code[j].ptx)
            continue;
        Reads reads = {reg, 0};
        flow_visit_registers(f->function, f->code[j].ptx, count_reads, &reads);
        left -= reads.count;
        if (reads.count && !takes_sign(f, &f->code[j], is_single ? UNIT_FP32 : UNIT_FP64))
            return false;
    }
    vanish(f, i);
    return true;
}

static bool is_address_of(const NativeFunction *f, uint32_t user, uint32_t reg)
{
    const Insn *insn = &f->code[user];
    const unsigned address = isa_destination_count(&isa_rows[insn->row]);
    if (insn->action != ACTION_LOAD && insn->action != ACTION_STORE && insn->action != ACTION_ATOMIC)
        return false;
    return native_register(f, insn, address) == reg && native_register(f, insn, address + 1) != reg;
}

/* The address of a shared variable, or another constant. */
static bool is_constant(const NativeFunction *f, const Insn *insn, unsigned k)
{
    if (native_is_immediate(insn, k))
        return true;
    const uint32_t reg = native_register(f, insn, k);
    if (reg == NO_INDEX || f->registers[reg].definitions != 1)
        return false;
    const Insn *from = &f->code[f->registers[reg].definition];
    return from->row == ROW_mov_b32 && native_is_immediate(from, 1);
}

/* Accesses of shared memory add a constant base, since Hopper one in a uniform register. */
static bool fuse_shared_base(const Fuser *fuser, uint32_t i, const Users *users)
{
    NativeFunction *f = fuser->f;
    const Insn *insn = &f->code[i];
    if (insn->row != ROW_add_32 || fuser->inputs[i] != 2 ||
        !(is_constant(f, insn, 1) || is_constant(f, insn, 2)))
        return false;
    const uint32_t reg = native_register(f, insn, 0);
    for (uint32_t u = 0; u < users->count; u++)
        if (f->code[users->insn[u]].space != SPACE_SHARED || !is_address_of(f, users->insn[u], reg))
            return false;
    vanish(f, i);
    return true;
}

/* A constant added to an address is the access's displacement, if it has room: 24 bits with a sign. */
static bool fuse_displacement(NativeFunction *f, uint32_t i, const Users *users)
{
    enum { DISPLACEMENT_LIMIT = 1 << 23 };
    const Insn *insn = &f->code[i];
    if ((insn->row != ROW_add_64 && insn->row != ROW_add_32) || !native_is_immediate(insn, 2))
        return false;
    const int64_t value = insn->op[insn->begin[2]].value;
    const int64_t distance = insn->row == ROW_add_32 ? (int32_t)value : value;
    if (distance >= DISPLACEMENT_LIMIT || distance < -DISPLACEMENT_LIMIT)
        return false;
    for (uint32_t u = 0; u < users->count; u++)
        if (!is_address_of(f, users->insn[u], native_register(f, insn, 0)))
            return false;
    vanish(f, i);
    return true;
}

static bool is_narrow_sum(uint16_t row)
{
    return row == ROW_add_16 || row == ROW_sub_16 || row == ROW_mul_lo_16 || row == ROW_mad_lo_16;
}

/* The load has already extended what a conversion of the same sign extends. */
static void fuse_extension(NativeFunction *f, uint32_t i)
{
    const Insn *insn = &f->code[i];
    if (!insn->ptx || strcmp(insn->ptx->mnemonic, "cvt") != 0 || insn->unit != UNIT_INT || insn->mods.sat)
        return;
    const uint32_t reg = native_register(f, insn, 1);
    if (reg == NO_INDEX || f->registers[reg].definitions != 1)
        return;
    const Insn *load = &f->code[f->registers[reg].definition];
    if (insn->row == ROW_cvt_u32_u16 && is_narrow_sum(load->row))
        f->forms[i] = native_form_of("i1", "i1"); /* what is above its result must be cleared */
    if (load->action != ACTION_LOAD || load->element_bytes > 2 || insn->ptx->mod_count < 2)
        return;
    const Type from = f->function->mods[insn->ptx->first_mod + insn->ptx->mod_count - 1];
    if (type_bits(from) >= 8u * load->element_bytes &&
        (type_is_signed(from) == load->sign_extend || type_bits(from) > 8u * load->element_bytes))
        vanish(f, i);
}

void native_fuse(NativeFunction *f)
{
    Fuser fuser = {f, xcalloc(f->count, 1)};
    for (uint32_t i = 0; i < f->count; i++) {
        const bool has_one =
            f->code[i].row == ROW_not_b16 || f->code[i].row == ROW_not_b32 || f->code[i].row == ROW_not_b64;
        fuser.inputs[i] = has_one ? 1 : 2;
    }
    for (uint32_t i = 0; i < f->count; i++) {
        const Insn *insn = &f->code[i];
        if (insn->ptx && (insn->ptx->is_absorbed || insn->ptx->is_free)) {
            vanish(f, i); /* ptx/contract.h has made multiply-adds of its users; or ptx/unroll.h made it */
            continue;
        }
        if (insn->action == ACTION_LANE && insn->ptx) {
            lower_predicate_logic(f, i);
            fuse_extension(f, i);
        }
        if (insn->action != ACTION_LANE || !insn->ptx || insn->guard != NO_INDEX ||
            !work_total(&f->forms[i].slots))
            continue;
        if (insn->row == ROW_mul_lo_64 &&
            f->forms[i].slots.count[WORK_MULTIPLY] + f->forms[i].slots.count[WORK_WIDE] >= 3)
            drop_zero_halves(f, i, &f->forms[i]);
        fuse_zero_test(f, i);
        if (native_is_answered(f, i)) {
            f->forms[i].slots = (WorkList){0};
            continue;
        }
        if (fuse_sign(f, i))
            continue;
        Users users;
        if (!find_users(f, i, native_register(f, insn, 0), &users)) {
            fuse_far_product(&fuser, i);
            continue;
        }
        /* The first rule that applies takes the instruction away. */
        if (!fuse_into_sum(&fuser, i, &users) && !fuse_chain(&fuser, i, &users) &&
            !fuse_choice(&fuser, i, &users) && !fuse_shared_base(&fuser, i, &users))
            fuse_displacement(f, i, &users);
    }
    xfree(fuser.inputs);
}

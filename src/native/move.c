/* Moves: most are only other names, or operands. */
#include "native/native.h"

/* Launch parameters that are registers of PTX lie in the constant bank. On sm_90 the uniform datapath reads
 * them: ULDC in 79 of 100 places of %ntid.x in the kernels of suite, PolyBench and correlation. */
static bool is_in_constant_bank(uint32_t special)
{
    return (special >= SPECIAL_ntid_x && special <= SPECIAL_ntid_z) ||
           (special >= SPECIAL_nctaid_x && special <= SPECIAL_nctaid_z) || special >= SPECIAL_envreg0;
}

static NativeForm lower_special(const NativeFunction *f, uint32_t special)
{
    if (is_in_constant_bank(special))
        return f->is_hopper ? native_single(WORK_UNIFORM) : native_copies();
    if (special == SPECIAL_clock || special == SPECIAL_clock64 || special == SPECIAL_clock_hi)
        return native_single(WORK_INT);
    return native_single(WORK_SPECIAL);
}

typedef struct Reader {
    uint32_t reg;
    bool reads, writes;
} Reader;

static void see_access(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_definite;
    Reader *reader = context;
    if (reg == reader->reg)
        *(is_write ? &reader->writes : &reader->reads) = true;
}

static Reader access_of(const NativeFunction *f, uint32_t i, uint32_t reg)
{
    Reader reader = {reg, false, false};
    if (f->code[i].ptx)
        flow_visit_registers(f->function, f->code[i].ptx, see_access, &reader);
    return reader;
}

/* Whether both registers are needed at once, so that they cannot be one: the old value of `to` is read after
 * `from` got its own, or one of them changes while the other is needed. */
static bool lives_beside(const NativeFunction *f, uint32_t move, uint32_t to, uint32_t from)
{
    bool is_read = false;
    for (uint32_t i = move; i-- > 0 && f->block[i] == f->block[move];) {
        if (access_of(f, i, from).writes) {
            if (is_read)
                return true;
            break;
        }
        is_read |= access_of(f, i, to).reads;
    }
    bool to_changes = false, from_changes = false;
    for (uint32_t i = move + 1; i < f->count && f->block[i] == f->block[move]; i++) {
        /* Lanes that a guard leaves out keep the copy, while others use the value. */
        if (f->code[i].guard != NO_INDEX && access_of(f, i, to).writes && f->registers[from].uses > 1)
            return true;
        const Reader of_to = access_of(f, i, to), of_from = access_of(f, i, from);
        if ((from_changes && of_to.reads) || (to_changes && of_from.reads))
            return true;
        to_changes |= of_to.writes;
        from_changes |= of_from.writes;
    }
    return false;
}

/* Of a register that several instructions write, an immediate must really be put there, and a value that
 * lives on beside its copy; all else is renamed. */
NativeForm native_lower_move(const NativeFunction *f, const Insn *insn)
{
    const Operand *source = &insn->op[insn->begin[1]];
    const uint32_t to = native_register(f, insn, 0);
    if (insn->begin[insn->operand_count] == 2 && source->kind == OPERAND_SPECIAL)
        return lower_special(f, source->slot);
    const bool merges = source->kind == OPERAND_IMMEDIATE || insn->guard != NO_INDEX;
    if (merges && to != NO_INDEX && f->registers[to].definitions > 1)
        return native_single(WORK_INT);
    const uint32_t from = native_register(f, insn, 1);
    if (from != NO_INDEX && to != NO_INDEX && f->registers[to].definitions > 1 &&
        f->registers[from].definitions >= 1 && lives_beside(f, (uint32_t)(insn - f->code), to, from))
        return native_single(WORK_INT);
    const unsigned words = native_constant_words(f, insn, 1);
    if (words && to != NO_INDEX && native_is_double(f, to)) {
        NativeForm form = native_copies();
        form.slots.count[WORK_UNIFORM] = form.chain.count[WORK_UNIFORM] = (uint8_t)words;
        return form;
    }
    const bool packs_halves = insn->row == ROW_mov_b32 && insn->begin[2] - insn->begin[1] > 1;
    return packs_halves ? native_single(WORK_INT) : native_copies();
}

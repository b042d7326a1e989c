/* Loads of neighbouring words that the assembler makes one vector load of: of shared memory, where it can see
 * that the address is aligned, and pairs of the constant bank. The first of them becomes the load, the others
 * come with it. */
#include "native/native.h"

enum { MAX_ALIGNMENT = 10, MAX_DEPTH = 12, WORD_BYTES = 4, GROUP_WORDS = 4 };

static unsigned zeros_below(int64_t value)
{
    const unsigned zeros = value ? (unsigned)__builtin_ctzll((uint64_t)value) : MAX_ALIGNMENT;
    return zeros < MAX_ALIGNMENT ? zeros : MAX_ALIGNMENT;
}

static unsigned register_alignment(const NativeFunction *f, uint32_t reg, unsigned depth);

static unsigned source_alignment(const NativeFunction *f, const Insn *insn, unsigned k, unsigned depth)
{
    if (native_is_immediate(insn, k))
        return zeros_below(insn->op[insn->begin[k]].value);
    const uint32_t reg = native_register(f, insn, k);
    return reg == NO_INDEX ? 0 : register_alignment(f, reg, depth + 1);
}

static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

/* How many low bits of the register are zero for certain, at most MAX_ALIGNMENT. */
static unsigned register_alignment(const NativeFunction *f, uint32_t reg, unsigned depth)
{
    /* Several writers, or a chain too long to follow: nothing is known. The depth also ends circles. */
    if (f->registers[reg].definitions != 1 || depth > MAX_DEPTH)
        return 0;
    const Insn *insn = &f->code[f->registers[reg].definition];
    switch (insn->row) {
    case ROW_mov_b32:
    case ROW_mov_b64:
    case ROW_cvt_u64_u32:
        return source_alignment(f, insn, 1, depth);
    case ROW_add_32:
    case ROW_add_64:
    case ROW_sub_32:
        return smaller(source_alignment(f, insn, 1, depth), source_alignment(f, insn, 2, depth));
    case ROW_mul_lo_32:
    case ROW_mul_wide_u32:
    case ROW_mul_wide_s32:
        return smaller(MAX_ALIGNMENT,
                       source_alignment(f, insn, 1, depth) + source_alignment(f, insn, 2, depth));
    case ROW_mad_lo_32:
        return smaller(source_alignment(f, insn, 1, depth) + source_alignment(f, insn, 2, depth),
                       source_alignment(f, insn, 3, depth));
    case ROW_shl_b32:
    case ROW_shl_b64:
        if (!native_is_immediate(insn, 2))
            return 0;
        return smaller(MAX_ALIGNMENT,
                       source_alignment(f, insn, 1, depth) + (unsigned)insn->op[insn->begin[2]].value % 64);
    default:
        return 0;
    }
}

static bool is_word_load(const Insn *insn)
{
    return insn->action == ACTION_LOAD && insn->space == SPACE_SHARED && insn->vector == 1 &&
           insn->element_bytes == WORD_BYTES && insn->guard == NO_INDEX &&
           insn->displacement % WORD_BYTES == 0;
}

/* Loads do not move over what may change shared memory. */
static bool stops_loads(const Insn *insn)
{
    switch ((Action)insn->action) {
    case ACTION_STORE:
        return insn->space == SPACE_SHARED || insn->space == SPACE_GENERIC;
    case ACTION_LANE:
    case ACTION_MOVE:
    case ACTION_LOAD:
        return false;
    default:
        return true;
    }
}

/* Of a variable the whole address is known, else what is added to the register. */
static int64_t word_of(const Insn *insn)
{
    const int64_t known = native_is_immediate(insn, 1) ? insn->op[insn->begin[1]].value : 0;
    return (known + insn->displacement) / WORD_BYTES;
}

/* The group of aligned words that a displacement is in. */
static int64_t group_of(int64_t word, unsigned words)
{
    /* Rounded down for negative displacements, too. */
    return (word - (word % words + words) % words) / words;
}

/* Makes the loads behind i of the same `words` aligned words come with it; false: some word is not loaded. */
static bool join(NativeFunction *f, uint32_t i, unsigned words, bool commit)
{
    const uint32_t base = native_register(f, &f->code[i], 1);
    const int64_t group = group_of(word_of(&f->code[i]), words);
    unsigned found = 1u << (word_of(&f->code[i]) - group * words), joined = 0;
    for (uint32_t j = i + 1; j < f->count && f->block[j] == f->block[i] && !stops_loads(&f->code[j]); j++) {
        const Insn *insn = &f->code[j];
        if (!is_word_load(insn) || native_register(f, insn, 1) != base ||
            group_of(word_of(insn), words) != group)
            continue;
        found |= 1u << (word_of(insn) - group * words);
        joined++;
        if (commit)
            f->forms[j] = (NativeForm){.skips_unit = true,
                                       .comes_along = joined % 2 == 1,
                                       .latency = (uint16_t)f->config->shared_latency};
    }
    return found == (1u << words) - 1;
}

/* -- the constant bank -- */

static bool is_bank_word(const Insn *insn)
{
    return insn->action == ACTION_LOAD && (insn->space == SPACE_CONST || insn->space == SPACE_PARAM) &&
           insn->vector == 1 && insn->element_bytes == WORD_BYTES && insn->guard == NO_INDEX &&
           native_is_immediate(insn, 1);
}

/* The block that first needs what is loaded: it is loaded there. */
static uint32_t block_of_use(const NativeFunction *f, uint32_t i)
{
    const uint32_t reg = native_register(f, &f->code[i], 0);
    for (uint32_t j = i + 1; j < f->count && reg != NO_INDEX; j++)
        if (f->code[j].ptx && flow_reads(f->function, f->code[j].ptx, reg))
            return f->block[j];
    return NO_INDEX;
}

/* Two words of a pair that begins at a multiple of eight bytes. */
static void join_bank_pair(NativeFunction *f, uint32_t i)
{
    const uint32_t user = block_of_use(f, i);
    for (uint32_t j = i + 1; j < f->count && f->block[j] == f->block[i]; j++) {
        const Insn *insn = &f->code[j];
        if (!is_bank_word(insn) || insn->space != f->code[i].space || f->forms[j].skips_unit ||
            group_of(word_of(insn), 2) != group_of(word_of(&f->code[i]), 2) || block_of_use(f, j) != user)
            continue;
        f->forms[j] = (NativeForm){.skips_unit = true, .latency = (uint16_t)f->config->const_latency};
        return;
    }
}

void native_vectorize(NativeFunction *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->is_hopper && is_bank_word(&f->code[i]) && !f->forms[i].skips_unit)
            join_bank_pair(f, i);
        if (!is_word_load(&f->code[i]) || f->forms[i].skips_unit)
            continue;
        const uint32_t base = native_register(f, &f->code[i], 1);
        const unsigned known = native_is_immediate(&f->code[i], 1) ? MAX_ALIGNMENT : 0;
        const unsigned alignment = base == NO_INDEX ? known : register_alignment(f, base, 0);
        /* First asked, then done: a group of which a word is missing stays single loads. */
        if (alignment >= 4 && join(f, i, GROUP_WORDS, false))
            join(f, i, GROUP_WORDS, true);
        else if (alignment >= 3 && join(f, i, GROUP_WORDS / 2, false))
            join(f, i, GROUP_WORDS / 2, true);
    }
}

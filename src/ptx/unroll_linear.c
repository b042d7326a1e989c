/* What a loop's registers are. */
#include "ptx/unroll.h"

#include <string.h>

enum { ADDRESS_LIMIT = 1 << 22 }; /* displacements have 24 bits with a sign; copies may add to them */

uint32_t unroll_target(const Function *function, const PtxInsn *insn)
{
    for (uint32_t k = 0; k < insn->operand_count; k++)
        if (function->operands[insn->first_operand + k].kind == PTX_LABEL)
            return function->operands[insn->first_operand + k].index;
    return NO_INDEX;
}

bool unroll_find_conditions(const Function *function, uint32_t start, uint32_t branch, bool *conditional)
{
    uint32_t skipped_to = start;
    for (uint32_t i = start; i < branch; i++) {
        const PtxInsn *insn = &function->insns[i];
        conditional[i - start] = i < skipped_to || insn->guard != NO_INDEX;
        switch (isa_rows[insn->row].action) {
        case ACTION_BRANCH: {
            const uint32_t target = unroll_target(function, insn);
            if (target <= i || target > branch)
                return false;
            skipped_to = target > skipped_to ? target : skipped_to;
            break;
        }
        case ACTION_BRANCH_TABLE:
        case ACTION_CALL:
        case ACTION_RETURN:
        case ACTION_EXIT:
        case ACTION_TRAP:
            return false;
        default:
            break;
        }
    }
    return true;
}

/* -- what is written, and what is live around the loop -- */

typedef struct Sorter {
    const Function *function;
    const UnrollLoop *loop;
    const bool *conditional;
    UnrollRegister *registers;
    uint32_t insn;
} Sorter;

static void see_access(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    Sorter *s = context;
    UnrollRegister *r = &s->registers[reg];
    if (!is_write)
        return;
    const bool is_certain = is_definite && !s->conditional[s->insn - s->loop->start];
    r->is_written = true;
    r->writes += is_certain ? 1 : 2; /* what some ways leave out is never the only write */
    r->definition = s->insn;
}

static void mark_live(const FlowLive *live, uint32_t block, UnrollRegister *registers, bool is_out)
{
    if (block >= live->graph->block_count)
        return;
    for (uint32_t at = live->first[block]; at != NO_INDEX; at = live->words[at].next)
        for (uint64_t bits = live->words[at].bits; bits; bits &= bits - 1) {
            const uint32_t number = 64 * live->words[at].word + (uint32_t)__builtin_ctzll(bits);
            UnrollRegister *r = &registers[live->crossing[number]];
            *(is_out ? &r->is_live_out : &r->is_live_in) = true;
        }
}

/* -- sums -- */

static const PtxOperand *operand_at(const Function *function, const PtxInsn *insn, unsigned k)
{
    return &function->operands[insn->first_operand + k];
}

static uint32_t register_at(const Function *function, const PtxInsn *insn, unsigned k)
{
    const PtxOperand *operand = operand_at(function, insn, k);
    return k < insn->operand_count && operand->kind == PTX_REGISTER ? operand->index : NO_INDEX;
}

/* What a round adds to a source; false: nothing that is known. */
static bool step_of(const Sorter *s, const PtxOperand *operand, uint64_t *step)
{
    *step = 0;
    if (operand->kind == PTX_INTEGER || operand->kind == PTX_SPECIAL || operand->kind == PTX_VARIABLE)
        return operand->kind == PTX_INTEGER;
    if (operand->kind != PTX_REGISTER || operand->negated || operand->minus)
        return false;
    const UnrollRegister *r = &s->registers[operand->index];
    *step = (uint64_t)r->step;
    return !r->is_written || r->kind == UNROLL_COUNTER || r->kind == UNROLL_LINEAR;
}

static bool is_row(const PtxInsn *insn, uint32_t narrow, uint32_t wide)
{
    return insn->row == narrow || insn->row == wide;
}

/* Modulo its size, each of these is exact. */
static bool linear_step(const Sorter *s, const PtxInsn *insn, uint64_t *step)
{
    const PtxOperand *a = operand_at(s->function, insn, 1), *b = operand_at(s->function, insn, 2);
    uint64_t of_a, of_b, of_c;
    if (is_row(insn, ROW_add_32, ROW_add_64) || is_row(insn, ROW_sub_32, ROW_sub_64)) {
        if (!step_of(s, a, &of_a) || !step_of(s, b, &of_b))
            return false;
        *step = is_row(insn, ROW_add_32, ROW_add_64) ? of_a + of_b : of_a - of_b;
        return true;
    }
    if (is_row(insn, ROW_mul_lo_32, ROW_mul_lo_64)) {
        *step = step_of(s, a, &of_a) ? of_a * (uint64_t)b->value : 0;
        return step_of(s, a, &of_a) && b->kind == PTX_INTEGER;
    }
    if (is_row(insn, ROW_shl_b32, ROW_shl_b64)) {
        const bool is_known =
            step_of(s, a, &of_a) && b->kind == PTX_INTEGER && b->value >= 0 && b->value < 32;
        *step = is_known ? of_a << b->value : 0;
        return is_known;
    }
    if (is_row(insn, ROW_mad_lo_32, ROW_mad_lo_64)) {
        const bool is_known = step_of(s, a, &of_a) && step_of(s, operand_at(s->function, insn, 3), &of_c) &&
                              b->kind == PTX_INTEGER;
        *step = is_known ? of_a * (uint64_t)b->value + of_c : 0;
        return is_known;
    }
    return false;
}

static int64_t sign_extended(uint64_t value, uint32_t bits)
{
    return bits == 32 ? (int32_t)(uint32_t)value : (int64_t)value;
}

static uint32_t bits_of(const PtxInsn *insn)
{
    switch (insn->row) {
    case ROW_add_64:
    case ROW_sub_64:
    case ROW_mul_lo_64:
    case ROW_shl_b64:
    case ROW_mad_lo_64:
        return 64;
    default:
        return 32;
    }
}

/* x = x + constant. */
static bool is_counter(const Sorter *s, uint32_t reg, int64_t *step)
{
    const UnrollRegister *r = &s->registers[reg];
    if (r->writes != 1)
        return false;
    const PtxInsn *insn = &s->function->insns[r->definition];
    const bool adds = is_row(insn, ROW_add_32, ROW_add_64), takes = is_row(insn, ROW_sub_32, ROW_sub_64);
    if ((!adds && !takes) || register_at(s->function, insn, 1) != reg ||
        operand_at(s->function, insn, 2)->kind != PTX_INTEGER)
        return false;
    const uint64_t value = (uint64_t)operand_at(s->function, insn, 2)->value;
    *step = sign_extended(adds ? value : -value, bits_of(insn));
    return true;
}

/* -- who needs what -- */

/* A narrow address may wrap around where the access is left out, so that of another round would differ. */
static bool takes_displacement(const UnrollLoop *loop, const UnrollRegister *r, bool is_conditional,
                               int64_t now)
{
    const uint64_t copies = loop->copies ? loop->copies : loop->rounds;
    if (r->step >= ADDRESS_LIMIT || r->step <= -ADDRESS_LIMIT || copies > ADDRESS_LIMIT)
        return false;
    const int64_t reach = r->step * (int64_t)(copies + 1);
    return reach < ADDRESS_LIMIT && reach > -ADDRESS_LIMIT && now < ADDRESS_LIMIT && now > -ADDRESS_LIMIT &&
           (r->bits == 64 || !is_conditional);
}

uint32_t unroll_base(const Function *function, const UnrollLoop *loop, const bool *conditional,
                     const UnrollRegister *registers, uint32_t i, const PtxOperand *operand)
{
    const Action action = isa_rows[function->insns[i].row].action;
    const bool accesses = action == ACTION_LOAD || action == ACTION_STORE || action == ACTION_ATOMIC;
    if (!accesses || operand->kind != PTX_ADDRESS || operand->count != 1)
        return NO_INDEX;
    const PtxOperand *base = &function->operands[operand->first];
    if (base->kind != PTX_REGISTER)
        return NO_INDEX;
    const UnrollRegister *r = &registers[base->index];
    const bool moves = r->kind == UNROLL_COUNTER || r->kind == UNROLL_LINEAR;
    return moves && takes_displacement(loop, r, conditional[i - loop->start], operand->value) ? base->index
                                                                                              : NO_INDEX;
}

static void need_value(const Sorter *s, uint32_t reg)
{
    UnrollRegister *r = &s->registers[reg];
    if (r->kind == UNROLL_COUNTER)
        r->needs_value[s->insn > r->definition] = true;
    else
        r->needs_value[0] = true;
}

static void see_operand(const Sorter *s, const PtxOperand *operand)
{
    if (unroll_base(s->function, s->loop, s->conditional, s->registers, s->insn, operand) != NO_INDEX)
        return;
    if (operand->kind == PTX_REGISTER)
        need_value(s, operand->index);
    else if (operand->kind >= PTX_ADDRESS && operand->kind != PTX_SINK)
        for (uint32_t k = 0; k < operand->count; k++)
            see_operand(s, &s->function->operands[operand->first + k]);
}

/* Linear values are computed in the first copy only. */
static void see_linear(const Sorter *s, const PtxInsn *insn)
{
    for (uint32_t k = 1; k < insn->operand_count; k++) {
        const uint32_t reg = register_at(s->function, insn, k);
        UnrollRegister *r = reg == NO_INDEX ? NULL : &s->registers[reg];
        if (r && r->kind == UNROLL_COUNTER && s->insn > r->definition)
            r->needs_first_after = true;
    }
}

bool unroll_is_folded(const Function *function, const PtxInsn *insn, const UnrollRegister *registers)
{
    const uint32_t to = insn->operand_count ? register_at(function, insn, 0) : NO_INDEX;
    if (to == NO_INDEX || isa_rows[insn->row].action != ACTION_LANE)
        return false;
    return registers[to].is_written &&
           (registers[to].kind == UNROLL_COUNTER || registers[to].kind == UNROLL_LINEAR);
}

static void find_needs(Sorter *s)
{
    for (s->insn = s->loop->start; s->insn < s->loop->branch; s->insn++) {
        const PtxInsn *insn = &s->function->insns[s->insn];
        if (s->insn == s->loop->test)
            continue;
        if (unroll_is_folded(s->function, insn, s->registers)) {
            if (s->registers[register_at(s->function, insn, 0)].kind == UNROLL_LINEAR)
                see_linear(s, insn);
            continue;
        }
        for (uint32_t k = 0; k < insn->operand_count; k++)
            see_operand(s, operand_at(s->function, insn, k));
    }
}

/* -- all registers -- */

static void sort_register(const Sorter *s, uint32_t reg)
{
    UnrollRegister *r = &s->registers[reg];
    if (!r->is_written)
        r->kind = UNROLL_FIXED;
    else if (is_counter(s, reg, &r->step))
        r->kind = UNROLL_COUNTER;
    else if (!r->is_live_in)
        r->kind = UNROLL_PRIVATE;
    else
        r->kind = r->writes == 1 ? UNROLL_CARRIED : UNROLL_FIXED;
    r->bits = type_bits(s->function->registers[reg].type);
}

/* In the order of the text, so that what a value follows from is known before it. */
static void find_linear(const Sorter *s)
{
    for (uint32_t i = s->loop->start; i < s->loop->branch; i++) {
        const PtxInsn *insn = &s->function->insns[i];
        if (isa_rows[insn->row].action != ACTION_LANE || !insn->operand_count || insn->is_absorbed)
            continue;
        const uint32_t to = register_at(s->function, insn, 0);
        UnrollRegister *r = to == NO_INDEX ? NULL : &s->registers[to];
        uint64_t step;
        if (!r || r->kind != UNROLL_PRIVATE || r->writes != 1 || r->is_live_out ||
            !linear_step(s, insn, &step))
            continue;
        r->kind = UNROLL_LINEAR;
        r->step = sign_extended(step, bits_of(insn));
    }
}

void unroll_sort_registers(const Function *function, const FlowLive *live, const UnrollLoop *loop,
                           const bool *conditional, UnrollRegister *registers)
{
    Sorter s = {function, loop, conditional, registers, 0};
    memset(registers, 0, function->register_count * sizeof *registers);
    for (s.insn = loop->start; s.insn < loop->branch; s.insn++)
        flow_visit_registers(function, &function->insns[s.insn], see_access, &s);
    mark_live(live, live->graph->block_of[loop->start], registers, false);
    if (loop->branch + 1 < function->insn_count)
        mark_live(live, live->graph->block_of[loop->branch + 1], registers, true);
    for (uint32_t r = 0; r < function->register_count; r++)
        sort_register(&s, r);
    find_linear(&s);
    find_needs(&s);
}

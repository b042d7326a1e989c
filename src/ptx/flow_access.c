/* What an instruction reads and writes, from the letters of its row. All analyses ask here, so a new row
 * needs no code of its own in any of them. */
#include "ptx/flow.h"

typedef struct Visitor {
    const Function *function;
    FlowVisit *visit;
    void *context;
    bool is_guarded;
} Visitor;

static void visit_read(const Visitor *v, const PtxOperand *operand)
{
    if (operand->kind == PTX_REGISTER) {
        v->visit(v->context, operand->index, false, true);
        return;
    }
    if (operand->kind < PTX_ADDRESS || operand->kind == PTX_SINK)
        return;
    for (uint32_t k = 0; k < operand->count; k++)
        visit_read(v, &v->function->operands[operand->first + k]);
}

/* An address names memory that is written, and registers that are read. */
static void visit_write(const Visitor *v, const PtxOperand *operand)
{
    if (operand->kind == PTX_REGISTER) {
        /* Under a guard some lanes keep the old value, so the write is not definite. */
        v->visit(v->context, operand->index, true, !v->is_guarded);
        return;
    }
    if (operand->kind == PTX_ADDRESS) {
        visit_read(v, operand);
        return;
    }
    if (operand->kind < PTX_ADDRESS || operand->kind == PTX_SINK)
        return;
    for (uint32_t k = 0; k < operand->count; k++)
        visit_write(v, &v->function->operands[operand->first + k]);
}

/* call (results), target, (arguments), prototype: a list before the target is written, all else read. */
static void visit_call(const Visitor *v, const PtxOperand *operands, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (k == 0 && operands[k].kind == PTX_LIST)
            visit_write(v, &operands[k]);
        else
            visit_read(v, &operands[k]);
}

/* Nothing is known of it: every register may be read and may be written. */
static void visit_unknown(const Visitor *v, const PtxOperand *operands, uint32_t count)
{
    Visitor maybe = *v;
    maybe.is_guarded = true;
    for (uint32_t k = 0; k < count; k++) {
        visit_read(v, &operands[k]);
        visit_write(&maybe, &operands[k]);
    }
}

static unsigned required_letters(const char *letters)
{
    unsigned count = 0;
    for (; *letters; letters++)
        count += *letters != '?' && *letters != '*' && letters[1] != '?';
    return count;
}

/* Can the operand stand where the row has this letter? Enough to tell which optional one is left out. */
static bool letter_takes(char letter, const PtxOperand *operand)
{
    switch (letter) {
    case 'D':
    case 'P':
    case 'V':
        return operand->kind == PTX_REGISTER || operand->kind == PTX_VECTOR || operand->kind == PTX_PAIR ||
               operand->kind == PTX_SINK;
    case 'm': return operand->kind == PTX_ADDRESS;
    default: return operand->kind != PTX_ADDRESS;
    }
}

static void visit_row(const Visitor *v, const char *letters, const PtxOperand *operands, uint32_t count)
{
    uint32_t k = 0;
    while (k < count) {
        char letter = *letters;
        bool is_optional = letter && letters[1] == '?';
        /* An optional operand is there only if more are left than the row needs behind it. */
        bool is_spare = is_optional && count - k > required_letters(letters + 2);
        if (is_optional && !(is_spare && letter_takes(letter, &operands[k]))) {
            letters += 2;
            continue;
        }
        if (letter == 'D' || letter == 'P' || letter == 'V')
            visit_write(v, &operands[k]);
        else
            visit_read(v, &operands[k]);
        if (letter && letter != '*')
            letters += is_optional ? 2 : 1;
        k++;
    }
}

void flow_visit_registers(const Function *function, const PtxInsn *insn, FlowVisit *visit, void *context)
{
    const PtxOperand *operands = &function->operands[insn->first_operand];
    Visitor v = {function, visit, context, insn->guard != NO_INDEX};
    if (insn->guard != NO_INDEX)
        visit(context, insn->guard, false, true);
    if (insn->row == ROW_UNKNOWN)
        visit_unknown(&v, operands, insn->operand_count);
    else if (isa_rows[insn->row].action == ACTION_CALL)
        visit_call(&v, operands, insn->operand_count);
    else
        visit_row(&v, isa_rows[insn->row].operands, operands, insn->operand_count);
}

typedef struct Reading {
    uint32_t reg;
    bool reads;
} Reading;

static void see_read(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_definite;
    Reading *reading = context;
    reading->reads |= !is_write && reg == reading->reg;
}

bool flow_reads(const Function *function, const PtxInsn *insn, uint32_t reg)
{
    Reading reading = {reg, false};
    flow_visit_registers(function, insn, see_read, &reading);
    return reading.reads;
}

/* Checking one instruction, shared by the files check*.c.
 *
 * check.c asks whether there are as many operands as the row wants, of the right kinds; check_type.c whether
 * their types fit the instruction's; check_vector.c whether vectors have as many elements as they must;
 * check_address.c whether what is in brackets can be an address of the instruction's space; check_value.c
 * what constants may be; check_suffix.c which suffixes go together. All follow what NVIDIA's assembler does,
 * so that PTX that passes here passes there. */
#ifndef PTX_CHECK_H
#define PTX_CHECK_H

#include "ptx/parser.h"

/* What an instruction's first operand may be besides a register. */
enum { RESULT_DISCARD = 1, RESULT_PAIR = 2, RESULT_PAIR_NEEDED = 4 };

/* Types of operands, one letter each:
 *   t  the instruction's first type          T  the same, or wider
 *   u  its last type                         U  the same, or wider
 *   w  twice the first type                  r  the first type, in a register
 *   i  a 32-bit integer                      j  a 64-bit integer
 *   a  an integer of 32 or 64 bits           x  an f32                 b  any 32 bits
 *   c  an integer constant                   .  not looked at here
 * A rule is for instructions with that many types (ANY_TYPES: any) and, if it names one, that suffix; the
 * first that fits counts. */
typedef struct OperandRule {
    const char *mnemonics;
    unsigned types;
    Mod suffix;
    const char *letters;
    unsigned results; /* RESULT_* */
} OperandRule;

/* The instruction being checked. */
typedef struct Check {
    Parser *parser;
    const PtxInsn *insn;
    const Opcode *opcode;
    const IsaRow *row;
    const PtxOperand *operands;
    const Place *places;   /* of the operands */
} Check;

static inline const PtxOperand *check_elements(const Check *check, const PtxOperand *operand)
{
    return check->parser->operands.items + operand->first;
}
bool check_has(const Check *check, Mod mod);
bool check_is_predicate(const Check *check, const PtxOperand *operand);
const char *check_kind_name(const PtxOperand *operand);

void check_types(const Check *check);
void check_vectors(const Check *check);
void check_addresses(const Check *check);
void check_values(const Check *check);

#endif

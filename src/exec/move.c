/* mov with vectors: a register taken apart into elements, or put together from them; and .b128. */
#include <string.h>

#include "exec/handlers.h"

typedef struct Wide {
    uint64_t low, high;
} Wide;

/* The upper half of a 16-byte register follows its lower half, lane by lane. */
static Wide read_wide(Step *step, const Operand *operand, unsigned lane)
{
    Wide value = {step_value(step, operand, lane), 0};
    if (operand->kind == OPERAND_REGISTER && operand->bytes == 16)
        value.high = step_dest64(step, operand)[step->warp->width + lane];
    return value;
}

static void write_wide(Step *step, const Operand *operand, unsigned lane, Wide value)
{
    step_write(step, operand, lane, value.low);
    if (operand->kind == OPERAND_REGISTER && operand->bytes == 16)
        step_dest64(step, operand)[step->warp->width + lane] = value.high;
}

static uint64_t cut(uint64_t value, unsigned bits)
{
    return bits >= 64 ? value : value & (((uint64_t)1 << bits) - 1);
}

static Wide packed(Step *step, const Operand *elements, unsigned count, unsigned bits, unsigned lane)
{
    Wide value = {0, 0};
    for (unsigned i = 0; i < count; i++) {
        uint64_t element = cut(step_value(step, &elements[i], lane), bits);
        /* An element never lies across the two halves: its bits divide 64. */
        if (i * bits < 64)
            value.low |= element << (i * bits);
        else
            value.high |= element << (i * bits - 64);
    }
    return value;
}

static void unpack(Step *step, Wide value, const Operand *elements, unsigned count, unsigned bits,
                   unsigned lane)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t half = i * bits < 64 ? value.low >> (i * bits) : value.high >> (i * bits - 64);
        step_write(step, &elements[i], lane, cut(half, bits));
    }
}

static unsigned total_bits(const Insn *insn)
{
    return insn->row == ROW_mov_b128  ? 128
           : insn->row == ROW_mov_b64 ? 64
           : insn->row == ROW_mov_b32 ? 32
                                      : 16;
}

StepResult exec_move(Step *step)
{
    const Operand *to = step_operand(step, 0), *from = step_operand(step, 1);
    unsigned to_count = step_operand_count(step, 0), from_count = step_operand_count(step, 1);
    unsigned bits = total_bits(step->insn);
    for (Mask lanes = step->mask; lanes; lanes &= lanes - 1) {
        unsigned lane = mask_first(lanes);
        /* All of it is read before anything is written: source and destination may share registers. */
        Wide value = from_count > 1 ? packed(step, from, from_count, bits / from_count, lane)
                                    : read_wide(step, from, lane);
        if (to_count > 1)
            unpack(step, value, to, to_count, bits / to_count, lane);
        else
            write_wide(step, to, lane, value);
    }
    return STEP_NEXT;
}

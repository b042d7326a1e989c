/* A short cut for what tiled kernels do most: all 32 lanes load a word each from shared memory by a 32-bit
 * address. It does both phases in one, and tells a timing model of the access afterwards. */
#include "exec/access.h"

/* Tells a timing model of a load from shared memory that has been done, by its lanes' words. */
static void report_words(Step *step, const uint32_t word[LANES])
{
    AccessLanes lanes;
    Access access;
    access_init(&access, &lanes, step, ACCESS_LOAD, 1, 0);
    const uint32_t stride = word[1] - word[0];
    uint32_t gaps = 0;
    for (unsigned i = 0; i < LANES; i++) {
        lanes.address[i] = (uint64_t)word[i] * 4;
        gaps |= word[i] ^ (word[0] + i * stride);
    }
    access.pattern = (uint8_t)(gaps || stride > 1 ? PATTERN_ANY
                               : stride           ? PATTERN_CONSECUTIVE
                                                  : PATTERN_UNIFORM);
    access_carry_out(step, &access, NULL);
}

/* False: some lane may not, and the general way says why; nothing has been written. */
static bool load_words(Step *step, const Operand *to, const Operand *base)
{
    const Launch *launch = step->warp->block->launch;
    const uint32_t *const from = (const uint32_t *)((const char *)step->frame->words + base->offset);
    uint32_t *const lanes = (uint32_t *)((char *)step->frame->words + to->offset);
    const uint32_t displacement = (uint32_t)step->insn->displacement, last = launch->shared_bytes - 4;
    uint32_t word[LANES], bad = launch->shared_bytes < 4;
    for (unsigned i = 0; i < LANES; i++) {
        const uint32_t address = from[i] + displacement;
        bad |= (address & 3) | (uint32_t)(address > last);
        word[i] = address / 4;
    }
    if (bad)
        return false;
    const uint32_t *const shared = (const uint32_t *)step->warp->block->shared;
    for (unsigned i = 0; i < LANES; i++)
        lanes[i] = shared[word[i]];
    launch->machine->statistics.shared_accesses++;
    if (access_is_timed(step))
        report_words(step, word);
    return true;
}

bool access_load_words(Step *step)
{
    const Insn *insn = step->insn;
    const Operand *to = &insn->op[0], *base = &insn->op[1];
    return insn->element_bytes == 4 && insn->vector == 1 && step->mask == UINT32_MAX &&
           step->warp->width == LANES && to->kind == OPERAND_REGISTER && to->bytes == 4 &&
           base->kind == OPERAND_REGISTER && base->bytes == 4 && load_words(step, to, base);
}

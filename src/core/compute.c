/* What instructions compute. Lane functions work on 32 lanes; a core uses the first of them and looks at no
 * other. */
#include <string.h>

#include "core/code.h"

static uint64_t cut(uint64_t value, unsigned bits)
{
    return bits >= 64 ? value : value & (((uint64_t)1 << bits) - 1);
}

/* A result of `made` bytes in a register of `bytes`: extended by the sign of its type, or cut. */
static uint64_t fit(const Insn *insn, uint64_t result, unsigned bytes)
{
    const unsigned made = insn->bytes[0];
    if (made == 4 && bytes == 8)
        return insn->sign_extend ? (uint64_t)(int64_t)(int32_t)result : (uint32_t)result;
    return cut(result, 8 * bytes);
}

static void compute_lane(const CoreInsn *insn, CoreLanes *lanes, const uint64_t *in, uint64_t *out)
{
    static const uint32_t every = UINT32_MAX; /* a predicate that is not given is true */
    uint32_t predicate[CORE_SOURCES];
    const unsigned count = insn->source_count - (unsigned)insn->has_carry;
    LaneFrame frame = {.d = lanes->result, .src = {&every, &every, &every, &every}, .mods = insn->insn->mods};
    for (unsigned k = 0; k < count && k < 4; k++) {
        if (insn->predicates >> k & 1) {
            predicate[k] = in[k] ? UINT32_MAX : 0;
            frame.src[k] = &predicate[k];
        } else {
            lanes->source[k][0] = in[k];
            frame.src[k] = lanes->source[k];
        }
    }
    if (count > 4)
        frame.p_in = in[4] ? UINT32_MAX : 0;
    if (insn->has_carry)
        frame.carry = (uint32_t)in[count];
    insn->insn->lane(&frame);
    for (unsigned k = 0; k < insn->destination_count; k++) {
        const CoreDestination *to = &insn->to[k];
        out[k] = to->part == CORE_RESULT             ? fit(insn->insn, lanes->result[0], to->bytes)
                 : to->part == CORE_FIRST_PREDICATE  ? frame.p & 1
                 : to->part == CORE_SECOND_PREDICATE ? frame.q & 1
                                                     : frame.carry & 1;
    }
}

static void compute_move(const CoreInsn *insn, const uint64_t *in, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned k = 0; k < insn->source_count; k++)
        value |= cut(in[k], insn->bits_in) << (k * insn->bits_in & 63);
    for (unsigned k = 0; k < insn->destination_count; k++) {
        const CoreDestination *to = &insn->to[k];
        out[k] = cut(cut(value >> (to->part * insn->bits_out & 63), insn->bits_out), 8 * to->bytes);
    }
}

void core_compute(const CoreInsn *insn, CoreLanes *lanes, const uint64_t *in, uint64_t *out)
{
    switch (insn->kind) {
    case CORE_LANE:
        compute_lane(insn, lanes, in, out);
        break;
    case CORE_MOVE:
        compute_move(insn, in, out);
        break;
    case CORE_ADD:
        out[0] = in[0] + (uint64_t)insn->displacement;
        break;
    default:
        break;
    }
}

void core_unpack(const CoreInsn *insn, const uint8_t *bytes, uint64_t *out)
{
    const unsigned size = insn->insn->element_bytes;
    const bool is_signed = insn->insn->sign_extend;
    for (unsigned k = 0; k < insn->destination_count; k++) {
        const CoreDestination *to = &insn->to[k];
        uint64_t value = 0;
        memcpy(&value, bytes + to->part * size, size);
        if (is_signed && size < 8) {
            const unsigned up = 64 - 8 * size;
            value = (uint64_t)((int64_t)(value << up) >> up);
        }
        out[k] = cut(value, 8 * to->bytes);
    }
}

void core_pack(const CoreInsn *insn, const uint64_t *in, uint8_t *bytes)
{
    const unsigned size = insn->insn->element_bytes;
    for (unsigned k = 1; k < insn->source_count; k++)
        memcpy(bytes + (k - 1) * size, &in[k], size);
}

/* Atomics and reductions: lanes one after the other in ascending order, each reading what the ones
 * before it left. The elements of a vector are atomic one by one, as PTX has it; since every vector is
 * aligned to its size they never overlap, and are done element by element. */
#include <string.h>

#include "exec/access.h"
#include "exec/grid_sync.h"
#include "exec/handlers.h"
#include "isa/float_narrow.h"

enum { MAX_VECTOR = 8 };

/* f32 sums in global memory are made at the L2, which flushes subnormals; those in shared memory by the
 * SM, which keeps them. */
static uint32_t add_f32(uint32_t old, uint32_t b, bool at_l2)
{
    const f32 sum = flush32(float32(old), at_l2) + flush32(float32(b), at_l2);
    return bits32(finish32(sum, at_l2, false));
}

/* f64 sums: the L2 keeps a NaN as it is, the operand's before the one in memory; for shared memory the SM
 * adds with the sum in memory as its second operand. */
static uint64_t add_f64(uint64_t old, uint64_t b, bool at_l2)
{
    const f64 x = float64(old), y = float64(b);
    const uint64_t kept = is_nan64(y) ? b : old;
    const bool keeps = at_l2 && (is_nan64(x) || is_nan64(y));
    return keeps ? kept : bits64(propagate64(y + x, y, x, x));
}

/* One f16 or bf16. Sums are rounded once, to nearest even; subnormals stay. */
static uint32_t combine_half(AtomicOp op, Type type, h16 a, h16 b)
{
    const bool is_f16 = type == TYPE_f16 || type == TYPE_f16x2;
    const f32 x = is_f16 ? f16_to_f32(a) : bf16_to_f32(a);
    const f32 y = is_f16 ? f16_to_f32(b) : bf16_to_f32(b);
    const f64 result = op == ATOMIC_ADD ? add_odd(x, y) : op == ATOMIC_MIN ? min32(x, y) : max32(x, y);
    return narrow(result, is_f16 ? FORMAT_F16 : FORMAT_BF16, ROUND_NEAREST, false);
}

static uint64_t combine_float(AtomicOp op, Type type, uint64_t old, uint64_t b, bool at_l2)
{
    switch ((int)type) {
    case TYPE_f32:
        return add_f32((uint32_t)old, (uint32_t)b, at_l2);
    case TYPE_f64:
        return add_f64(old, b, at_l2);
    case TYPE_f16:
    case TYPE_bf16:
        return combine_half(op, type, (h16)old, (h16)b);
    default:
        return combine_half(op, type, (h16)old, (h16)b) |
               combine_half(op, type, (h16)(old >> 16), (h16)(b >> 16)) << 16;
    }
}

static bool is_less(Type type, uint64_t a, uint64_t b)
{
    switch ((int)type) {
    case TYPE_s32:
        return (int32_t)a < (int32_t)b;
    case TYPE_s64:
        return (int64_t)a < (int64_t)b;
    default:
        return a < b;
    }
}

/* What stays in memory, of anything but floating-point sums, minima and maxima. Values are zero-extended
 * from the element's size; the result is cut to it. */
static uint64_t combine_bits(AtomicOp op, Type type, uint64_t old, uint64_t b, uint64_t c)
{
    switch (op) {
    case ATOMIC_ADD:
        return old + b;
    case ATOMIC_MIN:
        return is_less(type, b, old) ? b : old;
    case ATOMIC_MAX:
        return is_less(type, old, b) ? b : old;
    case ATOMIC_INC:
        /* PTX: inc wraps to 0 at b, dec wraps to b at 0 or above b. */
        return old >= b ? 0 : old + 1;
    case ATOMIC_DEC:
        return old == 0 || old > b ? b : old - 1;
    case ATOMIC_AND:
        return old & b;
    case ATOMIC_OR:
        return old | b;
    case ATOMIC_XOR:
        return old ^ b;
    case ATOMIC_EXCH:
        return b;
    case ATOMIC_CAS:
        return old == b ? c : old;
    default:
        return old;
    }
}

static AtomicOp operation_of(uint32_t aux) { return (AtomicOp)(aux >> AUX_OP_SHIFT & AUX_OP_MASK); }

static inline uint64_t combine(uint32_t aux, uint64_t old, uint64_t b, uint64_t c, bool at_l2)
{
    const Type type = (Type)(aux & AUX_TYPE_MASK);
    return aux & AUX_FLOAT ? combine_float(operation_of(aux), type, old, b, at_l2)
                           : combine_bits(operation_of(aux), type, old, b, c);
}

/* All lanes of a source, cut to the element and zero-extended. */
static void read_values(Step *step, const Operand *operand, unsigned bytes, uint64_t *values)
{
    const unsigned width = step->warp->width;
    const uint64_t keep = bytes >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << (bytes * 8)) - 1;
    if (bytes >= 8 || (operand->kind == OPERAND_REGISTER && operand->bytes >= 8)) {
        const uint64_t *lanes = step_read64(step, operand, 1);
        for (unsigned lane = 0; lane < width; lane++)
            values[lane] = lanes[lane] & keep;
    } else {
        const uint32_t *lanes = step_read32(step, operand, 1);
        for (unsigned lane = 0; lane < width; lane++)
            values[lane] = lanes[lane] & keep;
    }
}

/* One element of all lanes; old[] takes what was there. `bytes` is a constant wherever this is inlined,
 * so that the copies are single moves. The host is little-endian, as the device is. */
static inline __attribute__((always_inline)) void combine_sized(const Step *step, const Access *access,
                                                                unsigned offset, unsigned bytes,
                                                                const uint64_t *b, const uint64_t *c,
                                                                uint64_t *old)
{
    const uint32_t aux = step->insn->aux;
    for (Mask rest = access->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        uint8_t *place = access->place[lane] + offset;
        uint64_t value = 0;
        memcpy(&value, place, bytes);
        /* Lane after lane: a lane of the same address sees what the one before it left. */
        old[lane] = value;
        value = combine(aux, value, b[lane], c[lane], access_space(access, lane) == SPACE_GLOBAL);
        memcpy(place, &value, bytes);
    }
}

static void combine_lanes(Step *step, const Access *access, const Operand *b, const Operand *c,
                          unsigned offset, uint64_t *old)
{
    uint64_t second[MAX_WIDTH], third[MAX_WIDTH];
    const uint64_t *swap = second;
    read_values(step, b, access->element_bytes, second);
    if (operation_of(step->insn->aux) == ATOMIC_CAS) {
        read_values(step, c, access->element_bytes, third);
        swap = third;
    }
    switch (access->element_bytes) {
    case 2:
        combine_sized(step, access, offset, 2, second, swap, old);
        break;
    case 4:
        combine_sized(step, access, offset, 4, second, swap, old);
        break;
    default:
        combine_sized(step, access, offset, 8, second, swap, old);
        break;
    }
}

/* Into the executing lanes of a register. */
static void write_old(Step *step, const Operand *to, const uint64_t *old, Mask mask)
{
    if (to->kind != OPERAND_REGISTER)
        return;
    uint32_t *narrow = step_dest32(step, to);
    uint64_t *wide = step_dest64(step, to);
    for (; mask; mask &= mask - 1) {
        const unsigned lane = mask_first(mask);
        if (to->bytes == 4)
            narrow[lane] = (uint32_t)old[lane];
        else
            wide[lane] = old[lane];
    }
}

/* exch and cas of 16 bytes; the registers are lanes of low words, then lanes of high words. */
static void exchange_wide(Step *step, const Access *access, const Operand *to, const Operand *b,
                          const Operand *c)
{
    const unsigned width = step->warp->width;
    const bool compares = operation_of(step->insn->aux) == ATOMIC_CAS;
    const uint64_t *second = step_read64(step, b, 1), *third = compares ? step_read64(step, c, 2) : second;
    uint64_t *d = to->kind == OPERAND_REGISTER ? step_dest64(step, to) : NULL;
    for (Mask rest = access->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        const uint64_t wanted[2] = {second[lane], second[lane + width]};
        const uint64_t next[2] = {third[lane], third[lane + width]};
        uint64_t old[2];
        memcpy(old, access->place[lane], sizeof old);
        if (!compares || !memcmp(old, wanted, sizeof old))
            memcpy(access->place[lane], next, sizeof next);
        if (d) {
            d[lane] = old[0];
            d[lane + width] = old[1];
        }
    }
}

static bool returns_old(const Step *step) { return isa_rows[step->insn->row].operands[0] == 'D'; }

/* What a compare-and-swap puts in; any other operation does not look at it. */
static const Operand *third_operand(const Step *step, const Access *access)
{
    return step->insn->operand_count > 3 ? step_operand(step, 3) : access->values;
}

void atomic_perform(Step *step, Access *access)
{
    const bool returns = returns_old(step);
    const Operand *to = step_operand(step, 0), *c = third_operand(step, access);
    if (access->element_bytes == 16) {
        exchange_wide(step, access, to, access->values, c);
        return;
    }
    uint64_t old[MAX_VECTOR][MAX_WIDTH];
    for (unsigned i = 0; i < access->vector; i++)
        combine_lanes(step, access, &access->values[i], c, i * access->element_bytes, old[i]);
    for (unsigned i = 0; returns && i < access->vector; i++)
        write_old(step, &to[i], old[i], access->mask);
}

bool atomic_returns(const Step *step)
{
    const uint32_t aux = step->insn->aux;
    /* A result that nobody reads need not come back, unless the atomic also acquires: then the answer is the
     * signal. */
    if (!returns_old(step) || ((aux & AUX_UNUSED) && !(aux & AUX_ACQUIRE)))
        return false;
    for (unsigned i = 0; i < step_operand_count(step, 0); i++)
        if (step_operand(step, 0)[i].kind == OPERAND_REGISTER)
            return true;
    return false;
}

bool atomic_changes(Step *step, const Access *access)
{
    const unsigned bytes = access->element_bytes;
    uint64_t b[MAX_WIDTH], c[MAX_WIDTH];
    /* Only asked by the watchdog, which may take a change for granted. */
    if (bytes > 8)
        return true;
    for (unsigned i = 0; i < access->vector; i++) {
        read_values(step, &access->values[i], bytes, b);
        read_values(step, third_operand(step, access), bytes, c);
        for (Mask rest = access->mask; rest; rest &= rest - 1) {
            const unsigned lane = mask_first(rest);
            uint64_t old = 0;
            memcpy(&old, access->place[lane] + i * bytes, bytes);
            const uint64_t value = combine(step->insn->aux, old, b[lane], c[lane], true);
            if (memcmp(&value, &old, bytes) != 0)
                return true;
        }
    }
    return false;
}

/* One lane of an operand, its second 8 bytes if `half`; nothing is spread over lanes that nobody asks for. */
static uint64_t operand_value(Step *step, const Operand *operand, unsigned lane, bool half)
{
    if (operand->kind == OPERAND_REGISTER && half)
        return step_dest64(step, operand)[lane + step->warp->width];
    return half ? 0 : step_value(step, operand, lane);
}

static AtomicLane work_lane(Step *step, const Access *access, unsigned lane, unsigned element, uint64_t keep)
{
    const Operand *b = &access->values[element], *c = third_operand(step, access);
    AtomicLane work = {.lane = (uint8_t)lane,
                       .offset =
                           (uint8_t)(access->address[lane] % LINE_BYTES + element * access->element_bytes),
                       .element = (uint8_t)element};
    work.b[0] = operand_value(step, b, lane, false) & keep;
    if (operation_of(step->insn->aux) == ATOMIC_CAS)
        work.c[0] = operand_value(step, c, lane, false) & keep;
    if (access->element_bytes == 16) {
        work.b[1] = operand_value(step, b, lane, true);
        work.c[1] = operand_value(step, c, lane, true);
    }
    return work;
}

static bool is_one_operand(const AtomicWork *work)
{
    bool is_one = work->count == 1 || work->combines || !work->returns;
    for (uint32_t i = 1; i < work->count; i++)
        is_one &= work->lanes[i].offset == work->lanes[0].offset;
    return is_one;
}

void atomic_work_fill(Step *step, const Access *access, Mask lanes, AtomicWork *work)
{
    const unsigned bytes = access->element_bytes;
    const uint64_t keep = bytes >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << (bytes * 8)) - 1;
    work->operation = step->insn->aux;
    work->element_bytes = (uint8_t)bytes;
    work->returns = atomic_returns(step);
    work->is_float = (step->insn->aux & AUX_FLOAT) != 0;
    work->combines = operation_of(step->insn->aux) == ATOMIC_ADD;
    work->compares = operation_of(step->insn->aux) == ATOMIC_CAS;
    work->count = 0;
    for (; lanes; lanes &= lanes - 1)
        for (unsigned element = 0; element < access->vector; element++)
            work->lanes[work->count++] = work_lane(step, access, mask_first(lanes), element, keep);
    work->operand_bytes = is_one_operand(work) ? (uint8_t)(bytes << work->compares) : 0;
}

static void work_wide(AtomicWork *work, AtomicLane *lane, uint8_t *place)
{
    const bool compares = operation_of(work->operation) == ATOMIC_CAS;
    memcpy(lane->old, place, sizeof lane->old);
    if (!compares)
        memcpy(place, lane->b, sizeof lane->b);
    else if (!memcmp(lane->old, lane->b, sizeof lane->b))
        memcpy(place, lane->c, sizeof lane->c);
}

void atomic_work_perform(AtomicWork *work, uint8_t *place)
{
    const unsigned bytes = work->element_bytes;
    for (uint32_t i = 0; i < work->count; i++) {
        AtomicLane *lane = &work->lanes[i];
        uint8_t *at = place + lane->offset;
        if (bytes == 16) {
            work_wide(work, lane, at);
            continue;
        }
        uint64_t value = 0;
        memcpy(&value, at, bytes);
        lane->old[0] = value;
        value = combine(work->operation, value, lane->b[0], lane->c[0], true);
        memcpy(at, &value, bytes);
    }
}

void atomic_work_deliver(Step *step, const AtomicWork *work)
{
    for (uint32_t i = 0; i < work->count; i++) {
        const AtomicLane *lane = &work->lanes[i];
        const Operand *to = &step_operand(step, 0)[lane->element];
        step_write(step, to, lane->lane, lane->old[0]);
        if (work->element_bytes == 16 && to->kind == OPERAND_REGISTER)
            step_dest64(step, to)[lane->lane + step->warp->width] = lane->old[1];
    }
}

StepResult exec_atomic(Step *step)
{
    AccessLanes lanes;
    Access access;
    if (!step->mask)
        return STEP_NEXT;
    const unsigned memory = returns_old(step) ? 1 : 0;
    access_init(&access, &lanes, step, ACCESS_ATOMIC, memory, memory + 1);
    if (access_prepare(step, &access) == STEP_ERROR)
        return STEP_ERROR;
    const StepResult result = access_carry_out(step, &access, atomic_perform);
    if (step->warp->block->launch->sync_words && result == STEP_NEXT)
        grid_sync_accessed(step, &access);
    return result;
}

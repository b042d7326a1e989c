/* mbarrier objects in shared memory. Waiting is polling: test_wait and try_wait answer at once, and a
 * program that has to wait asks again, while fairness among warps lets the others arrive. */
#include "exec/mbarrier.h"

#include <string.h>

#include "exec/access.h"
#include "exec/handlers.h"

#define VALID (UINT64_C(2) << 62)
enum { PHASE_SHIFT = 61, BYTES_SHIFT = 40, EXPECTED_SHIFT = 20 };

/* The object taken apart. */
typedef struct Fields {
    uint32_t phase;
    int32_t bytes;
    uint32_t expected, missing;
} Fields;

static Fields unpack(uint64_t object)
{
    return (Fields){.phase = (uint32_t)(object >> PHASE_SHIFT & 1),
                    /* The count of bytes may be negative: data can come before they are expected. The shifts
                     * spread its sign. */
                    .bytes = (int32_t)((int64_t)(object << 3) >> (BYTES_SHIFT + 3)),
                    .expected = (uint32_t)(object >> EXPECTED_SHIFT & MBARRIER_MAX),
                    .missing = (uint32_t)(object & MBARRIER_MAX)};
}

/* Ends the phase if nothing is missing any more. */
static uint64_t pack(Fields f)
{
    /* Bytes under way hold a phase open though all threads have arrived. */
    if (f.missing == 0 && f.bytes == 0) {
        f.phase ^= 1;
        f.missing = f.expected;
    }
    return VALID | (uint64_t)f.phase << PHASE_SHIFT | ((uint64_t)f.bytes & 0x1FFFFF) << BYTES_SHIFT |
           (uint64_t)f.expected << EXPECTED_SHIFT | f.missing;
}

MbarrierFault mbarrier_check(uint64_t object)
{
    return object >> 62 == VALID >> 62 ? NULL
                                       : "this is no mbarrier object; initialize it with mbarrier.init first";
}

MbarrierFault mbarrier_init(uint64_t *object, uint64_t count)
{
    if (count == 0 || count > MBARRIER_MAX)
        return "the expected count of an mbarrier must be between 1 and 1048575";
    *object = pack((Fields){.expected = (uint32_t)count, .missing = (uint32_t)count});
    return NULL;
}

MbarrierFault mbarrier_arrive(uint64_t *object, uint64_t count, bool drop, bool keeps_phase)
{
    Fields f = unpack(*object);
    if (mbarrier_check(*object))
        return mbarrier_check(*object);
    if (count == 0 || count > f.missing || (drop && count > f.expected))
        return "the count of this arrival is 0 or more than the current phase still expects";
    if (keeps_phase && count == f.missing)
        return "an arrival with .noComplete completes the current phase";
    f.missing -= (uint32_t)count;
    f.expected -= drop ? (uint32_t)count : 0;
    *object = pack(f);
    return NULL;
}

MbarrierFault mbarrier_raise(uint64_t *object)
{
    Fields f = unpack(*object);
    if (mbarrier_check(*object))
        return mbarrier_check(*object);
    if (f.missing == MBARRIER_MAX)
        return "the arrivals that the mbarrier expects go past 1048575";
    f.missing++;
    *object = pack(f);
    return NULL;
}

static MbarrierFault change_bytes(uint64_t *object, int64_t change)
{
    Fields f = unpack(*object);
    if (mbarrier_check(*object))
        return mbarrier_check(*object);
    if (f.bytes + change > MBARRIER_MAX || f.bytes + change < -MBARRIER_MAX)
        return "the bytes that the mbarrier expects go past 1048575";
    f.bytes = (int32_t)(f.bytes + change);
    *object = pack(f);
    return NULL;
}

MbarrierFault mbarrier_expect(uint64_t *object, uint64_t bytes)
{
    return change_bytes(object, (int64_t)bytes);
}
MbarrierFault mbarrier_complete(uint64_t *object, uint64_t bytes)
{
    return change_bytes(object, -(int64_t)bytes);
}
uint32_t mbarrier_pending(uint64_t token) { return unpack(token).missing; }
unsigned mbarrier_parity(uint64_t object) { return unpack(object).phase; }

/* Operand k of a lane as a count or number of bytes, `otherwise` if it was left out. */
static uint64_t count_of(Step *step, unsigned k, unsigned lane, uint64_t otherwise)
{
    return k < step->insn->operand_count ? (uint32_t)step_value(step, step_operand(step, k), lane)
                                         : otherwise;
}

static MbarrierFault arrive_expecting(Step *step, unsigned lane, uint64_t *object, bool drop)
{
    /* Bytes first: the arrival may end the phase, which these must hold open. */
    MbarrierFault fault = mbarrier_expect(object, count_of(step, 2, lane, 0));
    return fault ? fault : mbarrier_arrive(object, 1, drop, false);
}

/* Waits: the third operand is a token, or a parity in its low bit. */
static MbarrierFault test(Step *step, unsigned lane, uint64_t object, bool by_parity)
{
    const uint64_t asked = step_value(step, step_operand(step, 2), lane);
    const unsigned parity = by_parity ? (unsigned)(asked & 1) : mbarrier_parity(asked);
    step_write(step, step_operand(step, 0), lane, mbarrier_parity(object) != parity);
    return mbarrier_check(object);
}

static MbarrierFault operate(Step *step, unsigned lane, uint64_t *object)
{
    switch (step->insn->row) {
    case ROW_mbarrier_init:
        return mbarrier_init(object, count_of(step, 1, lane, 0));
    case ROW_mbarrier_inval:
        *object = 0;
        return NULL;
    case ROW_mbarrier_expect_tx:
        return mbarrier_expect(object, count_of(step, 1, lane, 0));
    case ROW_mbarrier_complete_tx:
        return mbarrier_complete(object, count_of(step, 1, lane, 0));
    case ROW_mbarrier_arrive:
        return mbarrier_arrive(object, count_of(step, 2, lane, 1), false, false);
    case ROW_mbarrier_arrive_part:
        return mbarrier_arrive(object, count_of(step, 2, lane, 1), false, true);
    case ROW_mbarrier_arrive_expect:
        return arrive_expecting(step, lane, object, false);
    case ROW_mbarrier_drop:
        return mbarrier_arrive(object, count_of(step, 2, lane, 1), true, false);
    case ROW_mbarrier_drop_part:
        return mbarrier_arrive(object, count_of(step, 2, lane, 1), true, true);
    case ROW_mbarrier_drop_expect:
        return arrive_expecting(step, lane, object, true);
    case ROW_mbarrier_test:
    case ROW_mbarrier_try:
        return test(step, lane, *object, false);
    default:
        return test(step, lane, *object, true);
    }
}

static StepResult count_pending(Step *step)
{
    for (Mask rest = step->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        step_write(step, step_operand(step, 0), lane,
                   mbarrier_pending(step_value(step, step_operand(step, 1), lane)));
    }
    return STEP_NEXT;
}

StepResult exec_mbarrier(Step *step)
{
    AccessLanes lanes;
    Access access;
    if (!step->mask)
        return STEP_NEXT;
    if (step->insn->row == ROW_mbarrier_pending)
        return count_pending(step);
    const char first = isa_rows[step->insn->row].operands[0];
    access_init_bytes(&access, &lanes, step, ACCESS_SYNC, (Space)step->insn->space, first == 'm' ? 0 : 1, 8,
                      8, step->mask);
    if (access_prepare(step, &access) == STEP_ERROR)
        return STEP_ERROR;
    for (Mask rest = step->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        uint64_t object;
        memcpy(&object, access.place[lane], sizeof object);
        /* PTX: the token is the state before the arrival, by which a later test knows the phase. */
        const uint64_t token = object;
        MbarrierFault fault = operate(step, lane, &object);
        if (access_space(&access, lane) != SPACE_SHARED)
            fault = MBARRIER_ELSEWHERE;
        if (fault)
            return step_error(step, WB_ERROR_EXECUTION, lane, "mbarrier at 0x%llx: %s",
                              (unsigned long long)access.address[lane], fault);
        memcpy(access.place[lane], &object, sizeof object);
        step->warp->block->launch->machine->changes += object != token;
        if (first == 'D')
            step_write(step, step_operand(step, 0), lane, token);
    }
    return STEP_NEXT;
}

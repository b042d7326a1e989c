/* Asynchronous copies. PTX lets a copy take effect any time between its issue and the wait for it; the
 * functional engine makes it at issue. So groups are complete when they are committed, waiting for them
 * is nothing, and the mbarrier of a bulk copy gets its bytes at once. */
#include <string.h>

#include "exec/access.h"
#include "exec/handlers.h"
#include "exec/mbarrier.h"

enum { BULK_ALIGNMENT = 16 };

/* How many bytes a lane of cp.async takes from its source; the rest of `size` is filled with zeros. */
static uint32_t source_bytes(Step *step, unsigned lane, uint32_t size)
{
    const unsigned hint = step->insn->aux & AUX_CACHE_HINT ? 1 : 0;
    if (step->insn->operand_count - hint <= 3)
        return size;
    const Operand *operand = step_operand(step, 3);
    const uint64_t value = step_value(step, operand, lane);
    if (operand->kind == OPERAND_PREDICATE)
        return value ? 0 : size;
    return value < size ? (uint32_t)value : size;
}

static void copy_lanes(const Access *to, const Access *from, uint32_t size)
{
    for (Mask rest = from->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        switch (size) {
        case 4:
            memcpy(to->place[lane], from->place[lane], 4);
            break;
        case 8:
            memcpy(to->place[lane], from->place[lane], 8);
            break;
        default:
            memcpy(to->place[lane], from->place[lane], 16);
            break;
        }
    }
}

/* A lane that takes only a part of its source touches only that part. */
static StepResult copy_part(Step *step, const Access *to, unsigned lane, uint32_t size, uint32_t bytes)
{
    Access from;
    memset(to->place[lane], 0, size);
    if (bytes == 0)
        return STEP_NEXT;
    access_init_bytes(&from, step, ACCESS_LOAD, SPACE_GLOBAL, 1, bytes, size, (Mask)1 << lane);
    if (access_prepare(step, &from) == STEP_ERROR)
        return STEP_ERROR;
    memcpy(to->place[lane], from.place[lane], bytes);
    return STEP_NEXT;
}

static StepResult copy(Step *step)
{
    const uint32_t size = (uint32_t)step_value(step, step_operand(step, 2), mask_first(step->mask));
    if (size != 4 && size != 8 && size != 16)
        return step_error(step, WB_ERROR_EXECUTION, mask_first(step->mask),
                          "cp.async copies 4, 8 or 16 bytes, not %u", size);
    Access to, from;
    access_init_bytes(&to, step, ACCESS_STORE, SPACE_SHARED, 0, size, size, step->mask);
    if (access_prepare(step, &to) == STEP_ERROR)
        return STEP_ERROR;
    Mask whole = 0;
    for (Mask rest = step->mask; rest; rest &= rest - 1)
        whole |= (Mask)(source_bytes(step, mask_first(rest), size) == size) << mask_first(rest);
    if (whole) {
        access_init_bytes(&from, step, ACCESS_LOAD, SPACE_GLOBAL, 1, size, size, whole);
        if (access_prepare(step, &from) == STEP_ERROR)
            return STEP_ERROR;
        copy_lanes(&to, &from, size);
    }
    for (Mask rest = step->mask & ~whole; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        if (copy_part(step, &to, lane, size, source_bytes(step, lane, size)) == STEP_ERROR)
            return STEP_ERROR;
    }
    return STEP_NEXT;
}

static StepResult barrier_fault(Step *step, const Access *barrier, unsigned lane, MbarrierFault fault)
{
    return step_error(step, WB_ERROR_EXECUTION, lane, "mbarrier at 0x%llx: %s",
                      (unsigned long long)barrier->address[lane], fault);
}

/* One arrival per lane once its copies are done, which they are. Without .noinc the arrival is expected
 * in addition to those that the phase expected before, so that the two cancel. */
static StepResult arrive(Step *step)
{
    Access barrier;
    access_init_bytes(&barrier, step, ACCESS_SYNC, (Space)step->insn->space, 0, 8, 8, step->mask);
    if (access_prepare(step, &barrier) == STEP_ERROR)
        return STEP_ERROR;
    for (Mask rest = step->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        uint64_t object;
        memcpy(&object, barrier.place[lane], sizeof object);
        MbarrierFault fault = mbarrier_check(object);
        if (!fault && step->insn->aux & AUX_NOINC)
            fault = mbarrier_arrive(&object, 1, false, false);
        if (fault)
            return barrier_fault(step, &barrier, lane, fault);
        memcpy(barrier.place[lane], &object, sizeof object);
    }
    return STEP_NEXT;
}

static StepResult complete(Step *step, unsigned lane, uint32_t size)
{
    Access barrier;
    uint64_t object;
    access_init_bytes(&barrier, step, ACCESS_SYNC, SPACE_SHARED, 3, 8, 8, (Mask)1 << lane);
    if (access_prepare(step, &barrier) == STEP_ERROR)
        return STEP_ERROR;
    memcpy(&object, barrier.place[lane], sizeof object);
    MbarrierFault fault = mbarrier_complete(&object, size);
    if (fault)
        return barrier_fault(step, &barrier, lane, fault);
    memcpy(barrier.place[lane], &object, sizeof object);
    return STEP_NEXT;
}

/* Every lane copies its own range. */
static StepResult copy_bulk(Step *step, Space to_space, Space from_space, bool has_barrier)
{
    for (Mask rest = step->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        const Mask one = (Mask)1 << lane;
        const uint32_t size = (uint32_t)step_value(step, step_operand(step, 2), lane);
        Access to, from;
        if (size % BULK_ALIGNMENT)
            return step_error(step, WB_ERROR_ADDRESS, lane,
                              "a bulk copy of %u bytes; the size must be a multiple of %d", size,
                              BULK_ALIGNMENT);
        access_init_bytes(&to, step, ACCESS_STORE, to_space, 0, size, BULK_ALIGNMENT, one);
        access_init_bytes(&from, step, ACCESS_LOAD, from_space, 1, size, BULK_ALIGNMENT, one);
        if (size && (access_prepare(step, &to) == STEP_ERROR || access_prepare(step, &from) == STEP_ERROR))
            return STEP_ERROR;
        if (size)
            memmove(to.place[lane], from.place[lane], size);
        if (has_barrier && complete(step, lane, size) == STEP_ERROR)
            return STEP_ERROR;
    }
    return STEP_NEXT;
}

StepResult exec_copy_async(Step *step)
{
    if (!step->mask)
        return STEP_NEXT;
    switch (step->insn->row) {
    case ROW_cp_async:
        return copy(step);
    case ROW_cp_async_arrive:
        return arrive(step);
    case ROW_cp_bulk_to_shared:
        return copy_bulk(step, SPACE_SHARED, SPACE_GLOBAL, true);
    case ROW_cp_bulk_to_global:
        return copy_bulk(step, SPACE_GLOBAL, SPACE_SHARED, false);
    default:
        return STEP_NEXT;
    }
}

/* Asynchronous copies. PTX lets a copy take effect any time between its issue and the wait for it; the
 * functional engine makes it at issue. So groups are complete when they are committed, waiting for them is
 * nothing, and the mbarrier of a bulk copy gets its bytes at once.
 *
 * A timing model gets the copies as accesses whose second phase brings the bytes to shared memory, marks
 * where groups end, and waits. It gets bulk copies piece by piece, 16 bytes a lane, for they may be longer
 * than anything a warp accesses otherwise; the mbarrier is told of each piece, which comes to the same. */
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

static void copy_lanes(Step *step, Access *from)
{
    (void)step;
    for (Mask rest = from->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        switch (from->bytes) {
        case 4:
            memcpy(from->targets[lane], from->place[lane], 4);
            break;
        case 8:
            memcpy(from->targets[lane], from->place[lane], 8);
            break;
        case 16:
            memcpy(from->targets[lane], from->place[lane], 16);
            break;
        default:
            memcpy(from->targets[lane], from->place[lane], from->bytes);
            break;
        }
    }
}

/* Lanes that take `bytes` bytes each from their sources, which are aligned to `size`. */
static StepResult copy_some(Step *step, Access *to, uint32_t size, uint32_t bytes, Mask lanes)
{
    AccessLanes from_lanes;
    Access from;
    access_init_bytes(&from, &from_lanes, step, ACCESS_COPY, SPACE_GLOBAL, 1, bytes, size, lanes);
    from.targets = to->place;
    from.object = NULL;
    if (access_prepare(step, &from) == STEP_ERROR)
        return STEP_ERROR;
    return access_carry_out(step, &from, copy_lanes);
}

/* A lane that takes only a part of its source touches only that part. */
static StepResult copy_part(Step *step, Access *to, unsigned lane, uint32_t size, uint32_t bytes)
{
    /* PTX: what the source does not give is zeros. */
    memset(to->place[lane], 0, size);
    return bytes ? copy_some(step, to, size, bytes, (Mask)1 << lane) : STEP_NEXT;
}

static StepResult copy(Step *step)
{
    const uint32_t size = (uint32_t)step_value(step, step_operand(step, 2), mask_first(step->mask));
    if (size != 4 && size != 8 && size != 16)
        return step_error(step, WB_ERROR_EXECUTION, mask_first(step->mask),
                          "cp.async copies 4, 8 or 16 bytes, not %u", size);
    AccessLanes lanes;
    Access to;
    access_init_bytes(&to, &lanes, step, ACCESS_STORE, SPACE_SHARED, 0, size, size, step->mask);
    if (access_prepare(step, &to) == STEP_ERROR)
        return STEP_ERROR;
    /* Lanes that take all of their source are one access; the others, which are rare, one each. */
    Mask whole = 0;
    for (Mask rest = step->mask; rest; rest &= rest - 1)
        whole |= (Mask)(source_bytes(step, mask_first(rest), size) == size) << mask_first(rest);
    if (whole && copy_some(step, &to, size, size, whole) == STEP_ERROR)
        return STEP_ERROR;
    for (Mask rest = step->mask & ~whole; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        if (copy_part(step, &to, lane, size, source_bytes(step, lane, size)) == STEP_ERROR)
            return STEP_ERROR;
    }
    return STEP_NEXT;
}

/* Second phases know an object's place and no address. */
static StepResult barrier_fault(Step *step, const Access *barrier, unsigned lane, MbarrierFault fault)
{
    return step_error(step, WB_ERROR_EXECUTION, lane, "mbarrier at 0x%llx: %s",
                      (unsigned long long)(barrier->place[lane] - step->warp->block->shared), fault);
}

/* What every lane does to its object. */
typedef MbarrierFault Operation(uint64_t *object);

static MbarrierFault arrive_once(uint64_t *object) { return mbarrier_arrive(object, 1, false, false); }

/* False: a lane's object is not as it should be, and the launch has failed. */
static bool operate(Step *step, const Access *barrier, Operation *operation)
{
    for (Mask rest = barrier->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        uint64_t object;
        memcpy(&object, barrier->place[lane], sizeof object);
        MbarrierFault fault = operation(&object);
        if (fault) {
            barrier_fault(step, barrier, lane, fault);
            return false;
        }
        memcpy(barrier->place[lane], &object, sizeof object);
    }
    step->warp->block->launch->machine->changes++;
    return true;
}

/* The second phase: the lanes' copies are done. */
static void arrive_lanes(Step *step, Access *barrier) { operate(step, barrier, arrive_once); }

/* One arrival per lane once its copies are done. Without .noinc the arrival is one that the phase did not
 * expect, so that it expects one more from now on: the phase cannot end before the copies have. */
static StepResult arrive(Step *step)
{
    AccessLanes lanes;
    Access barrier;
    access_init_bytes(&barrier, &lanes, step, ACCESS_SYNC, (Space)step->insn->space, 0, 8, 8, step->mask);
    barrier.part = 0;
    if (access_prepare(step, &barrier) == STEP_ERROR)
        return STEP_ERROR;
    for (Mask rest = step->mask; rest; rest &= rest - 1)
        if (access_space(&barrier, mask_first(rest)) != SPACE_SHARED)
            return step_error(step, WB_ERROR_EXECUTION, mask_first(rest), "mbarrier at 0x%llx: %s",
                              (unsigned long long)barrier.address[mask_first(rest)], MBARRIER_ELSEWHERE);
    if (!(step->insn->aux & AUX_NOINC) && !operate(step, &barrier, mbarrier_raise))
        return STEP_ERROR;
    if (access_carry_out(step, &barrier, arrive_lanes) == STEP_ERROR)
        return STEP_ERROR;
    return step->warp->block->launch->error->status == WB_OK ? STEP_NEXT : STEP_ERROR;
}

/* The mbarrier object of a lane's bulk copy. */
static StepResult find_object(Step *step, unsigned lane, Access *barrier, AccessLanes *lanes)
{
    access_init_bytes(barrier, lanes, step, ACCESS_SYNC, SPACE_SHARED, 3, 8, 8, (Mask)1 << lane);
    return access_prepare(step, barrier);
}

static StepResult complete(Step *step, unsigned lane, uint32_t size)
{
    AccessLanes lanes;
    Access barrier;
    uint64_t object;
    if (find_object(step, lane, &barrier, &lanes) == STEP_ERROR)
        return STEP_ERROR;
    memcpy(&object, barrier.place[lane], sizeof object);
    MbarrierFault fault = mbarrier_complete(&object, size);
    if (fault)
        return barrier_fault(step, &barrier, lane, fault);
    memcpy(barrier.place[lane], &object, sizeof object);
    return STEP_NEXT;
}

/* The second phases of a piece of a bulk copy. */
static void bring_piece(Step *step, Access *piece)
{
    uint64_t object;
    copy_lanes(step, piece);
    memcpy(&object, piece->object, sizeof object);
    const uint64_t bytes = (uint64_t)__builtin_popcountll(piece->mask) * BULK_ALIGNMENT;
    MbarrierFault fault = mbarrier_complete(&object, bytes);
    if (fault)
        step_error(step, WB_ERROR_EXECUTION, piece->part, "the mbarrier of a bulk copy: %s", fault);
    memcpy(piece->object, &object, sizeof object);
    step->warp->block->launch->machine->changes++;
}

static void send_piece(Step *step, Access *piece)
{
    (void)step;
    for (Mask rest = piece->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        memcpy(piece->place[lane], piece->targets[lane], BULK_ALIGNMENT);
    }
}

/* A piece of at most BULK_ALIGNMENT bytes a lane, from byte `offset` of the copy on. `global` is the side in
 * global memory, `shared` the other, both of lane `lane`. */
static StepResult carry_piece(Step *step, const Access *global, uint8_t *shared, uint8_t *object,
                              unsigned lane, uint32_t offset)
{
    const uint32_t width = step->warp->width, left = (global->bytes - offset) / BULK_ALIGNMENT;
    const uint32_t count = left < width ? left : width;
    uint8_t *targets[MAX_WIDTH];
    AccessLanes lanes;
    Access piece;
    /* The lowest `count` lanes: a last piece may be shorter. */
    access_init_bytes(&piece, &lanes, step, (AccessKind)global->kind, SPACE_GLOBAL, 0, BULK_ALIGNMENT,
                      BULK_ALIGNMENT, mask_of_width(width) >> (width - count));
    /* Set here, as access_prepare() would: the whole range has been checked before. */
    piece.pattern = count == width ? PATTERN_CONSECUTIVE : PATTERN_ANY;
    piece.part = lane;
    piece.targets = targets;
    piece.object = object;
    for (uint32_t i = 0; i < width; i++) {
        /* Lanes that do not execute repeat the first, as an Access has it. */
        const uint32_t at = offset + (i < count ? i : 0) * BULK_ALIGNMENT;
        piece.address[i] = global->address[lane] + at;
        piece.place[i] = global->place[lane] + at;
        targets[i] = shared + at;
    }
    return access_carry_out(step, &piece, object ? bring_piece : send_piece);
}

/* The whole range of one lane, for a timing model. */
static StepResult carry_bulk(Step *step, Access *global, uint8_t *shared, unsigned lane, bool has_barrier)
{
    AccessLanes lanes;
    Access barrier;
    if (has_barrier && find_object(step, lane, &barrier, &lanes) == STEP_ERROR)
        return STEP_ERROR;
    global->kind = has_barrier ? ACCESS_COPY : ACCESS_STORE;
    for (uint32_t offset = 0; offset < global->bytes; offset += step->warp->width * BULK_ALIGNMENT)
        if (carry_piece(step, global, shared, has_barrier ? barrier.place[lane] : NULL, lane, offset) ==
            STEP_ERROR)
            return STEP_ERROR;
    return STEP_NEXT;
}

/* Every lane copies its own range. */
static StepResult copy_bulk(Step *step, Space to_space, Space from_space, bool has_barrier)
{
    for (Mask rest = step->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        const Mask one = (Mask)1 << lane;
        const uint32_t size = (uint32_t)step_value(step, step_operand(step, 2), lane);
        AccessLanes to_lanes, from_lanes;
        Access to, from;
        if (size % BULK_ALIGNMENT)
            return step_error(step, WB_ERROR_ADDRESS, lane,
                              "a bulk copy of %u bytes; the size must be a multiple of %d", size,
                              BULK_ALIGNMENT);
        access_init_bytes(&to, &to_lanes, step, ACCESS_STORE, to_space, 0, size, BULK_ALIGNMENT, one);
        access_init_bytes(&from, &from_lanes, step, ACCESS_LOAD, from_space, 1, size, BULK_ALIGNMENT, one);
        if (size && (access_prepare(step, &to) == STEP_ERROR || access_prepare(step, &from) == STEP_ERROR))
            return STEP_ERROR;
        if (size && access_is_timed(step)) {
            const bool brings = to_space == SPACE_SHARED;
            if (carry_bulk(step, brings ? &from : &to, (brings ? &to : &from)->place[lane], lane,
                           has_barrier) == STEP_ERROR)
                return STEP_ERROR;
            continue;
        }
        if (size)
            memmove(to.place[lane], from.place[lane], size);
        if (has_barrier && complete(step, lane, size) == STEP_ERROR)
            return STEP_ERROR;
    }
    return STEP_NEXT;
}

/* A timing model is told of groups and of waits for them; waiting for bulk groups, which only write, is
 * left to fences. */
static StepResult mark(Step *step, AccessKind kind, uint32_t groups)
{
    if (!access_is_timed(step))
        return STEP_NEXT;
    Access access;
    access.kind = (uint8_t)kind;
    access.mask = step->mask;
    access.part = groups;
    return access_carry_out(step, &access, NULL);
}

StepResult exec_copy_async(Step *step)
{
    if (!step->mask)
        return STEP_NEXT;
    switch (step->insn->row) {
    case ROW_cp_async:
        return copy(step);
    case ROW_cp_async_commit:
        return mark(step, ACCESS_COMMIT, 0);
    case ROW_cp_async_wait:
        return mark(step, ACCESS_WAIT,
                    (uint32_t)step_value(step, step_operand(step, 0), mask_first(step->mask)));
    case ROW_cp_async_wait_all:
        /* wait_all also waits for copies that no group holds yet. */
        if (mark(step, ACCESS_COMMIT, 0) == STEP_ERROR)
            return STEP_ERROR;
        return mark(step, ACCESS_WAIT, 0);
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

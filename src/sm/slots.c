/* The counter of each kind of slots. */
#include "sm/slots.h"

#include <stddef.h>

static const size_t counters[SLOT_KINDS] = {
    [SLOT_INT] = offsetof(SmStatistics, int_slots),
    [SLOT_FP32] = offsetof(SmStatistics, fp32_slots),
    [SLOT_FP64] = offsetof(SmStatistics, fp64_slots),
    [SLOT_SFU] = offsetof(SmStatistics, sfu_slots),
    [SLOT_TENSOR] = offsetof(SmStatistics, tensor_slots),
    [SLOT_LSU] = offsetof(SmStatistics, lsu_slots),
    [SLOT_CONTROL] = offsetof(SmStatistics, control_slots),
    [SLOT_CONSTANT] = offsetof(SmStatistics, constant_slots),
    [SLOT_SPECIAL] = offsetof(SmStatistics, special_slots),
    [SLOT_UNIFORM] = offsetof(SmStatistics, uniform_slots),
};

void slots_settle(SlotSums *sums, SmStatistics *statistics)
{
    for (SlotKind kind = 0; kind < SLOT_KINDS; kind++) {
        const unsigned slots = mix_of(&sums->sum, kind);
        *(uint64_t *)((char *)statistics + counters[kind]) += slots;
        statistics->issue_slots += slots;
    }
    *sums = (SlotSums){0};
}

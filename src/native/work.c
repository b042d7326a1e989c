/* What a kind of work costs is looked up in the configuration: its pipe, the cycles that it occupies it
 * (lanes of a warp over lanes of the pipe) and its latency. GPUs differ in which pipes they have, so a kind
 * may fall back on another pipe: integers on the FP32 pipe, FP64 likewise. */
#include "native/work.h"

#include <string.h>

#include "exec/intrinsic.h"

static const char work_letters[] = "imfdhslcutrkxpw";
_Static_assert(sizeof work_letters == WORK_COUNT + 1, "one letter for each kind of work");

WorkList work_parse(const char *letters)
{
    WorkList list = {0};
    while (*letters) {
        const char *found = strchr(work_letters, *letters++);
        unsigned count = 0;
        while (*letters >= '0' && *letters <= '9')
            count = count * 10 + (unsigned)(*letters++ - '0');
        if (found)
            list.count[found - work_letters] = (uint8_t)count;
        while (*letters == ' ')
            letters++;
    }
    return list;
}

unsigned work_total(const WorkList *list)
{
    unsigned total = 0;
    /* The kinds from there on are only waits inside of a chain and issue nothing. */
    for (unsigned work = 0; work < WORK_PREDICATE; work++)
        total += list->count[work];
    return total;
}

static Pipe int_pipe(const GpuConfig *config) { return config->int_pipes ? PIPE_INT : PIPE_FP32; }

Pipe work_pipe(Work work, const GpuConfig *config)
{
    switch (work) {
    case WORK_MULTIPLY:
    case WORK_WIDE:
        return config->int_multiply_on_fp32 ? PIPE_FP32 : int_pipe(config);
    case WORK_FP32:
    case WORK_HALF:
        return PIPE_FP32;
    case WORK_FP64:
        return config->fp64_pipes ? PIPE_FP64 : PIPE_FP32;
    case WORK_SFU:
        return PIPE_SFU;
    case WORK_MEMORY:
    case WORK_CONSTANT:
        return PIPE_LSU;
    case WORK_CONTROL:
    case WORK_SPECIAL:
        return PIPE_CONTROL;
    case WORK_UNIFORM:
        return config->uniform_datapath ? PIPE_CONTROL : int_pipe(config);
    case WORK_TENSOR:
        return PIPE_TENSOR;
    default:
        return int_pipe(config);
    }
}

SlotKind work_slot(Work work, const GpuConfig *config)
{
    switch (work) {
    case WORK_CONSTANT:
        return SLOT_CONSTANT;
    case WORK_SPECIAL:
        return SLOT_SPECIAL;
    case WORK_UNIFORM:
        return config->uniform_datapath ? SLOT_UNIFORM : (SlotKind)int_pipe(config);
    default:
        return (SlotKind)work_pipe(work, config);
    }
}

_Static_assert((int)SLOT_CONTROL == (int)PIPE_CONTROL, "the first kinds of slots are those of pipes");

static uint64_t work_lanes(Work work, const GpuConfig *config)
{
    switch (work) {
    case WORK_MULTIPLY:
        return config->int_multiply_lanes;
    case WORK_WIDE:
        return config->int_wide_lanes ? config->int_wide_lanes : config->int_multiply_lanes;
    case WORK_FP32:
        return config->fp32_lanes;
    case WORK_FP64:
        return config->fp64_lanes;
    case WORK_HALF:
        return config->half_lanes;
    case WORK_SFU:
        return config->sfu_lanes;
    case WORK_CONSTANT:
    case WORK_TENSOR:
        return config->warp_width;
    case WORK_SPECIAL:
    case WORK_CONTROL:
        return config->control_lanes;
    case WORK_UNIFORM:
        if (config->uniform_datapath)
            return config->warp_width;
        return config->int_pipes ? config->int_lanes : config->fp32_lanes;
    default:
        return config->int_pipes ? config->int_lanes : config->fp32_lanes;
    }
}

unsigned work_interval(Work work, const GpuConfig *config)
{
    if (work == WORK_MEMORY)
        return (unsigned)config->lsu_warp_interval;
    const uint64_t lanes = work_lanes(work, config);
    /* Passes of a warp through the pipe's lanes, the last one perhaps not full. */
    return (unsigned)((config->warp_width + lanes - 1) / lanes);
}

unsigned work_latency(Work work, const GpuConfig *config)
{
    switch (work) {
    case WORK_MULTIPLY:
        return (unsigned)config->int_multiply_latency;
    case WORK_WIDE:
        return (unsigned)(config->int_wide_latency ? config->int_wide_latency : config->int_multiply_latency);
    case WORK_FP32:
        return (unsigned)config->fp32_latency;
    case WORK_FP64:
        return (unsigned)config->fp64_latency;
    case WORK_HALF:
        return (unsigned)config->half_latency;
    case WORK_SFU:
        return (unsigned)config->sfu_latency;
    case WORK_MEMORY:
        return (unsigned)config->shuffle_latency;
    case WORK_CONTROL:
        return (unsigned)config->branch_latency;
    case WORK_TENSOR:
        return (unsigned)config->tensor_latency;
    case WORK_SPECIAL:
        return (unsigned)config->special_register_latency;
    case WORK_CONSTANT:
        return (unsigned)config->const_latency;
    /* Without a knob of its own a predicate is ready as any integer result is. */
    case WORK_PREDICATE:
        return (unsigned)(config->predicate_latency ? config->predicate_latency : config->int_latency);
    case WORK_TURN:
        return 1;
    default:
        return (unsigned)config->int_latency;
    }
}

Work work_of_unit(Unit unit)
{
    static const Work works[UNIT_COUNT] = {
        [UNIT_INT] = WORK_INT,     [UNIT_FP32] = WORK_FP32,       [UNIT_FP64] = WORK_FP64,
        [UNIT_HALF] = WORK_HALF,   [UNIT_SFU] = WORK_SFU,         [UNIT_TENSOR] = WORK_TENSOR,
        [UNIT_LDST] = WORK_MEMORY, [UNIT_CONTROL] = WORK_CONTROL,
    };
    return works[unit];
}

WorkList work_of_exchange(const Insn *insn, const GpuConfig *config)
{
    WorkList list = {0};
    if (insn->action != ACTION_CALL || !insn->call->intrinsic)
        return list;
    const LaneSteps steps = insn->call->intrinsic->steps;
    const uint8_t bits = (uint8_t)__builtin_ctzll(config->warp_width);
    list.count[WORK_MEMORY] = steps == STEP_FOR_EACH_BIT ? bits : steps == ONE_STEP;
    list.count[WORK_INT] = steps == STEP_FOR_EACH_BIT ? bits : 0;
    return list;
}

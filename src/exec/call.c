/* Calls and returns. A call makes a frame for the lanes that call together; its arguments and results
 * travel between the parameter areas or registers of the two frames, lane by lane. */
#include <string.h>

#include "exec/control.h"
#include "exec/divergence.h"
#include "exec/handlers.h"
#include "exec/intrinsic.h"
#include "exec/machine.h"
#include "exec/meet.h"

/* What a call takes of the stack besides its variables where recursion is possible: the return address
 * and saved registers. */
enum { CALL_BYTES = 32 };

/* The largest argument list of an intrinsic, and the room for its result. */
enum { INTRINSIC_ARGUMENTS = 16, INTRINSIC_BYTES = 256, RESULT_BYTES = 16 };

/* Where one lane's bytes of a call value are: in the frame's parameter area, or in its local memory if
 * the function takes the parameter's address. Null for values that are not in memory. */
static uint8_t *value_bytes(const Step *step, const Frame *frame, const Operand *operand, unsigned lane)
{
    const Launch *launch = step->warp->block->launch;
    const ProgramFunction *function = &launch->program->functions[frame->function];
    if (operand->kind == OPERAND_PARAM)
        return frame->params + (size_t)lane * function->param_bytes + operand->value;
    if (operand->kind == OPERAND_LOCAL)
        return step->warp->local + (size_t)lane * launch->local_bytes + frame->local_base + operand->value;
    return NULL;
}

/* One lane's value of an operand of a frame: bytes in memory, or a register, immediate or special
 * register of up to 8 bytes. */
static void read_value(Step *step, Frame *frame, const Operand *from, unsigned lane, void *to, uint32_t bytes)
{
    const uint8_t *place = value_bytes(step, frame, from, lane);
    if (place) {
        memcpy(to, place, bytes);
        return;
    }
    Step side = {.warp = step->warp, .group = step->group, .insn = step->insn, .frame = frame};
    uint64_t value = step_value(&side, from, lane);
    memcpy(to, &value, bytes < sizeof value ? bytes : sizeof value);
}

static void write_value(Step *step, Frame *frame, const Operand *to, unsigned lane, const void *from,
                        uint32_t bytes)
{
    uint8_t *place = value_bytes(step, frame, to, lane);
    if (place) {
        memcpy(place, from, bytes);
        return;
    }
    Step side = {.warp = step->warp, .group = step->group, .insn = step->insn, .frame = frame};
    uint64_t value = 0;
    memcpy(&value, from, bytes < sizeof value ? bytes : sizeof value);
    step_write(&side, to, lane, value);
}

/* From one frame to the other, for every executing lane. */
static void pass_value(Step *step, Frame *from_frame, const Operand *from, Frame *to_frame, const Operand *to,
                       uint32_t bytes)
{
    for (Mask lanes = step->mask; lanes; lanes &= lanes - 1) {
        unsigned lane = mask_first(lanes);
        uint64_t value = 0;
        const uint8_t *place = value_bytes(step, from_frame, from, lane);
        if (place) {
            write_value(step, to_frame, to, lane, place, bytes);
            continue;
        }
        const uint32_t held = bytes < sizeof value ? bytes : (uint32_t)sizeof value; /* by a register */
        read_value(step, from_frame, from, lane, &value, held);
        write_value(step, to_frame, to, lane, &value, held);
    }
}

static StepResult enter(Step *step, const Call *call, uint32_t number)
{
    Warp *warp = step->warp;
    const Launch *launch = warp->block->launch;
    const ProgramFunction *functions = launch->program->functions, *callee = &functions[number];
    uint32_t caller = step->group->frame;
    uint64_t base = step->frame->local_base + functions[step->frame->function].local_bytes;
    /* Without recursion the deepest chain is known, and the linker has made room for it. */
    base += launch->program->recursive ? CALL_BYTES : 0;
    if (base + callee->local_bytes > launch->local_bytes)
        return step_error(
            step, WB_ERROR_OUT_OF_MEMORY, mask_first(step->mask),
            "the call of '%s' overflows the thread's stack of %u bytes: endless recursion, or raise "
            "the knob stack_bytes",
            callee->function->name, launch->local_bytes);
    if (callee->parameter_count != call->argument_count)
        return step_error(step, WB_ERROR_EXECUTION, mask_first(step->mask),
                          "calls '%s' with %u arguments; it takes %u", callee->function->name,
                          call->argument_count, callee->parameter_count);
    /* From here on step->frame may be stale: the table of frames can have moved. */
    uint32_t frame = warp_new_frame(warp, number, (uint32_t)base);
    for (uint32_t i = 0; i < call->argument_count; i++)
        pass_value(step, &warp->frames.items[caller], &call->arguments[i].outside, &warp->frames.items[frame],
                   &callee->parameters[i], callee->parameter_bytes[i]);
    divergence_call(warp, step->mask, callee->first, frame, step->group->pc + 1);
    return STEP_JUMPED;
}

/* Arguments of an intrinsic lie at their natural offsets. False: there are too many or too large ones. */
static bool argument_offsets(const Call *call, uint32_t *offsets)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < call->argument_count; i++) {
        uint32_t bytes = call->arguments[i].bytes, align = bytes >= 8 ? 8 : bytes ? bytes : 1;
        if (i == INTRINSIC_ARGUMENTS)
            return false;
        offsets[i] = (end + align - 1) / align * align;
        end = offsets[i] + bytes;
    }
    return end <= INTRINSIC_BYTES;
}

static StepResult call_intrinsic(Step *step, const Call *call)
{
    uint32_t offsets[INTRINSIC_ARGUMENTS];
    uint8_t arguments[MAX_WIDTH][INTRINSIC_BYTES], results[MAX_WIDTH][RESULT_BYTES] = {{0}};
    if (call->argument_count != call->intrinsic->argument_count)
        return step_error(step, WB_ERROR_EXECUTION, mask_first(step->mask),
                          "calls '%s' with %u arguments; it takes %u", call->name, call->argument_count,
                          call->intrinsic->argument_count);
    const Mask came = step->mask;
    const StepResult met = call->intrinsic->together ? meet_at_call(step) : STEP_NEXT;
    if (met != STEP_NEXT)
        return met;
    if (!argument_offsets(call, offsets))
        return step_error(step, WB_ERROR_UNSUPPORTED, mask_first(step->mask),
                          "the arguments of '%s' exceed %d bytes", call->name, INTRINSIC_BYTES);
    for (Mask lanes = step->mask; lanes; lanes &= lanes - 1) {
        unsigned lane = mask_first(lanes);
        for (uint32_t i = 0; i < call->argument_count; i++)
            read_value(step, step->frame, &call->arguments[i].outside, lane, &arguments[lane][offsets[i]],
                       call->arguments[i].bytes);
    }
    IntrinsicCall made = {.step = step,
                          .call = call,
                          .arguments = arguments[0],
                          .argument_offsets = offsets,
                          .argument_stride = INTRINSIC_BYTES,
                          .results = results[0],
                          .result_stride = RESULT_BYTES};
    /* What a unit does may change anything, so the watchdog begins anew. */
    step->warp->block->launch->machine->changes += call->intrinsic->steps == NO_STEPS;
    StepResult result = call->intrinsic->run(&made);
    for (Mask lanes = step->mask; result == STEP_NEXT && call->result_count && lanes; lanes &= lanes - 1) {
        unsigned lane = mask_first(lanes);
        uint32_t bytes = call->results[0].bytes < RESULT_BYTES ? call->results[0].bytes : RESULT_BYTES;
        write_value(step, step->frame, &call->results[0].outside, lane, results[lane], bytes);
    }
    const bool waits = block_wait_is_open(&step->warp->block->wait) || step->warp->wait.is_open;
    /* Whoever runs the group looks at it again also if lanes that waited at the call are in it now. */
    return result == STEP_NEXT && (waits || step->mask != came) ? control_wait_behind(step) : result;
}

/* Lanes that call through different pointers part first; each set then calls on its own. */
static StepResult call_pointer(Step *step, const Call *call)
{
    const Program *program = step->warp->block->launch->program;
    uint64_t address = step_value(step, call->pointer, mask_first(step->mask));
    Mask same = step_same_lanes(step, call->pointer);
    if (same != step->mask) {
        uint32_t pc = step->group->pc;
        divergence_branch(step->warp, same, pc, pc, pc + 1);
        return STEP_JUMPED;
    }
    if (address == 0)
        return step_error(step, WB_ERROR_EXECUTION, mask_first(step->mask),
                          "calls through a null function pointer");
    for (uint32_t i = 0; i < program->function_count; i++)
        if (program->functions[i].address == address)
            return enter(step, call, i);
    return step_error(step, WB_ERROR_EXECUTION, mask_first(step->mask),
                      "calls through 0x%llx, which is no function of the kernel's module",
                      (unsigned long long)address);
}

StepResult exec_call(Step *step)
{
    const Call *call = step->insn->call;
    step->warp->block->launch->machine->statistics.calls++;
    if (call->intrinsic)
        return call_intrinsic(step, call);
    if (call->pointer)
        return call_pointer(step, call);
    return enter(step, call, call->target);
}

static void pass_results(Step *step, const Join *join)
{
    const Program *program = step->warp->block->launch->program;
    /* A call's join stands right behind the call. */
    const Call *call = program->code[join->pc - 1].call;
    Frame *callee = &step->warp->frames.items[join->callee_frame];
    Frame *caller = &step->warp->frames.items[join->frame];
    const ProgramFunction *function = &program->functions[callee->function];
    for (uint32_t i = 0; i < call->result_count && i < function->result_count; i++)
        pass_value(step, callee, &function->results[i], caller, &call->results[i].outside,
                   function->result_bytes[i]);
}

StepResult exec_return(Step *step)
{
    Warp *warp = step->warp;
    uint32_t join = divergence_call_join(warp, step->group->join);
    control_let_others_go(step);
    if (join == NO_INDEX)
        return control_end_threads(step);
    /* While both frames are there: the callee's goes when the last lane has returned. */
    pass_results(step, &warp->joins.items[join]);
    divergence_return(warp, step->mask);
    return STEP_JUMPED;
}

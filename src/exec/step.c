/* Operand access for handlers. Nothing here is on the path of lane instructions (lanes.c). */
#include "exec/step.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/plain_name.h"
#include "exec/special.h"

static Mask *predicate_of(const Step *step, const Operand *operand)
{
    return &step->frame->predicates[operand->slot];
}

/* A register's lanes lie side by side, so its offset is all that is needed. */
static const void *register_lanes(const Step *step, const Operand *operand)
{
    return (const char *)step->frame->words + operand->offset;
}

uint64_t step_value(Step *step, const Operand *operand, unsigned lane)
{
    switch (operand->kind) {
    case OPERAND_REGISTER: {
        const void *lanes = register_lanes(step, operand);
        return operand->bytes == 4 ? ((const uint32_t *)lanes)[lane] : ((const uint64_t *)lanes)[lane];
    }
    case OPERAND_PREDICATE:
        return step_predicate(step, operand) >> lane & 1;
    case OPERAND_IMMEDIATE:
        return (uint64_t)operand->value;
    case OPERAND_SPECIAL:
        return special_value(step->warp, (SpecialRegister)operand->slot, lane);
    /* Frames lie on the thread's stack: the address is relative to where this one begins. */
    case OPERAND_LOCAL:
        return step->frame->local_base + (uint64_t)operand->value;
    default:
        return 0;
    }
}

Mask step_same_lanes(Step *step, const Operand *operand)
{
    if (operand->kind == OPERAND_IMMEDIATE)
        return step->mask;
    /* Compared with the lowest executing lane, so the answer does not depend on the others. */
    uint64_t value = step_value(step, operand, mask_first(step->mask));
    Mask same = 0;
    for (Mask lanes = step->mask; lanes; lanes &= lanes - 1)
        if (step_value(step, operand, mask_first(lanes)) == value)
            same |= lanes & -lanes;
    return same;
}

const uint32_t *step_read32(Step *step, const Operand *operand, unsigned scratch)
{
    /* No copy where the register's lanes already lie as wanted. */
    if (operand->kind == OPERAND_REGISTER && operand->bytes == 4)
        return register_lanes(step, operand);
    uint32_t *lanes = (uint32_t *)step->scratch[scratch];
    for (unsigned lane = 0; lane < step->warp->width; lane++)
        lanes[lane] = (uint32_t)step_value(step, operand, lane);
    return lanes;
}

const uint64_t *step_read64(Step *step, const Operand *operand, unsigned scratch)
{
    if (operand->kind == OPERAND_REGISTER && operand->bytes >= 8)
        return register_lanes(step, operand);
    uint64_t *lanes = step->scratch[scratch];
    for (unsigned lane = 0; lane < step->warp->width; lane++)
        lanes[lane] = step_value(step, operand, lane);
    return lanes;
}

Mask step_predicate(const Step *step, const Operand *operand)
{
    if (operand->kind == OPERAND_IMMEDIATE)
        return (operand->value != 0) != operand->negated ? ~(Mask)0 : 0;
    Mask value = *predicate_of(step, operand);
    return operand->negated ? ~value : value;
}

uint32_t *step_dest32(Step *step, const Operand *operand)
{
    if (operand->kind != OPERAND_REGISTER)
        return NULL;
    return (uint32_t *)((char *)step->frame->words + operand->offset);
}

uint64_t *step_dest64(Step *step, const Operand *operand) { return (uint64_t *)step_dest32(step, operand); }

void step_write(Step *step, const Operand *operand, unsigned lane, uint64_t value)
{
    if (operand->kind == OPERAND_PREDICATE) {
        Mask *predicate = predicate_of(step, operand);
        *predicate = (*predicate & ~((Mask)1 << lane)) | (Mask)(value & 1) << lane;
    } else if (operand->kind == OPERAND_REGISTER) {
        if (operand->bytes == 4)
            step_dest32(step, operand)[lane] = (uint32_t)value;
        else
            step_dest64(step, operand)[lane] = value;
    }
}

void step_write_predicate(Step *step, const Operand *operand, Mask value)
{
    if (operand->kind != OPERAND_PREDICATE)
        return;
    Mask *predicate = predicate_of(step, operand);
    /* Lanes that do not execute keep theirs. */
    *predicate = (*predicate & ~step->mask) | (value & step->mask);
}

static void thread_index(const Warp *warp, unsigned lane, uint32_t index[3])
{
    const uint32_t *size = warp->block->launch->block;
    uint32_t thread = warp->index * warp->width + lane;
    index[0] = thread % size[0];
    index[1] = thread / size[0] % size[1];
    index[2] = thread / size[0] / size[1];
}

const char *step_place(const Step *step, unsigned lane, char *buffer, size_t size)
{
    const Block *block = step->warp->block;
    const Program *program = block->launch->program;
    const ProgramFunction *function = &program->functions[step->insn->function];
    char place[512], gpu[SPACE_GPU_TEXT];
    uint32_t thread[3];
    thread_index(step->warp, lane, thread);
    /* The return that the linker puts behind a body has no text. */
    if (step->insn->ptx) {
        module_place_text(function->module, step->insn->ptx, place, sizeof place);
    } else {
        char *name = plain_name(function->function->name, false);
        snprintf(place, sizeof place, "the end of function '%.200s'", name);
        xfree(name);
    }
    snprintf(buffer, size, "kernel '%.200s'%s, %s, block (%u,%u,%u), thread (%u,%u,%u)", program->name,
             space_gpu_text(block->launch->space, gpu, sizeof gpu), place, block->index[0], block->index[1],
             block->index[2], thread[0], thread[1], thread[2]);
    return buffer;
}

StepResult step_error(Step *step, WbStatus status, unsigned lane, const char *format, ...)
{
    const Launch *launch = step->warp->block->launch;
    const PtxInsn *ptx = step->insn->ptx;
    char sentence[1024], place[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    size_t length = 0;
    const char *line = "";
    if (ptx)
        line = module_line(launch->program->functions[step->insn->function].module, ptx->place.line, &length);
    while (length && (*line == ' ' || *line == '\t'))
        line++, length--;
    error_set(launch->error, status, "%s: %s\n    %.*s", step_place(step, lane, place, sizeof place),
              sentence, (int)(length < 200 ? length : 200), line);
    return STEP_ERROR;
}

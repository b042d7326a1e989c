/* Which units a machine instruction needs: the slots of each kind, the pipe and the time that it takes it,
 * and what it asks of the SM's address unit.
 *
 * Where there is one (knob address_unit), it reads the constant bank by LDC, special registers but a thread's
 * index, and takes warps at barriers: an H200 counts these together (inst_adu of
 * workloads/suite/h200-seen.csv: copy_float4 5.1 a warp, 5 in its code; coo_atomic 8.7 and 8), and each
 * takes 2 cycles of the SM (smid_4 and constant_4 of tests/device/latency/h200-warps.csv). A thread's index
 * comes by the load/store unit, constants whose address is known by the uniform datapath (ULDC). */
#include "native/native.h"

/* The busiest pipe stands for all that the instruction uses. A datapath for uniform values never keeps anyone
 * waiting. */
static void find_pipe(const NativeForm *form, const GpuConfig *config, InsnTiming *to)
{
    unsigned busy[PIPE_COUNT] = {0};
    const bool is_uniform = form->slots.count[WORK_UNIFORM] == work_total(&form->slots);
    for (unsigned work = 0; work < WORK_PREDICATE; work++)
        if (form->slots.count[work] && (work != WORK_UNIFORM || is_uniform || !config->uniform_datapath))
            busy[work_pipe((Work)work, config)] +=
                form->slots.count[work] * work_interval((Work)work, config);
    to->interval = 0;
    for (unsigned pipe = 0; pipe < PIPE_COUNT; pipe++)
        if (busy[pipe] > to->interval) {
            to->interval = (uint16_t)busy[pipe];
            to->pipe = (uint8_t)pipe;
        }
}

/* The load/store unit tells threads their indices: an H200 counts these reads among its instructions. */
static SlotKind special_slot(const Insn *move)
{
    const Operand *source = &move->op[move->begin[1]];
    return source->kind == OPERAND_SPECIAL && source->slot <= SPECIAL_tid_z ? SLOT_LSU : SLOT_SPECIAL;
}

static void ask_address_unit(const Insn *insn, const NativeForm *form, InsnTiming *to)
{
    const bool is_constant = insn->space == SPACE_CONST || insn->space == SPACE_PARAM;
    to->is_indexed = is_constant && to->kind == CLASS_MEMORY && insn->action == ACTION_LOAD &&
                     !native_is_immediate(insn, 1);
    to->special_reads = (uint8_t)mix_of(&to->mix, SLOT_SPECIAL);
    to->bank_reads = form->bank_reads;
    to->bank_place = form->bank_place;
    to->awaits_bank = form->awaits_bank;
}

void native_mix_slots(const Insn *insn, const NativeForm *form, const GpuConfig *config, InsnTiming *to)
{
    unsigned left = to->slots;
    to->mix = (SlotMix){0};
    for (unsigned work = 0; work < WORK_PREDICATE; work++) {
        const unsigned slots = form->slots.count[work] < left ? form->slots.count[work] : left;
        if (!slots)
            continue;
        mix_put(&to->mix, work == WORK_SPECIAL ? special_slot(insn) : work_slot((Work)work, config), slots);
        left -= slots;
    }
    if (config->address_unit)
        ask_address_unit(insn, form, to);
}

void native_occupy(const Insn *insn, const NativeForm *form, const GpuConfig *config, InsnTiming *to)
{
    const uint8_t pipe = to->pipe;
    const bool is_constant = insn->space == SPACE_CONST || insn->space == SPACE_PARAM;
    find_pipe(form, config, to);
    if (to->kind == CLASS_MEMORY) {
        to->pipe = PIPE_LSU; /* whatever else goes with it */
        to->interval = (uint16_t)work_interval(is_constant ? WORK_CONSTANT : WORK_MEMORY, config);
    } else if (!to->slots) {
        to->pipe = pipe;
    } else if (config->address_unit && form->chain.count[WORK_SPECIAL] && special_slot(insn) == SLOT_LSU) {
        to->pipe = PIPE_LSU;
        to->interval = (uint16_t)work_interval(WORK_MEMORY, config);
    }
}

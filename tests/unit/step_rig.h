/* One instruction on one hand-made group of lanes: for tests of handlers, without parser and linker.
 *
 * Registers are slots of 32 lanes of 4 bytes; an 8-byte register takes two. rig_instruction() names the
 * opcode, rig_registers() and its kin add the operands in order. */
#ifndef STEP_RIG_H
#define STEP_RIG_H

#include <stdlib.h>
#include <string.h>

#include "exec/machine.h"
#include "exec/matrix/matrix.h"
#include "exec/step.h"

enum { RIG_SLOTS = 96, RIG_SHARED = 16384 };

typedef struct Rig {
    Arena arena;
    Module module;
    Function function;
    ProgramFunction program_function;
    Program program;
    Machine machine;
    AddressSpace space;
    Error error;
    Launch launch;
    Block block;
    Warp warp;
    Group group;
    Frame frame;
    Step step;
    Insn insn;
    PtxInsn ptx;
    Mod mods[24];
    PtxOperand ptx_operands[8 + 32]; /* behind the first 8: what vectors hold, all '_' */
    Operand operands[48];
    Mask predicates[8];
    _Alignas(64) uint32_t words[RIG_SLOTS * LANES];
    _Alignas(64) uint8_t shared[RIG_SHARED];
} Rig;

static inline Rig *rig_open(unsigned width)
{
    Rig *rig = aligned_alloc(_Alignof(Rig), sizeof *rig);
    assert_non_null(rig);
    memset(rig, 0, sizeof *rig);
    space_init(&rig->space, 1 << 24);
    rig->module.file_name = "hand.ptx";
    rig->module.text = "";
    rig->function =
        (Function){.name = "hand", .operands = rig->ptx_operands, .mods = rig->mods, .has_body = true};
    rig->program_function = (ProgramFunction){.function = &rig->function, .module = &rig->module};
    rig->program = (Program){
        .name = "hand", .module = &rig->module, .functions = &rig->program_function, .function_count = 1};
    rig->launch = (Launch){.program = &rig->program,
                           .grid = {1, 1, 1},
                           .block = {width, 1, 1},
                           .shared_bytes = RIG_SHARED,
                           .width = width,
                           .space = &rig->space,
                           .machine = &rig->machine,
                           .error = &rig->error,
                           .divergence = DIVERGENCE_INDEPENDENT};
    rig->block = (Block){.launch = &rig->launch, .shared = rig->shared, .warps = &rig->warp, .warp_count = 1};
    rig->warp = (Warp){.block = &rig->block, .width = width, .live = mask_of_width(width)};
    rig->frame = (Frame){.words = rig->words, .predicates = rig->predicates};
    rig->step.warp = &rig->warp;
    rig->step.group = &rig->group;
    rig->step.frame = &rig->frame;
    rig->step.insn = &rig->insn;
    rig->step.mask = rig->warp.live;
    return rig;
}

static inline void rig_close(Rig *rig)
{
    space_destroy(&rig->space);
    arena_free(&rig->arena);
    free(rig);
}

/* False: no row takes this opcode. */
static inline bool rig_instruction(Rig *rig, const char *opcode)
{
    size_t mnemonic = strcspn(opcode, ".");
    unsigned count = 0;
    for (const char *at = opcode + mnemonic; *at == '.' && count < 24; count++) {
        size_t length = strcspn(at + 1, ".");
        if (!mod_find(at + 1, length, &rig->mods[count]))
            return false;
        at += 1 + length;
    }
    RowId row = isa_match(opcode, mnemonic, rig->mods, count);
    rig->ptx = (PtxInsn){.row = row, .mod_count = (uint8_t)count, .mnemonic = opcode, .guard = NO_INDEX};
    rig->insn = (Insn){.op = rig->operands,
                       .row = (uint16_t)row,
                       .action = (uint8_t)isa_rows[row].action,
                       .guard = NO_INDEX,
                       .ptx = &rig->ptx};
    for (unsigned i = 0; i < count; i++)
        if (rig->mods[i] == MOD_global || rig->mods[i] == MOD_shared)
            rig->insn.space = rig->mods[i] == MOD_global ? SPACE_GLOBAL : SPACE_SHARED;
    return row != ROW_UNKNOWN;
}

static inline Operand *rig_add(Rig *rig, PtxOperandKind kind, unsigned count)
{
    unsigned k = rig->insn.operand_count++;
    unsigned at = rig->insn.begin[k];
    rig->insn.begin[k + 1] = (uint8_t)(at + count);
    rig->ptx_operands[k] = (PtxOperand){.kind = (uint8_t)kind, .count = (uint16_t)count, .first = 8};
    for (unsigned i = 8; i < 8 + 32; i++)
        rig->ptx_operands[i].kind = PTX_SINK;
    rig->ptx.operand_count = rig->insn.operand_count;
    return &rig->operands[at];
}

static inline Operand rig_register(unsigned slot, unsigned bytes)
{
    return (Operand){
        .kind = OPERAND_REGISTER, .bytes = (uint8_t)bytes, .slot = slot, .offset = slot * LANES * 4};
}

/* A vector of registers from `slot` on. */
static inline void rig_registers(Rig *rig, unsigned slot, unsigned count, unsigned bytes)
{
    Operand *operands = rig_add(rig, PTX_VECTOR, count);
    for (unsigned i = 0; i < count; i++)
        operands[i] = rig_register(slot + i * bytes / 4, bytes);
}

/* slot|predicate */
static inline void rig_pair(Rig *rig, unsigned slot, unsigned predicate)
{
    Operand *operands = rig_add(rig, PTX_PAIR, 2);
    operands[0] = rig_register(slot, 4);
    operands[1] = (Operand){.kind = OPERAND_PREDICATE, .slot = predicate};
}

static inline void rig_predicate(Rig *rig, unsigned predicate, bool negated)
{
    *rig_add(rig, PTX_REGISTER, 1) =
        (Operand){.kind = OPERAND_PREDICATE, .slot = predicate, .negated = negated};
}

static inline void rig_immediate(Rig *rig, int64_t value)
{
    *rig_add(rig, PTX_INTEGER, 1) = (Operand){.kind = OPERAND_IMMEDIATE, .bytes = 8, .value = value};
}

/* [register of 8 bytes] */
static inline void rig_address(Rig *rig, unsigned slot)
{
    *rig_add(rig, PTX_ADDRESS, 1) = rig_register(slot, 8);
}

static inline uint32_t *rig_lanes(Rig *rig, unsigned slot) { return &rig->words[slot * LANES]; }
static inline uint64_t *rig_lanes64(Rig *rig, unsigned slot) { return (uint64_t *)&rig->words[slot * LANES]; }

static inline void rig_decode(Rig *rig)
{
    const char *problem;
    rig->insn.detail = matrix_decode(&rig->function, &rig->ptx, &rig->arena, &problem);
}

#endif

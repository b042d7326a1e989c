/* PTX operands to operands that run: registers to slots, names to addresses, literals to lanes. */
#include "exec/link/link.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/float_narrow.h"

WbStatus link_error(Linker *linker, uint32_t number, const PtxInsn *insn, WbStatus status, const char *format,
                    ...)
{
    char sentence[1024], place[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    module_place_text(linker->module, insn, place, sizeof place);
    size_t length = 0;
    const char *line = module_line(linker->module, insn->place.line, &length);
    while (length && (*line == ' ' || *line == '\t'))
        line++, length--;
    const char *function = link_function_of(linker, number)->name;
    int shown = (int)(length < 200 ? length : 200);
    if (number == 0)
        return error_set(linker->error, status, "%s: kernel '%.200s' %s\n    %.*s", place,
                         linker->program->name, sentence, shown, line);
    return error_set(linker->error, status, "%s: kernel '%.200s', in function '%.200s', %s\n    %.*s", place,
                     linker->program->name, function, sentence, shown, line);
}

static uint32_t constant_hash(uint64_t value, unsigned bytes)
{
    uint64_t mixed = (value + bytes) * 0x9E3779B97F4A7C15ull;
    return (uint32_t)(mixed >> 32);
}

/* Units of 8 bytes that LANES copies of a constant of this size take. */
static uint32_t constant_units(unsigned bytes) { return LANES * bytes / 8; }

static void rehash_constants(Linker *linker, uint32_t capacity);

/* The index holds, for each constant, its position * 2 + (is it 8 bytes wide) + 1. */
static uint32_t *constant_find(Linker *linker, uint64_t value, unsigned bytes)
{
    uint32_t capacity = linker->constant_index.capacity;
    for (uint32_t i = constant_hash(value, bytes) & (capacity - 1);; i = (i + 1) & (capacity - 1)) {
        uint32_t *entry = &linker->constant_index.items[i];
        if (!*entry)
            return entry;
        uint32_t position = (*entry - 1) / 2;
        unsigned width = (*entry - 1) % 2 ? 8 : 4;
        uint64_t stored = linker->constants.items[position];
        /* A 4-byte constant fills its 8-byte units twice, so its low half is the value. */
        if (width == bytes && (bytes == 8 ? stored : (uint32_t)stored) == value)
            return entry;
    }
}

static void rehash_constants(Linker *linker, uint32_t capacity)
{
    uint32_t *old = linker->constant_index.items;
    uint32_t old_capacity = linker->constant_index.capacity;
    linker->constant_index.items = xcalloc(capacity, sizeof *old);
    linker->constant_index.capacity = capacity;
    for (uint32_t i = 0; i < old_capacity; i++)
        if (old[i]) {
            unsigned bytes = (old[i] - 1) % 2 ? 8 : 4;
            uint64_t stored = linker->constants.items[(old[i] - 1) / 2];
            *constant_find(linker, bytes == 8 ? stored : (uint32_t)stored, bytes) = old[i];
        }
    xfree(old);
}

uint32_t link_constant(Linker *linker, uint64_t value, unsigned bytes)
{
    if (2 * (linker->constant_index.count + 1) > linker->constant_index.capacity)
        rehash_constants(linker, linker->constant_index.capacity ? 2 * linker->constant_index.capacity : 64);
    value = bytes == 8 ? value : (uint32_t)value;
    uint32_t *entry = constant_find(linker, value, bytes);
    /* Immediates are spread over the lanes once for a program, so that a lane function reads them like a
     * register. */
    if (!*entry) {
        uint32_t position = linker->constants.count;
        uint64_t unit = bytes == 8 ? value : value | value << 32;
        for (uint32_t i = 0; i < constant_units(bytes); i++)
            VEC_PUSH(&linker->constants, unit);
        *entry = position * 2 + (bytes == 8) + 1;
        linker->constant_index.count++;
    }
    return (*entry - 1) / 2 * 8;
}

static Operand immediate(Linker *linker, uint64_t value, unsigned bytes)
{
    Operand operand = {.kind = OPERAND_IMMEDIATE, .bytes = (uint8_t)bytes};
    operand.value = (int64_t)(bytes == 4 ? (uint32_t)value : value);
    operand.offset = link_constant(linker, value, bytes);
    return operand;
}

/* A floating literal takes the format of the instruction's type. */
static uint64_t literal_bits(const PtxOperand *from, unsigned bytes, Type type)
{
    uint64_t bits = (uint64_t)from->value;
    float single;
    double wide;
    if (from->kind == PTX_INTEGER)
        return bits;
    if (from->kind == PTX_FLOAT32) {
        uint32_t low = (uint32_t)bits;
        if (bytes == 4)
            return low;
        memcpy(&single, &low, sizeof single);
        wide = single;
        memcpy(&bits, &wide, sizeof bits);
        return bits;
    }
    if (bytes == 8)
        return bits;
    memcpy(&wide, &bits, sizeof wide);
    if (type == TYPE_f16)
        return narrow(wide, FORMAT_F16, ROUND_NEAREST, false);
    single = (float)wide;
    uint32_t low;
    memcpy(&low, &single, sizeof low);
    return low;
}

/* A texture or surface reference is the handle of an object that its module owns. */
static WbStatus reference_operand(Linker *linker, uint32_t number, const PtxInsn *insn,
                                  const PtxOperand *from, Operand *to)
{
    const Variable *v = &linker->module->variables[from->index];
    const uint64_t handle =
        linker->environment->variable_address(linker->environment->context, from->index);
    if (v->type == TYPE_samplerref)
        return link_error(linker, number, insn, WB_ERROR_UNSUPPORTED,
                          "uses '%s', a sampler of its own, which is not executed; texture objects and "
                          "references hold their sampler",
                          v->name);
    if (!handle)
        return link_error(linker, number, insn, v->is_extern ? WB_ERROR_NOT_FOUND : WB_ERROR_UNSUPPORTED,
                          v->is_extern ? "uses '%s', which is declared .extern but defined nowhere in the "
                                         "module; define it there"
                                       : "uses '%s', an array of texture or surface references, or one "
                                         "inside of a function; declare references one by one outside",
                          v->name);
    *to = immediate(linker, handle, 8);
    return WB_OK;
}

static WbStatus variable_operand(Linker *linker, uint32_t number, const PtxInsn *insn, const PtxOperand *from,
                                 unsigned bytes, Operand *to)
{
    const Variable *v = &linker->module->variables[from->index];
    const Placement *placement = &linker->placements[from->index];
    /* The kernel's own parameters are at fixed places of the launch's buffer; those of functions move with
     * the frame. */
    bool of_kernel = v->function == linker->reached.items[0] && number == 0;
    switch (v->space) {
    case SPACE_GLOBAL:
    case SPACE_CONST:
        if (v->is_extern)
            return link_error(
                linker, number, insn, WB_ERROR_NOT_FOUND,
                "uses '%s', which is declared .extern but defined nowhere in the module; define it there",
                v->name);
        *to = immediate(linker,
                        linker->environment->variable_address(linker->environment->context, from->index) +
                            (uint64_t)from->value,
                        8);
        return WB_OK;
    case SPACE_SHARED:
        *to = immediate(linker, placement->offset + (uint64_t)from->value, bytes);
        return WB_OK;
    case SPACE_LOCAL:
        if (v->function == NO_INDEX)
            *to = immediate(linker, placement->offset + (uint64_t)from->value, bytes);
        else
            *to = (Operand){
                .kind = OPERAND_LOCAL, .bytes = (uint8_t)bytes, .value = placement->offset + from->value};
        return WB_OK;
    case SPACE_PARAM:
        for (uint32_t i = 0; of_kernel && i < link_function_of(linker, 0)->parameter_count; i++)
            if (link_function_of(linker, 0)->parameters[i] == from->index) {
                *to = immediate(linker, placement->offset + (uint64_t)from->value, bytes);
                return WB_OK;
            }
        *to = (Operand){.kind = placement->in_local ? OPERAND_LOCAL : OPERAND_PARAM,
                        .bytes = (uint8_t)bytes,
                        .value = placement->offset + from->value};
        return WB_OK;
    default:
        return reference_operand(linker, number, insn, from, to);
    }
}

static Operand register_operand(Linker *linker, uint32_t number, const PtxOperand *from)
{
    const ProgramFunction *function = &linker->program->functions[number];
    unsigned bits = type_bits(function->function->registers[from->index].type);
    uint32_t slot = function->flow->slot[from->index];
    if (bits == 1)
        return (Operand){.kind = OPERAND_PREDICATE, .negated = from->negated, .slot = slot};
    return (Operand){.kind = OPERAND_REGISTER,
                     .bytes = (uint8_t)(bits <= 32 ? 4 : bits / 8),
                     .slot = slot,
                     /* A slot is one 4-byte word of every lane; wider registers take slots that follow each
                      * other. */
                     .offset = slot * linker->environment->width * 4};
}

WbStatus link_operand(Linker *linker, uint32_t number, const PtxInsn *insn, const PtxOperand *from,
                      unsigned bytes, Type type, Operand *to)
{
    *to = (Operand){0};
    switch (from->kind) {
    case PTX_REGISTER:
        *to = register_operand(linker, number, from);
        return WB_OK;
    case PTX_INTEGER:
    case PTX_FLOAT32:
    case PTX_FLOAT64:
        *to = immediate(linker, literal_bits(from, bytes, type), bytes);
        to->negated = from->negated;
        return WB_OK;
    case PTX_SPECIAL:
        if (linker->environment->width != LANES && from->index >= SPECIAL_lanemask_eq &&
            from->index <= SPECIAL_lanemask_gt)
            return link_error(
                linker, number, insn, WB_ERROR_UNSUPPORTED,
                "reads a %%lanemask register, which PTX defines for warps of 32 lanes, not of %u",
                linker->environment->width);
        *to = (Operand){.kind = OPERAND_SPECIAL, .bytes = (uint8_t)bytes, .slot = from->index};
        return WB_OK;
    case PTX_VARIABLE:
        return variable_operand(linker, number, insn, from, bytes, to);
    case PTX_FUNCTION:
        *to = immediate(linker,
                        linker->environment->function_address(linker->environment->context, from->index), 8);
        return WB_OK;
    default:
        return WB_OK;
    }
}

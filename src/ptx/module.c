/* What others ask of a parsed module: names, lines, places. */
#include "ptx/module.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/printable.h"

unsigned special_bits(SpecialRegister special)
{
    static const uint8_t bits[SPECIAL_COUNT] = {
#define SPECIAL(identifier, spelling, width) [SPECIAL_##identifier] = width,
#include "ptx/special.def"
#undef SPECIAL
    };
    return bits[special];
}

const char *space_name(Space space)
{
    static const char *const names[] = {
        [SPACE_GENERIC] = "generic", [SPACE_GLOBAL] = "global", [SPACE_SHARED] = "shared",
        [SPACE_LOCAL] = "local",     [SPACE_CONST] = "const",   [SPACE_PARAM] = "param",
        [SPACE_REG] = "reg",         [SPACE_TEXTURE] = "tex",
    };
    return (unsigned)space < sizeof names / sizeof names[0] ? names[space] : "";
}

bool function_divides_exactly(const Function *function, const PtxInsn *insn)
{
    static const char *const names[] = {"div", "rem", "rcp", "sqrt", "rsqrt"};
    bool divides = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        divides |= !strcmp(insn->mnemonic, names[i]);
    if (!divides || function_has_mod(function, insn, TYPE_u32))
        return false;
    const bool is_double = function_has_mod(function, insn, TYPE_f64);
    if (is_double)
        return !function_has_mod(function, insn, MOD_ftz);
    return !function_has_mod(function, insn, MOD_approx) && !function_has_mod(function, insn, MOD_full);
}

void module_free(Module *module)
{
    if (!module)
        return;
    map_free(&module->function_names);
    map_free(&module->variable_names);
    Arena arena = module->arena; /* holds the module itself */
    arena_free(&arena);
}

const char *module_line(const Module *module, uint32_t line, size_t *length)
{
    const char *at = module->text, *end = module->text + module->text_length;
    for (uint32_t i = 1; i < line; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline) {
            *length = 0;
            return end;
        }
        at = newline + 1;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    *length = (size_t)((newline ? newline : end) - at);
    /* Texts of Windows end their lines with both. */
    if (*length && at[*length - 1] == '\r')
        --*length;
    return at;
}

const char *module_file(const Module *module, uint32_t line, uint32_t *file_line)
{
    /* Parts are in the order of lines: the last that begins at or before the line holds it. */
    uint32_t part = module->part_count;
    while (part && module->parts[part - 1].first_line > line)
        part--;
    /* Lines of a linked module are numbered through; users know those of their files. */
    *file_line = part ? line - module->parts[part - 1].first_line + 1 : line;
    return part ? module->parts[part - 1].file_name : module->file_name;
}

const char *module_place_text(const Module *module, const PtxInsn *insn, char *buffer, size_t size)
{
    const SourcePlace *source = &insn->source;
    const char *file = source->file < module->file_count ? module->files[source->file] : NULL;
    uint32_t line;
    char shown[2][PRINTABLE_NAME_SIZE];
    const char *name = printable_name(module_file(module, insn->place.line, &line), shown[0]);
    /* The CUDA source where the PTX names it, behind the place in the PTX. */
    if (source->line && file)
        snprintf(buffer, size, "%.200s:%u:%u (%.200s:%u)", name, line, insn->place.column,
                 printable_name(file, shown[1]), source->line);
    else
        snprintf(buffer, size, "%.200s:%u:%u", name, line, insn->place.column);
    return buffer;
}

static uint32_t find(const Map *map, const char *name)
{
    uint32_t index = NO_INDEX;
    map_get(map, name, strlen(name), &index);
    return index;
}

uint32_t module_find_function(const Module *module, const char *name)
{
    return find(&module->function_names, name);
}
uint32_t module_find_variable(const Module *module, const char *name)
{
    return find(&module->variable_names, name);
}

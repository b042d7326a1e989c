/* Names of source lines are made once for an instruction and then found by its place in the code. Equal texts
 * share one number, so several instructions of one line are one place in what is told. */
#include "watch/places.h"

#include <stdio.h>
#include <string.h>

static void name_place(const Program *program, const Insn *insn, char *text, size_t size)
{
    const Module *module = program->functions[insn->function].module;
    const SourcePlace *source = &insn->ptx->source;
    const char *file = source->file < module->file_count ? module->files[source->file] : NULL;
    uint32_t line = source->line;
    /* Without .loc lines PTX is the only source there is. */
    if (!line || !file)
        file = module_file(module, insn->ptx->place.line, &line);
    snprintf(text, size, "%.400s:%u", file, line);
}

static uint32_t number_of(Places *places, const char *text)
{
    uint32_t number;
    const size_t length = strlen(text);
    if (map_get(&places->numbers, text, length, &number))
        return number;
    const char *kept = arena_strndup(&places->arena, text, length);
    number = places->texts.count;
    VEC_PUSH(&places->texts, kept);
    map_put(&places->numbers, kept, length, number);
    return number;
}

uint32_t places_find(Places *places, uint32_t grid, const Program *program, const Insn *insn)
{
    bool is_new;
    uint32_t *number = pair_map_at(&places->known, grid, (uint32_t)(insn - program->code), &is_new);
    if (is_new) {
        char text[512];
        name_place(program, insn, text, sizeof text);
        *number = number_of(places, text);
    }
    return *number;
}

void places_free(Places *places)
{
    arena_free(&places->arena);
    VEC_FREE(&places->texts);
    map_free(&places->numbers);
    pair_map_free(&places->known);
}

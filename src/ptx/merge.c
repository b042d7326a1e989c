/* Linking modules in three steps: put the texts together, decide which module's functions and variables
 * stay under which number (merge_resolve.c), then write those numbers into all that names them.
 *
 * The lines of the texts are numbered in one row, so that a place alone tells the file (module_file). */
#include "ptx/merge_state.h"

#include <string.h>

static uint32_t line_count(const Module *module)
{
    /* A text without a newline is one line. */
    uint32_t lines = 1;
    const char *at = module->text, *end = at + module->text_length;
    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        lines++;
        at++;
    }
    return lines;
}

static const char *merged_name(Arena *arena, Module *const *modules, uint32_t count)
{
    const char *first = modules[0]->file_name;
    return count == 1 ? first : arena_printf(arena, "%s and %u more", first, count - 1);
}

/* Texts and file names of .loc one after the other. */
static void join_texts(Merge *merge)
{
    Module *to = merge->merged;
    size_t length = 0;
    uint32_t files = 0, line = 1;
    for (uint32_t i = 0; i < merge->count; i++) {
        length += merge->modules[i]->text_length + 1;
        files += merge->modules[i]->file_count;
    }
    char *text = arena_alloc(&to->arena, length + 1), *end = text;
    ModulePart *parts = ARENA_ARRAY(&to->arena, ModulePart, merge->count);
    to->files = ARENA_ARRAY(&to->arena, const char *, files);
    for (uint32_t i = 0; i < merge->count; i++) {
        const Module *from = merge->modules[i];
        parts[i] = (ModulePart){from->file_name, line};
        /* Lines count from 1, so the first module's stay as they are. */
        merge->bases[i] = (MergeBase){.line = line - 1, .file = to->file_count};
        memcpy(end, from->text, from->text_length);
        end += from->text_length;
        *end++ = '\n';
        line += line_count(from);
        if (from->file_count)
            memcpy(to->files + to->file_count, from->files, from->file_count * sizeof *from->files);
        to->file_count += from->file_count;
    }
    to->text = text;
    to->text_length = length;
    to->parts = parts;
    to->part_count = merge->count;
}

static void renumber(uint32_t *numbers, uint32_t count, const uint32_t *map)
{
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = map[numbers[i]];
}

/* Module m's function as it is in the merged module. What it points to belongs to its module, which is used
 * up, so it is changed in place. */
static Function move_function(const Merge *merge, uint32_t m, const Function *from)
{
    const uint32_t *functions = merge->functions[m], *variables = merge->variables[m];
    const MergeBase *base = &merge->bases[m];
    Function function = *from;
    function.place.line += base->line;
    renumber(function.results, function.result_count, variables);
    renumber(function.parameters, function.parameter_count, variables);
    for (uint32_t i = 0; i < function.insn_count; i++) {
        function.insns[i].place.line += base->line;
        /* Numbers of .file are a module's own. */
        function.insns[i].source.file += base->file;
    }
    for (uint32_t i = 0; i < function.operand_count; i++) {
        PtxOperand *operand = &function.operands[i];
        if (operand->kind == PTX_VARIABLE)
            operand->index = variables[operand->index];
        else if (operand->kind == PTX_FUNCTION)
            operand->index = functions[operand->index];
    }
    for (uint32_t i = 0; i < function.table_count; i++) {
        const Table *table = &function.tables[i];
        if (table->names_functions)
            renumber(table->targets, table->target_count, functions);
    }
    return function;
}

static Variable move_variable(const Merge *merge, uint32_t m, const Variable *from)
{
    const uint32_t bytes = from->relocation_count * (uint32_t)sizeof(Relocation);
    Relocation *relocations = arena_copy(&merge->merged->arena, from->relocations, bytes);
    Variable variable = *from;
    variable.place.line += merge->bases[m].line;
    if (variable.function != NO_INDEX)
        variable.function = merge->functions[m][variable.function];
    for (uint32_t i = 0; i < variable.relocation_count; i++) {
        const uint32_t *map = relocations[i].is_function ? merge->functions[m] : merge->variables[m];
        relocations[i].target = map[relocations[i].target];
    }
    variable.relocations = relocations;
    return variable;
}

/* A name that several files have for themselves is found in the first, unless it is visible somewhere. */
static void put_name(Map *map, const char *name, uint32_t number, bool is_shared)
{
    uint32_t known;
    const size_t length = strlen(name);
    if (is_shared || !map_get(map, name, length, &known))
        map_put(map, name, length, number);
}

static void move_all(Merge *merge)
{
    Module *to = merge->merged;
    to->function_count = merge->kept_functions.count;
    to->functions = ARENA_ARRAY(&to->arena, Function, to->function_count);
    to->variable_count = merge->kept_variables.count;
    to->variables = ARENA_ARRAY(&to->arena, Variable, to->variable_count);
    for (uint32_t i = 0; i < to->function_count; i++) {
        const MergeKept kept = merge->kept_functions.items[i];
        to->functions[i] =
            move_function(merge, kept.module, &merge->modules[kept.module]->functions[kept.index]);
        put_name(&to->function_names, to->functions[i].name, i, merge_shares_function(&to->functions[i]));
    }
    for (uint32_t i = 0; i < to->variable_count; i++) {
        const MergeKept kept = merge->kept_variables.items[i];
        to->variables[i] =
            move_variable(merge, kept.module, &merge->modules[kept.module]->variables[kept.index]);
        if (to->variables[i].function == NO_INDEX)
            put_name(&to->variable_names, to->variables[i].name, i, merge_shares_variable(&to->variables[i]));
    }
}

static Merge new_merge(Module **modules, uint32_t count, Error *error)
{
    Arena arena = {0};
    Module *merged = ARENA_NEW(&arena, Module);
    Merge merge = {.modules = modules, .count = count, .merged = merged, .error = error};
    merge.bases = ARENA_ARRAY(&arena, MergeBase, count);
    merge.functions = ARENA_ARRAY(&arena, uint32_t *, count);
    merge.variables = ARENA_ARRAY(&arena, uint32_t *, count);
    merged->file_name = merged_name(&arena, modules, count);
    merged->address_bits = modules[0]->address_bits;
    for (uint32_t m = 0; m < count; m++) {
        const Module *from = modules[m];
        merge.functions[m] = ARENA_ARRAY(&arena, uint32_t, from->function_count + 1);
        merge.variables[m] = ARENA_ARRAY(&arena, uint32_t, from->variable_count + 1);
        merged->version = from->version > merged->version ? from->version : merged->version;
        /* The newest wins: a GPU that runs the newest part runs all of them. */
        merged->target = from->target > merged->target ? from->target : merged->target;
        merged->is_debug |= from->is_debug;
        if (from->address_bits != merged->address_bits)
            error_set(error, WB_ERROR_PTX,
                      "%s has %u-bit addresses and %s %u-bit ones; they cannot be linked.",
                      modules[0]->file_name, merged->address_bits, from->file_name, from->address_bits);
    }
    merged->arena = arena;
    return merge;
}

WbStatus module_merge(Module **modules, uint32_t count, Module **merged, Error *error)
{
    Merge merge = new_merge(modules, count, error);
    *merged = NULL;
    if (error->status == WB_OK && merge_resolve(&merge) == WB_OK) {
        join_texts(&merge);
        move_all(&merge);
        *merged = merge.merged;
    }
    for (uint32_t m = 0; m < count; m++) {
        if (*merged) { /* names and code stay where they are */
            Arena arena = modules[m]->arena;
            map_free(&modules[m]->function_names);
            map_free(&modules[m]->variable_names);
            /* The merged module's functions still point into it. */
            arena_take(&(*merged)->arena, &arena);
        } else {
            module_free(modules[m]);
        }
    }
    merge_free(&merge);
    if (!*merged)
        module_free(merge.merged);
    return error->status;
}

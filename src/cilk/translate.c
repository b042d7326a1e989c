/* The CUDA C of a whole program: structs, globals, functions, elements, kernels. */
#include "cilk/translate.h"

#include <stdlib.h>
#include <string.h>

#include "cilk/emit.h"

const CilkUnit *cilk_unit_of(const CilkEmit *emit, const CilkFunction *function)
{
    for (uint32_t i = 0; i < emit->units.count; i++)
        if (emit->units.items[i].function == function)
            return &emit->units.items[i];
    return NULL;
}

/* -- the graph -- */

/* Where a field comes to lie behind `bytes`, and the end of it. */
static uint64_t add_field(uint64_t bytes, const CilkType *type)
{
    return (bytes + type->alignment - 1) / type->alignment * type->alignment + type->size;
}

/* Of a group's frame. */
static uint64_t frame_bytes(const CilkUnit *unit, const CilkGroup *group)
{
    uint64_t bytes = unit->function->returns->kind != CILK_VOID ? 8 : 0;
    if (cilk_group_has_choice(group))
        bytes += 4;
    for (uint32_t i = 0; i < unit->function->variable_count; i++)
        if (cilk_live_has(&group->saved, i))
            bytes = add_field(bytes, unit->function->variables[i]->type);
    bytes = (bytes + 7) & ~(uint64_t)7;
    return bytes ? bytes : 8;
}

static void add_stack(CilkEmit *emit, const CilkFunction *function, uint32_t number, uint64_t bytes,
                      Error *error)
{
    Arena *arena = &emit->graph->arena;
    const CilkStack stack = {arena_printf(arena, "%s_%u", function->name, number), (uint32_t)bytes,
                             number > 0};
    if (bytes > CILK_MOST_ELEMENT)
        cilk_error(emit->program, function->place, error,
                   "what %s() %s has %llu bytes, and a channel's element has %d at most: make large "
                   "variables global.",
                   function->name, number ? "keeps until behind a cilk_sync" : "takes",
                   (unsigned long long)bytes, CILK_MOST_ELEMENT);
    VEC_PUSH(&emit->graph->stacks, stack);
}

static void add_unit(CilkEmit *emit, const CilkFunction *function, const CilkSplit *split, Error *error)
{
    CilkUnit unit = {.function = function, .split = *split, .stack = emit->graph->stacks.count};
    add_stack(emit, function, 0, cilk_task_bytes(function), error);
    for (uint32_t g = 0; g < split->groups.count; g++)
        add_stack(emit, function, g + 1, frame_bytes(&unit, &split->groups.items[g]), error);
    VEC_PUSH(&emit->units, unit);
}

/* Adds the function, and all that it spawns or calls as tasks in turn, to those that were `seen`. */
static void find_reached(const CilkFunction *function, bool *seen);

static void find_in_statements(const CilkStatement *statement, bool *seen)
{
    for (; statement; statement = statement->next) {
        if (statement->kind == CILK_SPAWN || statement->kind == CILK_CALL_TASK)
            find_reached(statement->call->function, seen);
        find_in_statements(statement->body, seen);
        find_in_statements(statement->other, seen);
    }
}

static void find_reached(const CilkFunction *function, bool *seen)
{
    if (seen[function->index])
        return;
    seen[function->index] = true;
    if (function->is_task)
        find_in_statements(function->body, seen);
}

/* Functions that become kernels, by their index. */
static bool *find_kernels(const CilkProgram *program, const CilkFunction *called, Arena *arena)
{
    bool *is_kernel = ARENA_ARRAY(arena, bool, program->function_count + 1);
    if (called) {
        find_reached(called, is_kernel);
        return is_kernel;
    }
    for (uint32_t i = 0; i < program->function_count; i++)
        is_kernel[i] = program->functions[i]->body &&
                       (program->functions[i]->is_task || program->functions[i]->is_spawned);
    return is_kernel;
}

static bool make_units(CilkEmit *emit, const CilkFunction *called, Error *error)
{
    const bool *is_kernel = find_kernels(emit->program, called, emit->arena);
    for (uint32_t i = 0; i < emit->program->function_count; i++) {
        const CilkFunction *function = emit->program->functions[i];
        CilkSplit split = {.function = function};
        if (!is_kernel[i])
            continue;
        if (function->is_task && !cilk_split(emit->program, function, &split, error)) {
            cilk_split_free(&split);
            return false;
        }
        add_unit(emit, function, &split, error);
    }
    if (!emit->units.count)
        cilk_error(emit->program, (CilkPlace){.line = 1, .column = 1}, error,
                   "no function spawns or is spawned, so there is nothing to run in parallel.");
    return error->status == WB_OK;
}

static void add_edges_of(CilkEmit *emit, const CilkUnit *unit, uint32_t node, const CilkReach *reach)
{
    for (uint32_t i = 0; i < emit->units.count; i++)
        if (cilk_live_has(&reach->functions, emit->units.items[i].function->index % CILK_MOST_VARIABLES))
            cilk_graph_add_edge(emit->graph, node, emit->units.items[i].stack);
    for (uint32_t g = 0; g < unit->split.groups.count; g++)
        if (unit->split.groups.items[g].syncs & reach->syncs)
            cilk_graph_add_edge(emit->graph, node, unit->stack + 1 + g);
    for (uint32_t i = 0; i < unit->split.points.count; i++) { /* frames that are taken to the end */
        const CilkPoint *point = &unit->split.points.items[i];
        if (point->needs_frame && point->ahead == CILK_END &&
            cilk_live_has(&reach->functions, point->statement->call->function->index % CILK_MOST_VARIABLES))
            cilk_graph_add_edge(emit->graph, node, unit->stack + 1 + point->group);
    }
}

static void add_edges(CilkEmit *emit, const CilkUnit *unit)
{
    add_edges_of(emit, unit, unit->stack, &unit->split.reach);
    for (uint32_t k = 0; k < unit->split.syncs.count; k++)
        add_edges_of(emit, unit, unit->stack + 1 + unit->split.syncs.items[k].group,
                     &unit->split.syncs.items[k].reach);
}

/* "int fib(int n)", if it takes and returns only numbers. */
static void add_entry(CilkEmit *emit, const CilkUnit *unit)
{
    const CilkFunction *function = unit->function;
    Arena *arena = &emit->graph->arena;
    const char *list = "";
    if (function->returns->kind > CILK_DOUBLE)
        return;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const CilkVariable *parameter = function->variables[i];
        if (parameter->type->kind > CILK_DOUBLE)
            return;
        list = arena_printf(arena, "%s%s%s", list, i ? ", " : "",
                            cilk_declaration(arena, parameter->type, parameter->name));
    }
    const char *name = arena_printf(arena, "%s(%s)", function->name, *list ? list : "void");
    const CilkEntry entry = {unit->stack, cilk_declaration(arena, function->returns, name)};
    VEC_PUSH(&emit->graph->entries, entry);
}

/* -- the text -- */

/* What is done with channels again and again is called: kernels with copies of it everywhere would be several
 * times as long, and the instruction cache would not hold them. */
static const char helpers[] =
    "static __device__ __noinline__ void *reserve(unsigned channel, unsigned line)\n"
    "{\n"
    "    return wb_element(wb_channel(channel, line), wb_talloc(channel, 1, line));\n"
    "}\n"
    "static __device__ __noinline__ void put(unsigned channel, const void *element, unsigned line)\n"
    "{\n"
    "    wb_enq(channel, element, 1, line);\n"
    "}\n"
    "static __device__ __noinline__ void release()\n"
    "{\n"
    "    tfree(wb_source(), wb_source_offset());\n"
    "}\n";

static void emit_head(CilkEmit *emit)
{
    cilk_line(emit, "#include <warpbeam_device.h>");
    cilk_line(emit, "namespace cilk {");
    fputs(helpers, emit->out);
    cilk_line(emit, "enum : unsigned {");
    cilk_line(emit, "    LEVELS = %u,", emit->graph->levels);
    for (uint32_t i = 0; i < emit->graph->stacks.count; i++)
        cilk_line(emit, "    STACK_%s = %u * LEVELS,", emit->graph->stacks.items[i].name, i);
    cilk_line(emit, "};");
}

/* "static __device__ int min_(int a_, int b_)" */
static void emit_heading(CilkEmit *emit, const CilkFunction *function, const char *end)
{
    const char *list = "";
    for (uint32_t i = 0; i < function->parameter_count; i++)
        list = arena_printf(emit->arena, "%s%s%s", list, i ? ", " : "",
                            cilk_named(emit, function->variables[i]->type,
                                       arena_printf(emit->arena, "%s_", function->variables[i]->unique)));
    cilk_line(emit, "static __device__ %s%s",
              cilk_named(emit, function->returns, arena_printf(emit->arena, "%s_(%s)", function->name, list)),
              end);
}

static bool is_called(const CilkFunction *function) { return function->body && !function->is_task; }

static void emit_function(CilkEmit *emit, const CilkFunction *function)
{
    emit->function = function;
    cilk_at(emit, function->place);
    emit_heading(emit, function, "");
    cilk_line(emit, "{");
    emit->depth++;
    for (uint32_t i = function->parameter_count; i < function->variable_count; i++) {
        const CilkVariable *variable = function->variables[i];
        cilk_line(emit, "%s;",
                  cilk_named(emit, variable->type, arena_printf(emit->arena, "%s_", variable->unique)));
    }
    for (const CilkStatement *statement = function->body->body; statement; statement = statement->next)
        cilk_emit_statement(emit, statement);
    if (function->returns->kind != CILK_VOID)
        cilk_line(emit, "return {};"); /* C may come here where nobody looks at the result; C++ may not */
    emit->depth--;
    cilk_line(emit, "}");
    cilk_at(emit, (CilkPlace){0});
}

static bool emit_program(CilkEmit *emit, Error *error)
{
    const CilkProgram *program = emit->program;
    emit_head(emit);
    cilk_emit_records(emit);
    if (!cilk_emit_globals(emit, error))
        return false;
    for (uint32_t i = 0; i < program->function_count; i++)
        if (is_called(program->functions[i]))
            emit_heading(emit, program->functions[i], ";");
    for (uint32_t i = 0; i < emit->units.count; i++)
        cilk_emit_elements(emit, &emit->units.items[i]);
    for (uint32_t i = 0; i < program->function_count; i++)
        if (is_called(program->functions[i]))
            emit_function(emit, program->functions[i]);
    for (uint32_t i = 0; i < emit->units.count; i++)
        cilk_emit_kernels(emit, &emit->units.items[i]);
    cilk_at(emit, (CilkPlace){0});
    cilk_line(emit, "}");
    return true;
}

static bool translate(CilkEmit *emit, const CilkFunction *called, Error *error)
{
    if (!make_units(emit, called, error))
        return false;
    for (uint32_t i = 0; i < emit->units.count; i++) {
        add_edges(emit, &emit->units.items[i]);
        add_entry(emit, &emit->units.items[i]);
    }
    return emit_program(emit, error);
}

char *cilk_translate(const CilkProgram *program, uint32_t levels, const CilkFunction *called,
                     CilkGraph *graph, Error *error)
{
    Arena arena = {0};
    CilkEmit emit = {.program = program, .graph = graph, .arena = &arena};
    char *text = NULL;
    size_t length = 0;
    *graph = (CilkGraph){.levels = levels};
    emit.out = open_memstream(&text, &length);
    const bool is_done = translate(&emit, called, error);
    fclose(emit.out);
    for (uint32_t i = 0; i < emit.units.count; i++)
        cilk_split_free(&emit.units.items[i].split);
    VEC_FREE(&emit.units);
    arena_free(&arena);
    if (is_done)
        return text;
    free(text);
    return NULL;
}

/* Kernels of a function: they share one body, which each enters elsewhere; what it does not reach the
 * compiler takes away. */
#include "cilk/emit.h"

static const char *stack_name(const CilkEmit *emit, uint32_t stack)
{
    return emit->graph->stacks.items[stack].name;
}

static bool is_in_memory(const CilkEmit *emit, uint32_t variable)
{
    return cilk_live_has(&emit->split->in_memory, variable);
}

/* -- what the body begins with -- */

static void declare_variable(CilkEmit *emit, uint32_t index)
{
    const CilkVariable *variable = emit->function->variables[index];
    const char *name =
        arena_printf(emit->arena, is_in_memory(emit, index) ? "(*%s_)" : "%s_", variable->unique);
    cilk_line(emit, "%s;", cilk_named(emit, variable->type, name));
    if (is_in_memory(emit, index) && !variable->is_parameter)
        cilk_line(emit, "%s;",
                  cilk_named(emit, variable->type, arena_printf(emit->arena, "%s_own", variable->unique)));
    if (cilk_live_has(&emit->split->targets, index))
        cilk_line(emit, "bool %s_spawned = false;", variable->unique);
}

static void declare(CilkEmit *emit)
{
    const CilkFunction *function = emit->function;
    cilk_line(emit, "const unsigned level = wb_source() - stack;");
    cilk_line(emit, "bool pending = false;");
    if (function->returns->kind != CILK_VOID)
        cilk_line(emit, "%s;", cilk_named(emit, function->returns, "(*result)"));
    for (uint32_t g = 0; g < emit->split->groups.count; g++) {
        cilk_line(emit, "Element_%s *frame_%u = 0;", stack_name(emit, emit->unit->stack + 1 + g), g + 1);
        if (emit->split->groups.items[g].is_loop)
            cilk_line(emit, "Element_%s *own_%u = 0;", stack_name(emit, emit->unit->stack + 1 + g), g + 1);
    }
    for (uint32_t i = 0; i < function->variable_count; i++)
        declare_variable(emit, i);
}

/* Takes a variable out of the element that the task was started with. */
static void load(CilkEmit *emit, uint32_t index)
{
    const CilkVariable *variable = emit->function->variables[index];
    const char *name = variable->unique;
    if (is_in_memory(emit, index))
        cilk_line(emit, "%s_ = &source->%s_;", name, name);
    else if (variable->type->kind == CILK_ARRAY)
        cilk_line(emit, "__builtin_memcpy(&%s_, &source->%s_, sizeof %s_);", name, name, name);
    else
        cilk_line(emit, "%s_ = source->%s_;", name, name);
}

static void begin_entry(CilkEmit *emit, uint32_t entry)
{
    cilk_line(emit, "if (entry == %u) {", entry);
    emit->depth++;
    cilk_line(emit, "Element_%s *const source = deq(wb_source(), wb_source_offset());",
              stack_name(emit, emit->unit->stack + entry));
    if (emit->function->returns->kind != CILK_VOID)
        cilk_line(emit, "result = source->result;");
}

static void end_entry(CilkEmit *emit)
{
    emit->depth--;
    cilk_line(emit, "}");
}

static void enter_first(CilkEmit *emit)
{
    const CilkFunction *function = emit->function;
    begin_entry(emit, 0);
    for (uint32_t i = 0; i < function->parameter_count; i++)
        load(emit, i);
    for (uint32_t i = function->parameter_count; i < function->variable_count; i++)
        if (is_in_memory(emit, i))
            cilk_line(emit, "%s_ = &%s_own;", function->variables[i]->unique, function->variables[i]->unique);
    end_entry(emit);
}

static void enter_sync(CilkEmit *emit, uint32_t number)
{
    const CilkSync *sync = &emit->split->syncs.items[number - 1];
    for (uint32_t i = 0; i < emit->function->variable_count; i++)
        if (cilk_live_has(&sync->live, i) || is_in_memory(emit, i))
            load(emit, i);
    cilk_line(emit, "goto resume_%u;", number);
}

static void enter_group(CilkEmit *emit, uint32_t index)
{
    const CilkGroup *group = &emit->split->groups.items[index];
    begin_entry(emit, index + 1);
    if (group->is_loop)
        cilk_line(emit, "own_%u = source;", index + 1);
    for (uint32_t number = 1; number <= emit->split->syncs.count; number++) {
        if (!(group->syncs >> number & 1))
            continue;
        if (cilk_group_has_choice(group))
            cilk_line(emit, "if (source->where == %u) {", number);
        emit->depth += cilk_group_has_choice(group);
        enter_sync(emit, number);
        emit->depth -= cilk_group_has_choice(group);
        if (cilk_group_has_choice(group))
            cilk_line(emit, "}");
    }
    if (cilk_group_has_choice(group))
        cilk_line(emit, "goto done;");
    end_entry(emit);
}

/* -- the kernels -- */

static void emit_kernel(CilkEmit *emit, const CilkUnit *unit, uint32_t entry)
{
    const char *name = stack_name(emit, unit->stack + entry);
    cilk_line(emit, "extern \"C\" __global__ void %s()", name);
    cilk_line(emit, "{");
    cilk_line(emit, "    run_%s_(%u, STACK_%s);", unit->function->name, entry, name);
    cilk_line(emit, "}");
}

/* A function that spawns nothing: its kernel calls it. */
static void emit_leaf(CilkEmit *emit, const CilkUnit *unit)
{
    const CilkFunction *function = unit->function;
    const char *name = stack_name(emit, unit->stack), *arguments = "";
    cilk_line(emit, "extern \"C\" __global__ void %s()", name);
    cilk_line(emit, "{");
    emit->depth++;
    cilk_line(emit, "Element_%s *const source = deq(wb_source(), wb_source_offset());", name);
    for (uint32_t i = 0; i < function->parameter_count; i++)
        arguments = arena_printf(emit->arena, "%s%ssource->%s_", arguments, i ? ", " : "",
                                 function->variables[i]->unique);
    if (function->returns->kind == CILK_VOID) {
        cilk_line(emit, "%s_(%s);", function->name, arguments);
    } else {
        cilk_line(emit, "const %s = %s_(%s);", cilk_named(emit, function->returns, "value"), function->name,
                  arguments);
        cilk_line(emit, "if (source->result)");
        cilk_line(emit, "    *source->result = value;");
    }
    cilk_line(emit, "release();");
    emit->depth--;
    cilk_line(emit, "}");
}

/* An element that was put back again and again has other entries by now than the one that it was started
 * by. */
static void emit_free(CilkEmit *emit)
{
    bool has_loop = false;
    cilk_line(emit, "done:");
    for (uint32_t g = 0; g < emit->split->groups.count; g++)
        if (emit->split->groups.items[g].is_loop) {
            has_loop = true;
            cilk_line(emit, "if (entry == %u) {", g + 1);
            cilk_line(emit, "    wb_tfree_element(wb_source(), own_%u, __LINE__);", g + 1);
            cilk_line(emit, "    return;");
            cilk_line(emit, "}");
        }
    cilk_line(emit, "release();");
    if (has_loop)
        cilk_line(emit, "left:;");
}

static void emit_body(CilkEmit *emit)
{
    cilk_line(emit,
              "static __device__ __forceinline__ void run_%s_(const unsigned entry, const unsigned stack)",
              emit->function->name);
    cilk_line(emit, "{");
    emit->depth++;
    declare(emit);
    enter_first(emit);
    for (uint32_t g = 0; g < emit->split->groups.count; g++)
        enter_group(emit, g);
    cilk_emit_statement(emit, emit->function->body);
    cilk_emit_return(emit, NULL);
    emit_free(emit);
    emit->depth--;
    cilk_line(emit, "}");
}

void cilk_emit_kernels(CilkEmit *emit, const CilkUnit *unit)
{
    emit->function = unit->function;
    cilk_at(emit, unit->function->place);
    if (!unit->function->is_task) {
        emit_leaf(emit, unit);
        return;
    }
    emit->unit = unit;
    emit->split = &unit->split;
    emit_body(emit);
    for (uint32_t entry = 0; entry <= unit->split.groups.count; entry++)
        emit_kernel(emit, unit, entry);
    emit->unit = NULL;
    emit->split = NULL;
}

/* What tasks do with channels: spawn, reserve a frame, sync, return.
 *
 * A task's text has these variables beside the program's: `level`, its depth in the recursion; `result`,
 * where what it returns goes; `pending`, whether it has spawned since the last sync; frame_G, the frame of
 * group G if one is reserved; NAME_spawned, whether a spawned function will write the variable into the
 * frame. */
#include "cilk/emit.h"

#include <string.h>

static bool returns_nothing(const CilkFunction *function) { return function->returns->kind == CILK_VOID; }

static const char *stack_name(const CilkEmit *emit, uint32_t stack)
{
    return emit->graph->stacks.items[stack].name;
}

/* -- elements -- */

static void emit_field(CilkEmit *emit, const CilkVariable *variable)
{
    cilk_line(emit, "%s;",
              cilk_named(emit, variable->type, arena_printf(emit->arena, "%s_", variable->unique)));
}

static void begin_element(CilkEmit *emit, const CilkUnit *unit, uint32_t stack)
{
    cilk_line(emit, "struct Element_%s {", stack_name(emit, stack));
    emit->depth++;
    if (!returns_nothing(unit->function))
        cilk_line(emit, "%s;", cilk_named(emit, unit->function->returns, "(*result)"));
}

static void end_element(CilkEmit *emit, uint32_t stack)
{
    emit->depth--;
    cilk_line(emit, "};");
    cilk_line(emit, "static_assert(sizeof(Element_%s) <= %u, \"\");", stack_name(emit, stack),
              emit->graph->stacks.items[stack].element_bytes);
}

void cilk_emit_elements(CilkEmit *emit, const CilkUnit *unit)
{
    const CilkFunction *function = unit->function;
    begin_element(emit, unit, unit->stack);
    for (uint32_t i = 0; i < function->parameter_count; i++)
        emit_field(emit, function->variables[i]);
    end_element(emit, unit->stack);
    for (uint32_t g = 0; g < unit->split.groups.count; g++) {
        const CilkGroup *group = &unit->split.groups.items[g];
        begin_element(emit, unit, unit->stack + 1 + g);
        if (cilk_group_has_choice(group))
            cilk_line(emit, "unsigned where;");
        for (uint32_t i = 0; i < function->variable_count; i++)
            if (cilk_live_has(&group->saved, i))
                emit_field(emit, function->variables[i]);
        end_element(emit, unit->stack + 1 + g);
    }
}

/* -- statements -- */

/* Arrays cannot be assigned, so all but numbers and pointers is copied. */
static void emit_copy(CilkEmit *emit, const CilkType *type, const char *to, const char *from)
{
    if (type->kind == CILK_ARRAY)
        cilk_line(emit, "__builtin_memcpy(&%s, &%s, sizeof %s);", to, from, to);
    else
        cilk_line(emit, "%s = %s;", to, from);
}

/* Locals in memory move into the frame. */
static void emit_new_frame(CilkEmit *emit, uint32_t group)
{
    const CilkFunction *function = emit->function;
    const uint32_t number = group + 1;
    const char *stack = stack_name(emit, emit->unit->stack + number);
    cilk_line(emit, "frame_%u = (Element_%s *)reserve(STACK_%s + level, __LINE__);", number, stack, stack);
    for (uint32_t i = 0; i < function->variable_count; i++) {
        if (!cilk_live_has(&emit->split->in_memory, i))
            continue;
        const char *name = function->variables[i]->unique;
        cilk_line(emit, "__builtin_memcpy(&frame_%u->%s_, %s_, sizeof *%s_);", number, name, name, name);
        cilk_line(emit, "%s_ = &frame_%u->%s_;", name, number, name);
    }
}

/* In a loop a task goes on with the frame that it was started with. */
void cilk_emit_frame(CilkEmit *emit, uint32_t group)
{
    const bool is_loop = emit->split->groups.items[group].is_loop;
    cilk_line(emit, "if (!frame_%u) {", group + 1);
    emit->depth++;
    if (is_loop)
        cilk_line(emit, "if (entry == %u) {", group + 1);
    emit->depth += is_loop;
    if (is_loop) {
        cilk_line(emit, "frame_%u = own_%u;", group + 1, group + 1);
        emit->depth--;
        cilk_line(emit, "} else {");
        emit->depth++;
    }
    emit_new_frame(emit, group);
    emit->depth--;
    cilk_line(emit, "}");
    emit->depth -= is_loop;
    if (is_loop)
        cilk_line(emit, "}");
}

/* Puts the frame into its channel. */
static void emit_put(CilkEmit *emit, uint32_t group)
{
    const char *stack = stack_name(emit, emit->unit->stack + 1 + group);
    cilk_line(emit, "put(STACK_%s + level, frame_%u, __LINE__);", stack, group + 1);
}

/* The end of a task that has put what frames it had. One that has put its own back does not free it. */
static void emit_leave_own(CilkEmit *emit, uint32_t group)
{
    if (!emit->split->groups.items[group].is_loop)
        return;
    cilk_line(emit, "if (entry == %u && frame_%u)", group + 1, group + 1);
    cilk_line(emit, "    goto left;");
}

/* Where the result of a spawned function goes. */
static const char *result_address(CilkEmit *emit, const CilkStatement *statement, const CilkPoint *point)
{
    const CilkVariable *variable = cilk_target_variable(emit->split, statement);
    if (point->is_last && statement->target)
        return "result";
    if (!statement->target || (variable && !point->needs_frame))
        return "0";
    if (!variable)
        return arena_printf(emit->arena, "&%s", cilk_expression_text(emit, statement->target));
    if (!cilk_live_has(&emit->split->groups.items[point->group].saved, variable->index))
        return "0"; /* nobody reads it */
    return arena_printf(emit->arena, "&frame_%u->%s_", point->group + 1, variable->unique);
}

static void emit_task(CilkEmit *emit, const CilkStatement *statement, const CilkPoint *point)
{
    const CilkFunction *callee = statement->call->function;
    const char *stack = stack_name(emit, cilk_unit_of(emit, callee)->stack);
    cilk_line(emit, "if (level + 1 >= LEVELS)");
    cilk_line(emit, "    wb_channel_fail(WB_FAIL_LEVEL, STACK_%s + level, LEVELS, __LINE__);", stack);
    cilk_line(emit, "Element_%s *const task = (Element_%s *)reserve(STACK_%s + level + 1, __LINE__);", stack,
              stack, stack);
    if (!returns_nothing(callee))
        cilk_line(emit, "task->result = %s;", result_address(emit, statement, point));
    for (uint32_t i = 0; i < callee->parameter_count; i++)
        cilk_line(emit, "task->%s_ = %s;", callee->variables[i]->unique,
                  cilk_expression_text(emit, statement->call->arguments[i]));
    cilk_line(emit, "put(STACK_%s + level + 1, task, __LINE__);", stack);
}

void cilk_emit_spawn(CilkEmit *emit, const CilkStatement *statement)
{
    const CilkPoint *point = cilk_point(emit->split, statement);
    const CilkVariable *variable = cilk_target_variable(emit->split, statement);
    if (point->needs_frame && !point->has_frame)
        cilk_emit_frame(emit, point->group);
    cilk_line(emit, "{");
    emit->depth++;
    emit_task(emit, statement, point);
    if (variable)
        cilk_line(emit, "%s_spawned = true;", variable->unique);
    cilk_line(emit, "pending = true;");
    emit->depth--;
    cilk_line(emit, "}");
}

static void emit_save(CilkEmit *emit, const CilkSync *sync)
{
    for (uint32_t i = 0; i < emit->function->variable_count; i++) {
        const CilkVariable *variable = emit->function->variables[i];
        if (!cilk_live_has(&sync->live, i) || cilk_live_has(&emit->split->in_memory, i))
            continue;
        if (cilk_live_has(&emit->split->targets, i))
            cilk_line(emit, "if (!%s_spawned)", variable->unique);
        emit_copy(emit, variable->type,
                  arena_printf(emit->arena, "frame_%u->%s_", sync->group + 1, variable->unique),
                  arena_printf(emit->arena, "%s_", variable->unique));
    }
}

/* Whoever waits for a task waits for all that it has spawned, too: so it need not go on any more itself. Only
 * a frame that it still has must last until those that it has spawned have ended. */
static void emit_end(CilkEmit *emit)
{
    for (uint32_t g = 0; g < emit->split->groups.count; g++) {
        if (!emit->split->groups.items[g].can_end)
            continue;
        cilk_line(emit, "if (frame_%u) {", g + 1);
        emit->depth++;
        cilk_line(emit, "frame_%u->where = 0;", g + 1);
        emit_put(emit, g);
        emit->depth--;
        cilk_line(emit, "}");
    }
    for (uint32_t g = 0; g < emit->split->groups.count; g++)
        if (emit->split->groups.items[g].can_end)
            emit_leave_own(emit, g);
    cilk_line(emit, "goto done;");
}

/* Saves what is live, puts the frame into its channel, and ends. */
static void emit_leave(CilkEmit *emit, uint32_t number, bool has_frame)
{
    const CilkSync *sync = &emit->split->syncs.items[number - 1];
    const CilkGroup *group = &emit->split->groups.items[sync->group];
    if (!has_frame)
        cilk_emit_frame(emit, sync->group);
    if (!returns_nothing(emit->function))
        cilk_line(emit, "frame_%u->result = result;", sync->group + 1);
    if (cilk_group_has_choice(group))
        cilk_line(emit, "frame_%u->where = %u;", sync->group + 1, number);
    emit_save(emit, sync);
    emit_put(emit, sync->group);
    emit_leave_own(emit, sync->group);
    cilk_line(emit, "goto done;");
}

/* A task that has nothing to wait for goes straight on; one that has nothing to do behind a call ends. */
void cilk_emit_sync(CilkEmit *emit, const CilkStatement *statement)
{
    const uint32_t number = cilk_sync_number(emit->split, statement);
    const bool has_frame = cilk_point(emit->split, statement)->has_frame;
    if (!number) {
        emit_end(emit);
        return;
    }
    if (has_frame || statement->kind == CILK_CALL_TASK)
        cilk_line(emit, "{");
    else
        cilk_line(emit, "if (pending || frame_%u) {", emit->split->syncs.items[number - 1].group + 1);
    emit->depth++;
    emit_leave(emit, number, has_frame);
    emit->depth--;
    cilk_line(emit, "}");
    cilk_line(emit, "resume_%u:;", number);
}

void cilk_emit_return(CilkEmit *emit, const CilkExpression *value)
{
    const char *text = value ? cilk_expression_text(emit, value) : "";
    if (!emit->split) {
        cilk_line(emit, "return %s;", text);
        return;
    }
    cilk_line(emit, "{");
    emit->depth++;
    if (value && !returns_nothing(emit->function)) {
        cilk_line(emit, "const %s = %s;", cilk_named(emit, emit->function->returns, "value"), text);
        cilk_line(emit, "if (result)");
        cilk_line(emit, "    *result = value;");
    } else if (value) {
        cilk_line(emit, "%s;", text);
    }
    emit_end(emit);
    emit->depth--;
    cilk_line(emit, "}");
}

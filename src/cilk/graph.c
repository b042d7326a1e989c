/* The graph's description: lines of words behind "//", so that PTX stays PTX. */
#include "cilk/graph.h"

#include <stdlib.h>
#include <string.h>

#include "cilk/call.h"

#define FIRST_LINE "// warpbeam cilk 1\n"

void cilk_graph_free(CilkGraph *graph)
{
    VEC_FREE(&graph->stacks);
    VEC_FREE(&graph->edges);
    VEC_FREE(&graph->entries);
    arena_free(&graph->arena);
}

void cilk_graph_add_edge(CilkGraph *graph, uint32_t node, uint32_t stack)
{
    for (uint32_t i = 0; i < graph->edges.count; i++)
        if (graph->edges.items[i].node == node && graph->edges.items[i].stack == stack)
            return;
    VEC_PUSH(&graph->edges, ((CilkEdge){node, stack}));
}

/* Bytes of the fields before the parameter. */
static uint64_t bytes_before(const CilkFunction *function, uint32_t parameter)
{
    uint64_t bytes = function->returns->kind != CILK_VOID ? 8 : 0;
    for (uint32_t i = 0; i < parameter; i++) {
        const CilkType *type = function->variables[i]->type;
        bytes = (bytes + type->alignment - 1) / type->alignment * type->alignment + type->size;
    }
    return bytes;
}

uint64_t cilk_parameter_offset(const CilkFunction *function, uint32_t parameter)
{
    const uint32_t alignment = function->variables[parameter]->type->alignment;
    return (bytes_before(function, parameter) + alignment - 1) / alignment * alignment;
}

uint64_t cilk_task_bytes(const CilkFunction *function)
{
    const uint64_t bytes = (bytes_before(function, function->parameter_count) + 7) & ~(uint64_t)7;
    return bytes ? bytes : 8;
}

/* -- text -- */

void cilk_graph_print(const CilkGraph *graph, FILE *out)
{
    fputs(FIRST_LINE, out);
    fprintf(out, "// levels %u\n", graph->levels);
    for (uint32_t i = 0; i < graph->stacks.count; i++)
        fprintf(out, "// stack %s %u %s\n", graph->stacks.items[i].name, graph->stacks.items[i].element_bytes,
                graph->stacks.items[i].is_after ? "after" : "before");
    for (uint32_t i = 0; i < graph->edges.count; i++)
        fprintf(out, "// edge %u %u\n", graph->edges.items[i].node, graph->edges.items[i].stack);
    for (uint32_t i = 0; i < graph->entries.count; i++)
        fprintf(out, "// entry %u %s\n", graph->entries.items[i].stack, graph->entries.items[i].declaration);
    fputs("// end\n", out);
}

/* One line of the description, without "// ". Returns false for one that is none. */
static bool read_line(CilkGraph *graph, const char *line)
{
    char when[8];
    unsigned a, b;
    int begin = 0, used = 0;
    if (sscanf(line, "levels %u", &a) == 1) {
        graph->levels = a;
        return a >= 1 && a <= CILK_MOST_LEVELS;
    }
    if (sscanf(line, "stack %n%*s%n %u %7s", &begin, &used, &a, when) == 2) {
        const CilkStack stack = {arena_strndup(&graph->arena, line + begin, (size_t)(used - begin)), a,
                                 strcmp(when, "after") == 0};
        VEC_PUSH(&graph->stacks, stack);
        return a >= 1 && a <= CILK_MOST_ELEMENT;
    }
    if (sscanf(line, "edge %u %u", &a, &b) == 2) {
        VEC_PUSH(&graph->edges, ((CilkEdge){a, b}));
        return a < graph->stacks.count && b < graph->stacks.count;
    }
    if (sscanf(line, "entry %u %n", &a, &used) == 1 && used) {
        const CilkEntry entry = {a, arena_strndup(&graph->arena, line + used, strlen(line + used))};
        VEC_PUSH(&graph->entries, entry);
        return a < graph->stacks.count;
    }
    return false;
}

bool cilk_graph_read(const char *path, const char *text, CilkGraph *graph, Error *error)
{
    *graph = (CilkGraph){0};
    if (strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) != 0) {
        error_set(error, WB_ERROR_PTX,
                  "%s is no PTX that `warpbeam cilk` has written: it does not begin with a graph.", path);
        return false;
    }
    uint32_t number = 2;
    for (text += strlen(FIRST_LINE); strncmp(text, "// end\n", 7) != 0; number++) {
        const size_t length = strcspn(text, "\n");
        const char *line = arena_strndup(&graph->arena, text, length);
        if (strncmp(line, "// ", 3) != 0 || !text[length] || !read_line(graph, line + 3)) {
            error_set(error, WB_ERROR_PTX,
                      "%s:%u: '%.80s' is no line of the graph: translate the program again.", path, number,
                      line);
            return false;
        }
        text += length + 1;
    }
    return true;
}

/* -- calls -- */

/* Whether an element holds what a call of each of the functions needs. */
static bool check_calls(const CilkGraph *graph, const char *path, const CilkProgram *program, Error *error)
{
    uint32_t stack;
    for (uint32_t i = 0; i < program->function_count; i++) {
        const CilkFunction *function = program->functions[i];
        if (!cilk_graph_find(graph, function, &stack) ||
            cilk_task_bytes(function) <= graph->stacks.items[stack].element_bytes)
            continue;
        error_set(error, WB_ERROR_PTX,
                  "%s: the elements of stack %s have %u bytes, too few for a call of %s(): translate the "
                  "program again.",
                  path, graph->stacks.items[stack].name, graph->stacks.items[stack].element_bytes,
                  function->name);
        return false;
    }
    return true;
}

CilkProgram *cilk_graph_program(const CilkGraph *graph, const char *path, Error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    fputs("#define bool _Bool\n", out); /* declarations are CUDA C's */
    for (uint32_t i = 0; i < graph->entries.count; i++) {
        const char *declaration = graph->entries.items[i].declaration;
        fprintf(out, "%s {%s}\n", declaration, strncmp(declaration, "void ", 5) ? " return 0; " : "");
    }
    fclose(out);
    CilkProgram *program = cilk_parse(path, text, length, error);
    free(text);
    if (!program || check_calls(graph, path, program, error))
        return program;
    cilk_free(program);
    return NULL;
}

bool cilk_graph_find(const CilkGraph *graph, const CilkFunction *function, uint32_t *stack)
{
    for (uint32_t i = 0; i < graph->entries.count; i++) {
        const char *name = graph->stacks.items[graph->entries.items[i].stack].name;
        const size_t length = strlen(function->name);
        *stack = graph->entries.items[i].stack;
        if (strncmp(name, function->name, length) == 0 && strcmp(name + length, "_0") == 0)
            return true;
    }
    return false;
}

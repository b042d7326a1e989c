/* Seeds out of the forms of tests/isa: their inputs and outputs become registers of the frame. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../isa/forms.h"
#include "../isa/kernel.h"
#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "mutate.h"

/* The frame's registers for values of a type; 8-bit ones live in 16 bits. */
static const char *prefix_of(const KernelValue *value)
{
    if (value->is_predicate)
        return "%p";
    if (!strncmp(value->name, "f32", 3) && value->bytes == 4)
        return "%f";
    if (!strncmp(value->name, "f64", 3))
        return "%fd";
    return value->bytes <= 2 ? "%h" : value->bytes == 4 ? "%r" : value->bytes == 8 ? "%rd" : "%q";
}

/* "%a3" or "%d0" at `at`: what stands for it in the frame. Its length, or 0 where there is none. */
static size_t write_value(const char *at, const Form *form, FILE *out)
{
    if (at[0] != '%' || (at[1] != 'a' && at[1] != 'd') || at[2] < '0' || at[2] > '9')
        return 0;
    KernelValue values[KERNEL_VALUES];
    char *end;
    const unsigned long number = strtoul(at + 2, &end, 10);
    const unsigned count = kernel_values(at[1] == 'a' ? form->spec.inputs : form->spec.outputs, values);
    if (number >= count)
        return 0;
    const unsigned inputs = kernel_values(form->spec.inputs, values);
    kernel_values(at[1] == 'a' ? form->spec.inputs : form->spec.outputs, values);
    const char *prefix = prefix_of(&values[number]);
    const unsigned most = !strcmp(prefix, "%r") ? 40 : !strcmp(prefix, "%q") ? 5 : 9;
    fprintf(out, "%s%lu", prefix, (number + (at[1] == 'd' ? inputs : 0)) % most);
    return (size_t)(end - at);
}

/* The places that forms name, as the frame has them. */
static size_t write_place(const char *at, FILE *out)
{
    static const char *const places[][2] = {{"%mem", "%rd1"},  {"%wmem", "%rd2"}, {"%shm", "%rd3"},
                                            {"%wshm", "%rd4"}, {"%loc", "%rd5"},  {"%lane", "%r1"},
                                            {"%i", "%r2"},     {"%t", "%r3"},     {"%n", "%r4"}};
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const size_t length = strlen(places[i][0]);
        if (strncmp(at, places[i][0], length) || (at[length] && strchr(word, at[length])))
            continue;
        fputs(places[i][1], out);
        return length;
    }
    if (strncmp(at, "%q", 2) && strncmp(at, "%x", 2))
        return 0;
    if (at[2] < '0' || at[2] > '9')
        return 0;
    fputs(at[1] == 'q' ? "%p" : "%q", out);
    return 2;
}

static void add_line(Seeds *seeds, Map *known, const char *text, size_t length)
{
    uint32_t number;
    if (!length || map_get(known, text, length, &number))
        return;
    VEC_PUSH(seeds, arena_strndup(&seeds->arena, text, length));
    map_put(known, seeds->items[seeds->count - 1], length, seeds->count);
}

static char *line_of(const Form *form)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (const char *at = form->spec.body; *at;) {
        size_t taken = write_value(at, form, out);
        taken = taken ? taken : write_place(at, out);
        if (!taken)
            fputc(*at, out);
        at += taken ? taken : 1;
    }
    fclose(out);
    return text;
}

/* One instruction a line; '#' begins a comment. */
static void add_file(Seeds *seeds, Map *known, const char *path)
{
    char line[MUTANT_BYTES];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (*line != '#')
            add_line(seeds, known, line, strcspn(line, "\n"));
    if (file)
        fclose(file);
}

void seeds_build(Seeds *seeds, const char *file)
{
    FormList forms;
    Map known = {0};
    *seeds = (Seeds){0};
    forms_build(&forms);
    add_file(seeds, &known, file);
    for (uint32_t i = 0; i < forms.count; i++) {
        const Form *form = &forms.items[i];
        const char *end = strchr(form->spec.body, ';');
        if (!end || end[1] || strchr(form->spec.body, '$') || strlen(form->spec.body) > MUTANT_BYTES / 2)
            continue;
        char *line = line_of(form);
        add_line(seeds, &known, line, strlen(line));
        free(line);
    }
    forms_free(&forms);
    map_free(&known);
}

void seeds_free(Seeds *seeds)
{
    xfree(seeds->items);
    arena_free(&seeds->arena);
}

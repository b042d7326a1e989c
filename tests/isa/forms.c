/* Expands the tables of specs into forms. */
#include "forms.h"
#include "base/map.h"
#include "base/vec.h"
#include <stdio.h>
#include <string.h>

enum { CHOICES = 9 };

/* One combination of choices: the alternative that each "<..>" of the body takes. */
typedef struct Choice {
    const char *text[CHOICES + 1];
    size_t length[CHOICES + 1];
    unsigned count;
} Choice;

/* The alternative number `index` of the group that begins after '<'; returns how many the group has. */
static unsigned group_alternative(const char *group, unsigned index, const char **text, size_t *length)
{
    unsigned number = 0;
    for (const char *at = group;; at++) {
        const char *end = at + strcspn(at, "|>");
        if (number == index) {
            *text = at;
            *length = (size_t)(end - at);
        }
        number++;
        at = end;
        if (*end != '|')
            return number;
    }
}

/* Takes combination `index` of the body's choices; false when there is none. */
static bool choice_take(const char *body, unsigned index, Choice *choice)
{
    choice->count = 0;
    for (const char *at = strchr(body, '<'); at; at = strchr(at + 1, '<')) {
        const char *text;
        size_t length;
        const unsigned alternatives = group_alternative(at + 1, UINT32_MAX, &text, &length);
        choice->count++;
        group_alternative(at + 1, index % alternatives, &choice->text[choice->count],
                          &choice->length[choice->count]);
        index /= alternatives;
    }
    return index == 0;
}

/* The text with choices taken and back references resolved. */
static const char *choice_apply(Arena *arena, const char *text, const Choice *choice)
{
    char buffer[16384];
    size_t used = 0;
    unsigned group = 0;
    for (const char *at = text ? text : ""; *at; at++) {
        unsigned number = 0;
        if (*at == '<') {
            number = ++group;
            at = strchr(at, '>');
        } else if (*at == '@' && at[1] >= '1' && at[1] <= '9') {
            number = (unsigned)(*++at - '0');
        } else {
            buffer[used++] = *at;
        }
        if (number) {
            memcpy(buffer + used, choice->text[number], choice->length[number]);
            used += choice->length[number];
        }
    }
    return arena_strndup(arena, buffer, used);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (const char *at = text; *at; at++)
        hash = (hash ^ (uint8_t)*at) * 0x100000001b3u;
    return (hash ^ 0xff) * 0x100000001b3u;
}

static uint64_t form_key(const FormSpec *spec)
{
    char numbers[64];
    snprintf(numbers, sizeof numbers, "%u %u %u", FORM_VERSION, spec->target, spec->threads);
    uint64_t hash = 0xcbf29ce484222325u;
    hash = hash_text(hash, spec->body);
    hash = hash_text(hash, spec->inputs);
    hash = hash_text(hash, spec->outputs);
    hash = hash_text(hash, spec->setup);
    hash = hash_text(hash, spec->after);
    hash = hash_text(hash, spec->declare);
    return hash_text(hash, numbers);
}

static void list_add(FormList *list, Map *seen, const FormSpec *spec, const Choice *choice)
{
    Form form = {.spec = *spec};
    FormSpec *s = &form.spec;
    s->body = choice_apply(&list->arena, spec->body, choice);
    s->inputs = choice_apply(&list->arena, spec->inputs, choice);
    s->outputs = choice_apply(&list->arena, spec->outputs, choice);
    s->setup = choice_apply(&list->arena, spec->setup, choice);
    s->after = choice_apply(&list->arena, spec->after, choice);
    s->declare = choice_apply(&list->arena, spec->declare, choice);
    s->target = s->target ? s->target : 75;
    s->threads = s->threads ? s->threads : FORM_THREADS;
    s->vectors = s->vectors ? s->vectors : FORM_VECTORS;
    form.key = form_key(s);
    const uint64_t *key = arena_copy(&list->arena, &form.key, sizeof form.key);
    uint32_t known;
    if (map_get(seen, (const char *)key, sizeof *key, &known))
        return;
    map_put(seen, (const char *)key, sizeof *key, list->count);
    VEC_PUSH(list, form);
}

void forms_build(FormList *list)
{
    static const FormSpec *const tables[] = {forms_integer, forms_bits,    forms_video,   forms_float,
                                             forms_half,    forms_special, forms_compare, forms_convert,
                                             forms_load,    forms_store,   forms_atomic,  forms_async,
                                             forms_warp,    forms_control, forms_matrix, forms_wmma,
                                             forms_immediate};
    *list = (FormList){0};
    Map seen = {0};
    for (size_t table = 0; table < sizeof tables / sizeof *tables; table++)
        for (const FormSpec *spec = tables[table]; spec->body; spec++) {
            Choice choice;
            for (unsigned index = 0; choice_take(spec->body, index, &choice); index++)
                list_add(list, &seen, spec, &choice);
        }
    map_free(&seen);
}

void forms_free(FormList *list)
{
    arena_free(&list->arena);
    VEC_FREE(list);
}

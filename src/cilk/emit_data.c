/* Structs and globals as text. A global's first value is known as the bytes of its memory; it is written
 * number by number, as its type has them. */
#include "cilk/emit.h"

#include <string.h>

void cilk_emit_records(CilkEmit *emit)
{
    for (const CilkRecord *record = emit->program->records; record; record = record->next)
        cilk_line(emit, "%s %s;", record->is_union ? "union" : "struct", record->name);
    for (const CilkRecord *record = emit->program->records; record; record = record->next) {
        if (!record->is_complete)
            continue;
        cilk_line(emit, "%s %s {", record->is_union ? "union" : "struct", record->name);
        emit->depth++;
        for (uint32_t i = 0; i < record->member_count; i++)
            cilk_line(emit, "%s;",
                      cilk_named(emit, record->members[i].type,
                                 arena_printf(emit->arena, "%s_", record->members[i].name)));
        emit->depth--;
        cilk_line(emit, "};");
        cilk_line(emit, "static_assert(sizeof(%s %s) == %llu, \"\");", record->is_union ? "union" : "struct",
                  record->name, (unsigned long long)record->size);
    }
}

static void emit_number(CilkEmit *emit, const CilkType *type, const uint8_t *bytes)
{
    CilkExpression number = {.kind = CILK_INTEGER, .type = type};
    if (type->kind == CILK_FLOAT) {
        float value;
        memcpy(&value, bytes, sizeof value);
        number.kind = CILK_REAL;
        number.real = (double)value;
    } else if (type->kind == CILK_DOUBLE) {
        number.kind = CILK_REAL;
        memcpy(&number.real, bytes, sizeof number.real);
    } else {
        memcpy(&number.integer, bytes, type->size);
        if (cilk_is_integer(type) && cilk_is_signed(type)) {
            const unsigned unused = 64 - 8 * (unsigned)type->size;
            number.integer = (uint64_t)((int64_t)(number.integer << unused) >> unused);
        }
    }
    cilk_emit_expression(emit, &number);
}

static void emit_value(CilkEmit *emit, const CilkType *type, const uint8_t *bytes)
{
    if (type->kind == CILK_ARRAY) {
        fputc('{', emit->out);
        for (uint64_t i = 0; i < type->count; i++) {
            fputs(i ? ", " : "", emit->out);
            emit_value(emit, type->to, bytes + i * type->to->size);
        }
        fputc('}', emit->out);
    } else if (type->kind == CILK_RECORD) {
        const uint32_t count = type->record->is_union ? 1 : type->record->member_count;
        fputc('{', emit->out);
        for (uint32_t i = 0; i < count; i++) {
            fputs(i ? ", " : "", emit->out);
            emit_value(emit, type->record->members[i].type, bytes + type->record->members[i].offset);
        }
        fputc('}', emit->out);
    } else {
        emit_number(emit, type, bytes);
    }
}

/* Whether bytes of a union lie behind its first member: no initializer of C++ says them. */
static bool is_beyond_first(const CilkType *type, const uint8_t *bytes)
{
    if (type->kind == CILK_ARRAY) {
        for (uint64_t i = 0; i < type->count; i++)
            if (is_beyond_first(type->to, bytes + i * type->to->size))
                return true;
    } else if (type->kind == CILK_RECORD && type->record->is_union) {
        for (uint64_t i = type->record->members[0].type->size; i < type->size; i++)
            if (bytes[i])
                return true;
    } else if (type->kind == CILK_RECORD) {
        for (uint32_t i = 0; i < type->record->member_count; i++)
            if (is_beyond_first(type->record->members[i].type, bytes + type->record->members[i].offset))
                return true;
    }
    return false;
}

bool cilk_emit_globals(CilkEmit *emit, Error *error)
{
    for (uint32_t i = 0; i < emit->program->global_count; i++) {
        const CilkVariable *global = emit->program->globals[i];
        if (global->type->size > UINT32_MAX) { /* compilers to PTX count its bytes modulo 2^32 */
            cilk_error(emit->program, global->place, error,
                       "'%s' has %llu bytes, and a variable of kernels has %u at most.", global->name,
                       (unsigned long long)global->type->size, UINT32_MAX);
            return false;
        }
        const char *declaration =
            cilk_named(emit, global->type, arena_printf(emit->arena, "%s_", global->unique));
        if (!global->initial) {
            cilk_line(emit, "__device__ %s;", declaration);
            continue;
        }
        if (is_beyond_first(global->type, global->initial)) {
            cilk_error(emit->program, global->place, error,
                       "the first value of '%s' is for another member of a union than its first: set it in a "
                       "function.",
                       global->name);
            return false;
        }
        fprintf(emit->out, "__device__ %s = ", declaration);
        emit_value(emit, global->type, global->initial);
        fputs(";\n", emit->out);
    }
    return true;
}

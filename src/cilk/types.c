/* C's types as 64-bit Linux has them. */
#include "cilk/types.h"

#define BASIC(kind_, bytes) [kind_] = {.kind = kind_, .size = bytes, .alignment = bytes ? bytes : 1}
const CilkType cilk_basic_types[CILK_POINTER] = {
    BASIC(CILK_VOID, 0), BASIC(CILK_BOOL, 1), BASIC(CILK_CHAR, 1), BASIC(CILK_SIGNED_CHAR, 1),
    BASIC(CILK_UNSIGNED_CHAR, 1), BASIC(CILK_SHORT, 2), BASIC(CILK_UNSIGNED_SHORT, 2), BASIC(CILK_INT, 4),
    BASIC(CILK_UNSIGNED, 4), BASIC(CILK_LONG, 8), BASIC(CILK_UNSIGNED_LONG, 8), BASIC(CILK_LONG_LONG, 8),
    BASIC(CILK_UNSIGNED_LONG_LONG, 8), BASIC(CILK_FLOAT, 4), BASIC(CILK_DOUBLE, 8)};

bool cilk_is_integer(const CilkType *type)
{
    return type->kind >= CILK_BOOL && type->kind <= CILK_UNSIGNED_LONG_LONG;
}

bool cilk_is_real(const CilkType *type) { return type->kind == CILK_FLOAT || type->kind == CILK_DOUBLE; }
bool cilk_is_arithmetic(const CilkType *type) { return cilk_is_integer(type) || cilk_is_real(type); }
bool cilk_is_scalar(const CilkType *type) { return cilk_is_arithmetic(type) || type->kind == CILK_POINTER; }

bool cilk_is_signed(const CilkType *type)
{
    switch (type->kind) {
    case CILK_CHAR:
    case CILK_SIGNED_CHAR:
    case CILK_SHORT:
    case CILK_INT:
    case CILK_LONG:
    case CILK_LONG_LONG:
        return true;
    default:
        return false;
    }
}

bool cilk_is_same_type(const CilkType *a, const CilkType *b)
{
    for (; a->kind == b->kind; a = a->to, b = b->to) {
        if (a->kind == CILK_RECORD)
            return a->record == b->record;
        if (a->kind == CILK_ARRAY && a->count != b->count)
            return false;
        if (a->kind != CILK_POINTER && a->kind != CILK_ARRAY)
            return true;
    }
    return false;
}

static const CilkType *new_type(Arena *arena, CilkType type) { return arena_copy(arena, &type, sizeof type); }

const CilkType *cilk_pointer_to(Arena *arena, const CilkType *to)
{
    return new_type(arena, (CilkType){.kind = CILK_POINTER, .to = to, .size = 8, .alignment = 8,
                                      .depth = to->kind == CILK_RECORD ? 1 : to->depth + 1});
}

const CilkType *cilk_array_of(Arena *arena, const CilkType *element, uint64_t count)
{
    if (count > CILK_MOST_BYTES || (element->size && count > CILK_MOST_BYTES / element->size))
        return NULL;
    return new_type(arena, (CilkType){.kind = CILK_ARRAY, .to = element, .count = count,
                                      .size = count * element->size, .alignment = element->alignment,
                                      .depth = element->depth + 1});
}

CilkRecord *cilk_new_record(Arena *arena, const char *name, bool is_union, CilkPlace place)
{
    CilkRecord *record = ARENA_NEW(arena, CilkRecord);
    *record = (CilkRecord){.name = name, .is_union = is_union, .place = place};
    record->types[0] = record->types[1] = (CilkType){.kind = CILK_RECORD, .record = record, .alignment = 1};
    record->types[1].is_const = true;
    return record;
}

const CilkType *cilk_const_of(Arena *arena, const CilkType *type)
{
    if (type->is_const)
        return type;
    if (type->kind == CILK_RECORD)
        return &type->record->types[1];
    CilkType copy = *type;
    if (type->kind == CILK_ARRAY)
        copy.to = cilk_const_of(arena, type->to);
    else
        copy.is_const = true;
    return new_type(arena, copy);
}

const CilkType *cilk_without_const(Arena *arena, const CilkType *type)
{
    if (type->kind < CILK_POINTER)
        return &cilk_basic_types[type->kind];
    if (!type->is_const)
        return type;
    if (type->kind == CILK_RECORD)
        return &type->record->types[0];
    CilkType copy = *type;
    copy.is_const = false;
    return new_type(arena, copy);
}

const CilkType *cilk_value_type(Arena *arena, const CilkType *type)
{
    return type->kind == CILK_ARRAY ? cilk_pointer_to(arena, type->to) : cilk_without_const(arena, type);
}

bool cilk_record_lay_out(CilkRecord *record)
{
    uint32_t depth = 1;
    record->size = 0;
    record->alignment = 1;
    for (uint32_t i = 0; i < record->member_count; i++) {
        CilkMember *member = record->members + i;
        uint64_t mask = member->type->alignment - 1;
        if (member->type->alignment > record->alignment)
            record->alignment = member->type->alignment;
        if (member->type->depth + 1 > depth)
            depth = member->type->depth + 1;
        member->offset = record->is_union ? 0 : (record->size + mask) & ~mask;
        if (member->offset + member->type->size > record->size)
            record->size = member->offset + member->type->size;
        if (record->size > CILK_MOST_BYTES)
            return false;
    }
    record->size = (record->size + record->alignment - 1) & ~(uint64_t)(record->alignment - 1);
    for (unsigned i = 0; i < 2; i++) {
        record->types[i].size = record->size;
        record->types[i].alignment = record->alignment;
        record->types[i].depth = depth;
    }
    return true;
}

const CilkType *cilk_promoted(const CilkType *type)
{
    if (type->kind >= CILK_BOOL && type->kind < CILK_INT)
        return &cilk_basic_types[CILK_INT];
    return &cilk_basic_types[type->kind];
}

const CilkType *cilk_common_type(const CilkType *a, const CilkType *b)
{
    CilkTypeKind x = cilk_promoted(a)->kind, y = cilk_promoted(b)->kind;
    CilkTypeKind high = x > y ? x : y, low = x > y ? y : x;
    /* the higher one holds all values of the lower one, but for the one pair in which both have as many bytes
     * and only the lower one has no sign: then it is the higher one's without a sign */
    bool is_pair = high == CILK_LONG_LONG && low == CILK_UNSIGNED_LONG;
    return &cilk_basic_types[is_pair ? CILK_UNSIGNED_LONG_LONG : high];
}

/* Base types' own words. */
static const char *base_text(Arena *arena, const CilkType *type)
{
    static const char *const names[CILK_POINTER] = {
        "void", "bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int",
        "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "float", "double"};
    if (type->kind != CILK_RECORD)
        return names[type->kind];
    return arena_printf(arena, "%s %s", type->record->is_union ? "union" : "struct", type->record->name);
}

const char *cilk_declaration(Arena *arena, const CilkType *type, const char *name)
{
    const char *text = name;
    for (; type->kind == CILK_POINTER || type->kind == CILK_ARRAY; type = type->to) {
        if (type->kind == CILK_ARRAY)
            text = arena_printf(arena, "%s[%llu]", text, (unsigned long long)type->count);
        else
            text = arena_printf(arena, type->to->kind == CILK_ARRAY ? "(*%s)" : "*%s", text);
    }
    return arena_printf(arena, "%s%s%s", base_text(arena, type), *text ? " " : "", text);
}

/* Initializers. Those of locals become assignments; those of globals bytes. Braces inside may be left out as
 * C has it. */
#include <string.h>

#include "cilk/constant.h"
#include "cilk/parser.h"
#include "cilk/types.h"

#define MOST_INITIAL_BYTES ((uint64_t)64 << 20) /* of all globals */

/* A part of the variable. */
typedef struct Slot {
    const CilkType *type;
    uint64_t offset;
    CilkExpression *place;   /* null: of a global */
} Slot;

typedef struct Sink {
    Parser *parser;
    StatementList list;      /* of a local */
    uint8_t *bytes;          /* of a global */
    uint64_t stored;         /* numbers and pointers */
    bool has_designators;    /* then some may be stored twice */
    CilkExpression *pending; /* read already: the next scalar; null: none */
} Sink;

static void parse_slot(Sink *sink, const Slot *slot);

static Slot element_of(Sink *sink, const Slot *slot, uint64_t index, CilkPlace at)
{
    Slot element = {slot->type->to, slot->offset + index * slot->type->to->size, NULL};
    if (slot->place)
        element.place = cilk_make_index(sink->parser, at, slot->place,
                                        cilk_make_integer(sink->parser, at, CILK_INT, index));
    return element;
}

static Slot member_of(Sink *sink, const Slot *slot, uint64_t index, CilkPlace at)
{
    const CilkMember *member = slot->type->record->members + index;
    Slot inside = {member->type, slot->offset + member->offset, NULL};
    if (slot->place)
        inside.place = cilk_member_of(sink->parser, at, slot->place, member);
    return inside;
}

static void store_bytes(Sink *sink, const Slot *slot, CilkExpression *value)
{
    Constant constant;
    Parser *parser = sink->parser;
    value = cilk_convert(parser, value, slot->type, "the initializer");
    if (cilk_has_failed(parser))
        return;
    if (!cilk_constant_evaluate(value, &constant)) {
        cilk_fail(parser, value->place,
                  "the initializer of a global is not a constant number; assign it in a "
                  "function.");
        return;
    }
    float real = (float)constant.real;
    const void *from = slot->type->kind == CILK_FLOAT ? (const void *)&real
                       : slot->type->kind == CILK_DOUBLE ? (const void *)&constant.real
                                                         : (const void *)&constant.integer;
    memcpy(sink->bytes + slot->offset, from, slot->type->size);
}

static void store(Sink *sink, const Slot *slot, CilkExpression *value)
{
    sink->stored += cilk_count_scalars(slot->type);
    if (slot->place)
        cilk_initialize(sink->parser, slot->place, value, &sink->list);
    else if (slot->type->kind == CILK_RECORD)
        cilk_fail(sink->parser, value->place, "the initializer of a global struct stands in braces.");
    else
        store_bytes(sink, slot, value);
}

static bool is_string_here(const Parser *parser, const CilkType *type)
{
    bool is_text = type->kind == CILK_ARRAY && type->to->size == 1 && cilk_is_integer(type->to);
    return is_text && parser->at->kind == TK_STRING;
}

static void parse_string(Sink *sink, const Slot *slot)
{
    Parser *parser = sink->parser;
    const Token *token = parser->at++;
    const char *at = token->start + 1, *end = token->start + token->length - 1;
    uint64_t value, count = 0;
    for (; at < end && !cilk_has_failed(parser) && cilk_character(&at, end, &value); count++) {
        if (count == slot->type->count) {
            cilk_fail(parser, token->place, "the string is longer than the array.");
            return;
        }
        Slot element = element_of(sink, slot, count, token->place);
        store(sink, &element, cilk_make_integer(parser, token->place, CILK_INT, value));
    }
}

/* The index that [3] = or .name = says; else `next`. */
static uint64_t parse_designator(Sink *sink, const Slot *slot, uint64_t next)
{
    Parser *parser = sink->parser;
    CilkPlace place = parser->at->place;
    if (slot->type->kind == CILK_ARRAY && cilk_accept(parser, TK_OPEN_INDEX)) {
        next = (uint64_t)cilk_parse_constant(parser, "the index of an initializer");
        cilk_expect(parser, TK_CLOSE_INDEX, "']'");
    } else if (slot->type->kind == CILK_RECORD && cilk_accept(parser, TK_DOT)) {
        const CilkRecord *record = slot->type->record;
        const char *name = cilk_take_name(parser, "the name of a member", &place);
        for (next = 0; next < record->member_count; next++)
            if (!strcmp(record->members[next].name, name))
                break;
        if (next == record->member_count)
            cilk_fail(parser, place, "%s has no member %s.", record->name, name);
    } else {
        return next;
    }
    sink->has_designators = true;
    cilk_expect(parser, TK_ASSIGN, "'=' behind the part that is initialized");
    return next;
}

/* Parts one after the other, in braces that have been opened, or without any: then no more than there are. */
static void parse_parts(Sink *sink, const Slot *slot, bool is_braced)
{
    Parser *parser = sink->parser;
    bool is_array = slot->type->kind == CILK_ARRAY;
    uint64_t count = is_array ? slot->type->count : slot->type->record->member_count;
    for (uint64_t i = 0; (is_braced || i < count) && !cilk_has_failed(parser); i++) {
        CilkPlace place = parser->at->place;
        if (is_braced && parser->at->kind == TK_CLOSE_BRACE)
            break;
        if (is_braced)
            i = parse_designator(sink, slot, i);
        if (i >= count) {
            cilk_fail(parser, place, "there are more initializers than parts of %s.",
                      cilk_type_text(parser, slot->type));
            return;
        }
        Slot part = is_array ? element_of(sink, slot, i, place) : member_of(sink, slot, i, place);
        parse_slot(sink, &part);
        if (!is_array && slot->type->record->is_union)
            count = 0; /* a union holds one of its members */
        bool goes_on = parser->at->kind == TK_COMMA && (is_braced || parser->at[1].kind != TK_CLOSE_BRACE);
        if (!goes_on || (!is_braced && i + 1 >= count))
            break;
        parser->at++;
    }
    if (is_braced)
        cilk_expect(parser, TK_CLOSE_BRACE, "'}' behind the initializers");
}

static void parse_slot_here(Sink *sink, const Slot *slot)
{
    Parser *parser = sink->parser;
    bool has_parts = slot->type->kind == CILK_ARRAY || slot->type->kind == CILK_RECORD;
    if (!sink->pending && is_string_here(parser, slot->type)) {
        parse_string(sink, slot);
        return;
    }
    if (!sink->pending && cilk_accept(parser, TK_OPEN_BRACE)) {
        if (has_parts && !is_string_here(parser, slot->type)) {
            parse_parts(sink, slot, true);
            return;
        }
        parse_slot(sink, slot);
        cilk_accept(parser, TK_COMMA);
        cilk_expect(parser, TK_CLOSE_BRACE, "'}' behind the initializer");
        return;
    }
    if (slot->type->kind == CILK_ARRAY) {
        parse_parts(sink, slot, false);
        return;
    }
    CilkExpression *value = sink->pending ? sink->pending : cilk_parse_assignment(parser);
    sink->pending = NULL;
    if (slot->type->kind == CILK_RECORD && !cilk_is_same_type(value->type, slot->type)) {
        sink->pending = value; /* braces are left out: it is the first part's */
        parse_parts(sink, slot, false);
    } else {
        store(sink, slot, value);
    }
}

static void parse_slot(Sink *sink, const Slot *slot)
{
    if (cilk_enter(sink->parser) && !cilk_has_failed(sink->parser))
        parse_slot_here(sink, slot);
    cilk_leave(sink->parser);
}

static uint64_t count_characters(const Token *string)
{
    const char *at = string->start + 1, *end = string->start + string->length - 1;
    uint64_t value, count = 0;
    while (at < end && cilk_character(&at, end, &value))
        count++;
    return count;
}

/* How many elements the initializer of an array without a number has. */
static uint64_t count_elements(Parser *parser, const CilkType *element)
{
    bool has_parts = element->kind == CILK_ARRAY || element->kind == CILK_RECORD, begins = true;
    const Token *at = parser->at;
    if (at->kind == TK_STRING)
        return count_characters(at) + 1;
    uint64_t count = 0;
    unsigned depth = 0;
    for (; at->kind != TK_END; at++) {
        bool closes = at->kind == TK_CLOSE || at->kind == TK_CLOSE_INDEX || at->kind == TK_CLOSE_BRACE;
        bool opens = at->kind == TK_OPEN || at->kind == TK_OPEN_INDEX || at->kind == TK_OPEN_BRACE;
        if (depth == 1 && begins && !closes) {
            if (at->kind == TK_OPEN_INDEX
                || (has_parts && at->kind != TK_OPEN_BRACE && at->kind != TK_STRING))
                cilk_fail(parser, at->place, "write the number of the array's elements into its brackets.");
            count++;
        }
        depth += (unsigned)opens - (unsigned)closes;
        begins = depth == 1 && (at->kind == TK_COMMA || (opens && !count));
        if (!depth)
            break;
    }
    return count;
}

static void close_array(Parser *parser, CilkVariable *variable)
{
    CilkPlace place = parser->at->place;
    const CilkType *element = variable->type->to;
    if (parser->at->kind != TK_OPEN_BRACE && !(element->size == 1 && parser->at->kind == TK_STRING)) {
        cilk_fail(parser, place, "the initializer of an array stands in braces.");
        return;
    }
    uint64_t count = count_elements(parser, element);
    const CilkType *type = cilk_array_of(&parser->program->arena, element, count);
    if (!type || !count)
        cilk_fail(parser, place, "an array needs at least one element.");
    else
        variable->type = type;
}

static void parse_global(Sink *sink, CilkVariable *variable)
{
    Parser *parser = sink->parser;
    parser->initial_bytes += variable->type->size;
    if (parser->initial_bytes > MOST_INITIAL_BYTES) {
        cilk_fail(parser, parser->at->place, "initializers of globals have more than %d MiB; fill them in a "
                  "function.", (int)(MOST_INITIAL_BYTES >> 20));
        return;
    }
    sink->bytes = arena_alloc(&parser->program->arena, variable->type->size);
    parse_slot(sink, &(Slot){.type = variable->type});
    variable->initial = sink->bytes;
}

void cilk_parse_initializer(Parser *parser, CilkVariable *variable, bool is_open_array, StatementList *list)
{
    Sink sink = {.parser = parser};
    CilkPlace place = parser->at->place;
    if (is_open_array)
        close_array(parser, variable);
    if (cilk_has_failed(parser))
        return;
    bool has_parts = variable->type->kind == CILK_ARRAY;
    if (has_parts && parser->at->kind != TK_OPEN_BRACE && !is_string_here(parser, variable->type)) {
        cilk_fail(parser, place, "the initializer of an array stands in braces.");
        return;
    }
    if (!variable->function) {
        parse_global(&sink, variable);
        return;
    }
    CilkExpression *whole = cilk_make_variable(parser, variable->place, variable);
    parse_slot(&sink, &(Slot){.type = variable->type, .place = whole});
    if (!cilk_has_failed(parser)
        && (sink.has_designators || sink.stored < cilk_count_scalars(variable->type)))
        cilk_fill_zeros(parser, whole, list);
    if (sink.list.first) {
        cilk_append(list, sink.list.first);
        list->last = sink.list.last;
    }
}

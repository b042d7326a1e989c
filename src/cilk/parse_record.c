/* Structs, unions and enumerations. */
#include <string.h>

#include "cilk/parser.h"
#include "cilk/types.h"

typedef VEC(CilkMember) MemberList;

static void add_member(Parser *parser, MemberList *members, const Declarator *declarator)
{
    if (cilk_has_failed(parser))
        return;
    if (!*declarator->name || declarator->is_function || !declarator->type->size) {
        cilk_fail(parser, declarator->place, "a member has a name and a type of a known size.");
        return;
    }
    for (uint32_t i = 0; i < members->count; i++)
        if (!strcmp(members->items[i].name, declarator->name)) {
            cilk_fail(parser, declarator->place, "there is a member %s already.", declarator->name);
            return;
        }
    VEC_PUSH(members, ((CilkMember){declarator->name, declarator->type, 0}));
}

/* A line of members. */
static void parse_members(Parser *parser, MemberList *members)
{
    Specifiers specifiers;
    CilkPlace place = parser->at->place;
    cilk_parse_specifiers(parser, &specifiers);
    if (specifiers.is_typedef || specifiers.is_static || specifiers.is_extern)
        cilk_fail(parser, place, "members have a type and nothing else.");
    do {
        Declarator declarator = {0};
        cilk_parse_declarator(parser, specifiers.type, &declarator);
        if (parser->at->kind == TK_COLON)
            cilk_fail(parser, parser->at->place,
                      "bit fields are outside of the subset; use shifts and masks.");
        add_member(parser, members, &declarator);
        VEC_FREE(&declarator.parameters);
    } while (cilk_accept(parser, TK_COMMA));
    cilk_expect(parser, TK_SEMICOLON, "';' behind a member");
}

static void define_record(Parser *parser, CilkRecord *record)
{
    MemberList members = {0};
    CilkPlace place = record->place;
    if (record->is_complete)
        cilk_fail(parser, parser->at->place, "%s is defined in line %u already.", record->name, place.line);
    bool fits = cilk_enter(parser);
    while (fits && parser->at->kind != TK_CLOSE_BRACE && parser->at->kind != TK_END)
        parse_members(parser, &members);
    cilk_leave(parser);
    cilk_expect(parser, TK_CLOSE_BRACE, "'}' behind the members");
    if (!cilk_has_failed(parser)) {
        record->member_count = members.count;
        if (members.count)
            record->members = arena_copy(&parser->program->arena, members.items,
                                         members.count * sizeof *members.items);
        if (!members.count)
            cilk_fail(parser, place, "a struct or union needs a member.");
        else if (!cilk_record_lay_out(record) || record->types[0].depth > CILK_MOST_DEPTH)
            cilk_fail(parser, place, "%s is too large or nested too deeply.", record->name);
        record->is_complete = true;
        if (parser->last_record)
            parser->last_record->next = record;
        else
            parser->program->records = record;
        parser->last_record = record;
    }
    VEC_FREE(&members);
}

/* The record of a tag: one that is known, or a new one. A definition in an inner block is another one. */
static CilkRecord *tagged_record(Parser *parser, const char *tag, CilkPlace place, bool is_union)
{
    Symbol *symbol = cilk_find_tag(parser, tag);
    bool defines = parser->at->kind == TK_OPEN_BRACE || parser->at->kind == TK_SEMICOLON;
    if (!symbol || (defines && symbol->scope != parser->scopes.count - 1)) {
        bool hides = symbol != NULL;
        symbol = cilk_declare(parser, SYMBOL_TAG, tag, place);
        if (!symbol)
            return NULL;
        const char *name = hides || symbol->scope ? arena_printf(&parser->program->arena, "%s__%u_%u", tag,
                                                                 place.line, place.column) : tag;
        symbol->record = cilk_new_record(&parser->program->arena, name, is_union, place);
    }
    if (!symbol->record || symbol->record->is_union != is_union) {
        cilk_fail(parser, place, "%s is the tag of something else, in line %u.", tag, symbol->place.line);
        return NULL;
    }
    return symbol->record;
}

const CilkType *cilk_parse_record(Parser *parser, bool is_union)
{
    CilkPlace place = parser->at->place;
    CilkRecord *record;
    if (parser->at->kind == TK_NAME) {
        const char *tag = cilk_take_name(parser, "a tag", &place);
        record = cilk_has_failed(parser) ? NULL : tagged_record(parser, tag, place, is_union);
    } else {
        record = cilk_new_record(&parser->program->arena,
                                 arena_printf(&parser->program->arena, "record__%u_%u_%u", place.file,
                                              place.line, place.column), is_union, place);
        if (parser->at->kind != TK_OPEN_BRACE)
            cilk_fail(parser, place, "a struct or union needs a tag or members.");
    }
    if (record && cilk_accept(parser, TK_OPEN_BRACE))
        define_record(parser, record);
    return record ? &record->types[0] : &cilk_basic_types[CILK_INT];
}

static void parse_enumerators(Parser *parser)
{
    int64_t value = 0;
    while (parser->at->kind != TK_CLOSE_BRACE && !cilk_has_failed(parser)) {
        CilkPlace place;
        const char *name = cilk_take_name(parser, "a name of the enumeration", &place);
        if (cilk_accept(parser, TK_ASSIGN))
            value = cilk_parse_constant(parser, "the value of an enumeration's name");
        if (!cilk_has_failed(parser) && (value < INT32_MIN || value > INT32_MAX))
            cilk_fail(parser, place, "the value of %s is larger than an int holds.", name);
        Symbol *symbol = cilk_declare(parser, SYMBOL_NUMBER, name, place);
        if (symbol)
            symbol->number = value++;
        if (!cilk_accept(parser, TK_COMMA))
            break;
    }
    cilk_expect(parser, TK_CLOSE_BRACE, "'}' behind the names of an enumeration");
}

const CilkType *cilk_parse_enumeration(Parser *parser)
{
    CilkPlace place = parser->at->place;
    const char *tag = parser->at->kind == TK_NAME ? cilk_take_name(parser, "a tag", &place) : "";
    if (cilk_accept(parser, TK_OPEN_BRACE)) {
        if (*tag)
            cilk_declare(parser, SYMBOL_TAG, tag, place); /* without a record: an enumeration's */
        parse_enumerators(parser);
    } else if (!cilk_has_failed(parser)) {
        Symbol *symbol = cilk_find_tag(parser, tag);
        if (!symbol || symbol->record)
            cilk_fail(parser, place, "there is no enumeration of this name; define it first.");
    }
    return &cilk_basic_types[CILK_INT];
}

/* Names and what they mean.
 *
 * Every name of the text is interned once; a scope is a list of symbols, and a name knows its innermost
 * one, so that a look-up is one hash and leaving a scope costs as much as entering it did. */
#include <string.h>

#include "ptx/parser.h"

uint32_t name_intern(Parser *parser, const char *text, size_t length)
{
    uint32_t name;
    if (map_get(&parser->names, text, length, &name))
        return name;
    name = parser->name_list.count;
    VEC_PUSH(&parser->name_list, ((Name){text, (uint32_t)length, NO_INDEX, NO_INDEX}));
    map_put(&parser->names, text, length, name);
    return name;
}

const char *name_text(Parser *parser, uint32_t name)
{
    const Name *entry = &parser->name_list.items[name];
    return arena_strndup(&parser->module->arena, entry->text, entry->length);
}

void scope_open(Parser *parser)
{
    if (parser->depth == MAX_NESTING)
        parser_fail(parser, parser->token.place, "nested more than %d levels deep", MAX_NESTING);
    parser->scopes[++parser->depth] = (Scope){NO_INDEX, NO_INDEX, false};
}

static uint32_t *chain_of(Parser *parser, uint32_t name, SymbolKind kind)
{
    Name *entry = &parser->name_list.items[name];
    return kind == SYMBOL_RANGE ? &entry->range : &entry->symbol;
}

static void settle(Parser *parser, const Fixup *fixup, const Symbol *symbol)
{
    const Name *name = &parser->name_list.items[fixup->name];
    const SymbolKind wanted = fixup->wants_table ? SYMBOL_TABLE : SYMBOL_LABEL;
    if (symbol->kind != wanted)
        parser_fail(parser, fixup->place, "'%.*s' is not a %s", (int)name->length, name->text,
                    fixup->wants_table ? ".branchtargets list" : "label");
    if (fixup->target) {
        *fixup->target = symbol->index;
        return;
    }
    PtxOperand *operand = &parser->operands.items[fixup->operand];
    operand->kind = fixup->wants_table ? PTX_TABLE : PTX_LABEL;
    operand->index = symbol->index;
}

/* Uses of labels that this scope does not define are handed to the scope around it; at a function's
 * outermost scope there is none. */
void scope_close(Parser *parser)
{
    Scope *scope = &parser->scopes[parser->depth];
    for (uint32_t i = scope->fixups, next; i != NO_INDEX; i = next) {
        Fixup *fixup = &parser->fixups.items[i];
        next = fixup->next;
        const Symbol *symbol = scope_find_at(parser, fixup->name, parser->depth);
        const Name *name = &parser->name_list.items[fixup->name];
        if (symbol) {
            settle(parser, fixup, symbol);
        } else if (parser->depth == 1) {
            parser_fail(parser, fixup->place, "label '%.*s' is not defined in this function",
                        (int)name->length, name->text);
        } else {
            fixup->next = scope[-1].fixups;
            scope[-1].fixups = i;
        }
    }
    for (uint32_t i = scope->symbols, next; i != NO_INDEX; i = next) {
        Symbol *symbol = &parser->symbols.items[i];
        next = symbol->next;
        *chain_of(parser, symbol->name, symbol->kind) = symbol->shadowed;
        /* Symbols are used again, so that a module's symbols take no more room than those of its largest
         * function. */
        symbol->next = parser->free_symbol;
        parser->free_symbol = i;
    }
    parser->depth--;
    /* range_depth is the innermost scope that has declared registers as a range, %r<16>. */
    while (parser->range_depth &&
           (parser->range_depth > parser->depth || !parser->scopes[parser->range_depth].has_ranges))
        parser->range_depth--;
}

/* Leaves all scopes but the module's, and settles no label. */
void scope_abandon(Parser *parser)
{
    while (parser->depth) {
        parser->scopes[parser->depth].fixups = NO_INDEX;
        scope_close(parser);
    }
}

static const Symbol *in_scope(Parser *parser, uint32_t symbol, unsigned depth)
{
    while (symbol != NO_INDEX && parser->symbols.items[symbol].depth > depth)
        symbol = parser->symbols.items[symbol].shadowed;
    return symbol != NO_INDEX && parser->symbols.items[symbol].depth == depth ? &parser->symbols.items[symbol]
                                                                              : NULL;
}

const Symbol *scope_find_at(Parser *parser, uint32_t name, unsigned depth)
{
    return in_scope(parser, parser->name_list.items[name].symbol, depth);
}

static uint32_t new_symbol(Parser *parser)
{
    const uint32_t number = parser->free_symbol;
    if (number != NO_INDEX) {
        parser->free_symbol = parser->symbols.items[number].next;
        return number;
    }
    VEC_PUSH(&parser->symbols, ((Symbol){0}));
    return parser->symbols.count - 1;
}

static const Symbol *link_symbol(Parser *parser, unsigned depth, uint32_t name, Symbol symbol)
{
    const uint32_t number = new_symbol(parser);
    uint32_t *chain = chain_of(parser, name, symbol.kind);
    /* A chain is in the order of depth, the innermost first. A register of a range belongs to the scope that
     * declared the range, which may lie outside of the one that uses it. */
    while (*chain != NO_INDEX && parser->symbols.items[*chain].depth > depth)
        chain = &parser->symbols.items[*chain].shadowed;
    symbol.depth = (uint16_t)depth;
    symbol.name = name;
    symbol.shadowed = *chain;
    symbol.next = parser->scopes[depth].symbols;
    parser->scopes[depth].symbols = *chain = number;
    parser->symbols.items[number] = symbol;
    if (symbol.kind == SYMBOL_RANGE) {
        parser->scopes[depth].has_ranges = true;
        if (depth > parser->range_depth)
            parser->range_depth = depth;
    }
    return &parser->symbols.items[number];
}

/* The range that a name such as %r17 falls into: %r<n> with n > 17, or %r1<n> with n > 7. */
static const Symbol *find_range(Parser *parser, const Name *name)
{
    uint64_t number = 0, scale = 1;
    const Symbol *best = NULL;
    for (uint32_t length = name->length - 1; length > 0 && name->length - length <= 10;
         length--, scale *= 10) {
        const char digit = name->text[length];
        if (digit < '0' || digit > '9')
            break;
        number += scale * (uint64_t)(digit - '0');
        uint32_t prefix;
        /* The name of a register of a range has no leading zeros: %r01 is none of %r<16>. */
        if ((digit == '0' && length != name->length - 1) ||
            !map_get(&parser->names, name->text, length, &prefix))
            continue;
        uint32_t range = parser->name_list.items[prefix].range;
        while (range != NO_INDEX && number >= parser->symbols.items[range].index)
            range = parser->symbols.items[range].shadowed;
        if (range != NO_INDEX && (!best || parser->symbols.items[range].depth > best->depth))
            best = &parser->symbols.items[range];
    }
    return best;
}

void scope_declare(Parser *parser, unsigned depth, uint32_t name, Symbol symbol)
{
    const Name *entry = &parser->name_list.items[name];
    const Symbol *old = in_scope(parser, *chain_of(parser, name, symbol.kind), depth);
    if (!old && symbol.kind != SYMBOL_RANGE && parser->range_depth >= depth && depth) {
        old = find_range(parser, entry);
        old = old && old->depth == depth ? old : NULL;
    }
    if (old)
        parser_fail(parser, symbol.place, "'%.*s' is declared twice in this scope, first at line %u",
                    (int)entry->length, entry->text, old->place.line);
    link_symbol(parser, depth, name, symbol);
}

uint32_t scope_add_registers(Parser *parser, uint32_t name, Type type, unsigned vector)
{
    const uint32_t first = parser->registers.count;
    const Name *entry = &parser->name_list.items[name];
    for (unsigned i = 0; i < vector; i++) {
        const char *text = vector == 1 ? name_text(parser, name)
                                       : arena_printf(&parser->module->arena, "%.*s.%c", (int)entry->length,
                                                      entry->text, "xyzw"[i]);
        VEC_PUSH(&parser->registers, ((Register){text, type}));
    }
    return first;
}

const Symbol *scope_find(Parser *parser, uint32_t name)
{
    const Name *entry = &parser->name_list.items[name];
    const Symbol *direct = entry->symbol == NO_INDEX ? NULL : &parser->symbols.items[entry->symbol];
    /* Most names end here: no range can be further inside than the symbol. */
    if (!parser->range_depth || (direct && direct->depth >= parser->range_depth))
        return direct;
    const Symbol *range = find_range(parser, entry);
    if (!range || (direct && direct->depth >= range->depth))
        return direct;
    /* A copy, as adding symbols may move the table. Registers of a range are made when they are used first:
     * ranges may name thousands of which few are used. */
    const Symbol found = *range;
    const uint32_t index = scope_add_registers(parser, name, (Type)found.type, found.vector);
    return link_symbol(parser, found.depth, name,
                       (Symbol){.kind = SYMBOL_REGISTER,
                                .vector = found.vector,
                                .type = found.type,
                                .index = index,
                                .place = found.place});
}

void scope_refer(Parser *parser, Fixup fixup)
{
    Scope *scope = &parser->scopes[parser->depth];
    fixup.next = scope->fixups;
    scope->fixups = parser->fixups.count;
    VEC_PUSH(&parser->fixups, fixup);
}

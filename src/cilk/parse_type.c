/* The words of a declaration before its names: type, const, static and so on. */
#include "cilk/parser.h"
#include "cilk/types.h"

/* How often each word has stood; they may come in any order. */
typedef struct Words {
    unsigned counts[TK_CILK_FOR + 1];
    unsigned total;          /* words of basic types */
    bool is_const;
    const CilkType *type;    /* of a record, enumeration or typedef */
} Words;

static bool is_basic_word(TokenKind kind) { return kind >= TK_VOID && kind <= TK_UNSIGNED; }

static const CilkType *typedef_here(Parser *parser)
{
    if (parser->at->kind != TK_NAME)
        return NULL;
    Symbol *symbol = cilk_find_symbol(parser, parser->at->start, parser->at->length);
    return symbol && symbol->kind == SYMBOL_TYPE ? symbol->type : NULL;
}

bool cilk_begins_type(Parser *parser)
{
    TokenKind kind = parser->at->kind;
    return is_basic_word(kind) || (kind >= TK_STRUCT && kind <= TK_REGISTER) || typedef_here(parser);
}

/* Whether exactly these words stand there, besides int. */
static bool are_words(const Words *words, unsigned characters, unsigned shorts, unsigned longs)
{
    return words->counts[TK_CHAR] == characters && words->counts[TK_SHORT] == shorts
           && words->counts[TK_LONG] == longs
           && words->total == characters + shorts + longs + words->counts[TK_INT] + words->counts[TK_SIGNED]
                                  + words->counts[TK_UNSIGNED]
           && words->counts[TK_INT] <= !characters
           && words->counts[TK_SIGNED] + words->counts[TK_UNSIGNED] <= 1;
}

/* The type that words such as "unsigned long" say; null: none. */
static const CilkType *basic_type(const Words *words)
{
    static const TokenKind single[] = {TK_VOID, TK_BOOL, TK_FLOAT, TK_DOUBLE};
    static const CilkTypeKind single_types[] = {CILK_VOID, CILK_BOOL, CILK_FLOAT, CILK_DOUBLE};
    bool is_unsigned = words->counts[TK_UNSIGNED] > 0;
    if (words->total == 1)
        for (unsigned i = 0; i < 4; i++)
            if (words->counts[single[i]])
                return &cilk_basic_types[single_types[i]];
    if (!words->total)
        return NULL;
    if (are_words(words, 1, 0, 0))
        return &cilk_basic_types[is_unsigned ? CILK_UNSIGNED_CHAR
                                 : words->counts[TK_SIGNED] ? CILK_SIGNED_CHAR : CILK_CHAR];
    if (are_words(words, 0, 1, 0))
        return &cilk_basic_types[is_unsigned ? CILK_UNSIGNED_SHORT : CILK_SHORT];
    for (unsigned longs = 0; longs <= 2; longs++)
        if (are_words(words, 0, 0, longs))
            return &cilk_basic_types[CILK_INT + 2 * longs + is_unsigned];
    return NULL;
}

/* One word; false: none stands here any more. */
static bool take_word(Parser *parser, Words *words, Specifiers *specifiers)
{
    const Token *token = parser->at;
    TokenKind kind = token->kind;
    const CilkType *named = words->total || words->type ? NULL : typedef_here(parser);
    if (named) {
        parser->at++;
        words->type = named;
        return true;
    }
    if (!is_basic_word(kind) && !(kind >= TK_STRUCT && kind <= TK_REGISTER))
        return false;
    parser->at++;
    words->counts[kind]++;
    words->total += is_basic_word(kind);
    words->is_const |= kind == TK_CONST;
    specifiers->is_typedef |= kind == TK_TYPEDEF;
    specifiers->is_static |= kind == TK_STATIC;
    specifiers->is_extern |= kind == TK_EXTERN;
    if (kind == TK_VOLATILE)
        cilk_fail(parser, token->place,
                  "volatile is outside of the subset; tasks that depend on each other meet "
                  "at cilk_sync.");
    if (kind == TK_STRUCT || kind == TK_UNION || kind == TK_ENUM) {
        if (words->type)
            cilk_fail(parser, token->place, "this declaration has two types.");
        else
            words->type = kind == TK_ENUM ? cilk_parse_enumeration(parser)
                                          : cilk_parse_record(parser, kind == TK_UNION);
    }
    return !cilk_has_failed(parser);
}

void cilk_parse_specifiers(Parser *parser, Specifiers *specifiers)
{
    Words words = {0};
    CilkPlace place = parser->at->place;
    *specifiers = (Specifiers){.type = &cilk_basic_types[CILK_INT]};
    while (take_word(parser, &words, specifiers)) {
        /* all words of it */
    }
    const CilkType *type = words.type ? words.type : basic_type(&words);
    if (cilk_has_failed(parser))
        return;
    if (!type || (words.type && words.total)) {
        if (!words.total && !words.type && parser->at->kind == TK_NAME)
            cilk_fail_unknown(parser, parser->at);
        else
            cilk_fail(parser, place, words.total || words.type ? "these words are not a type of the subset."
                                                               : "a type is expected here.");
        return;
    }
    specifiers->type = words.is_const ? cilk_const_of(&parser->program->arena, type) : type;
}

const CilkType *cilk_parse_type_name(Parser *parser)
{
    Specifiers specifiers;
    Declarator declarator = {0};
    CilkPlace place = parser->at->place;
    cilk_parse_specifiers(parser, &specifiers);
    cilk_parse_declarator(parser, specifiers.type, &declarator);
    if (!cilk_has_failed(parser) && (*declarator.name || declarator.is_function || declarator.is_open_array))
        cilk_fail(parser, place, "the name of a type is expected here, and nothing else.");
    VEC_FREE(&declarator.parameters);
    return cilk_has_failed(parser) ? &cilk_basic_types[CILK_INT] : declarator.type;
}

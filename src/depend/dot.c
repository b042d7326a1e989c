/* The DOT language, as far as it says which nodes and edges there are. Names of nodes are numbers; attributes
 * are skipped, but for those of the graph with which draft_write_dot() states its blocks, joins and grids:
 * these come through graphviz's own tools, as comments do not. */
#include "depend/reader.h"

#include <string.h>
#include <strings.h>

/* Deeper subgraphs are refused: reading them takes stack. */
enum { MOST_DEPTH = 200 };

typedef enum TokenKind {
    TOKEN_END = 0,
    TOKEN_WORD = 256, /* or number, without quotes */
    TOKEN_QUOTED,     /* or HTML: no keyword */
    TOKEN_ARROW,
    TOKEN_DASHES
} TokenKind;

/* kind is a TokenKind, or the character that the token is. */
typedef struct Token {
    int kind;
    const char *text;
    size_t length;
} Token;

/* Invariant: `named` holds, in the order of naming, the nodes of the statement and of all subgraphs around
 * it. */
typedef struct Dot {
    Reader *reader;
    Token token; /* that comes next */
    uint32_t depth;
    VEC(uint32_t) named;
} Dot;

/* Nodes number first to end - 1 of `named`. */
typedef struct NodeSet {
    uint32_t first, end;
} NodeSet;

/* -- tokens -- */

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           (unsigned char)c >= 0x80;
}

/* Moves behind the first `end` from `from` on, counting lines. False: there is none. */
static bool skip_behind(Reader *reader, const char *from, const char *end)
{
    const size_t length = strlen(end);
    const char *found = memmem(from, (size_t)(reader->end - from), end, length);
    if (!found)
        return false;
    for (; reader->next < found + length; reader->next++)
        reader->line += *reader->next == '\n';
    return true;
}

static bool skip_space(Reader *reader)
{
    for (; reader->next < reader->end; reader->next++) {
        const char c = *reader->next, after = reader->next + 1 < reader->end ? reader->next[1] : '\0';
        if (c == '/' && after == '*') {
            if (!skip_behind(reader, reader->next + 2, "*/"))
                return reader_fail(reader, reader->line, "this comment has no end: */ is missing.");
            /* The loop's own step goes on behind the comment. */
            reader->next--;
        } else if (c == '#' || (c == '/' && after == '/')) {
            const char *stop = memchr(reader->next, '\n', (size_t)(reader->end - reader->next));
            reader->next = (stop ? stop : reader->end) - 1;
        } else if (c == '\n') {
            reader->line++;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            break;
        }
    }
    return true;
}

/* The end of a text in quotes, where a backslash takes away the next character's meaning, or of HTML in
 * nested angle brackets; `end` if there is none. */
static const char *end_of_quoted(const char *c, const char *end)
{
    const bool is_html = *c++ == '<';
    for (uint32_t nesting = 1; c < end; c++) {
        if (*c == (is_html ? '>' : '"') && --nesting == 0)
            return c;
        /* Tags of HTML come in pairs of brackets, so only the bracket of the first one ends it. */
        if (is_html)
            nesting += *c == '<';
        else if (*c == '\\' && c + 1 < end)
            c++;
    }
    return end;
}

static bool take_quoted(Reader *reader, Token *token)
{
    const char *first = reader->next + 1, *end = end_of_quoted(reader->next, reader->end);
    if (end == reader->end)
        return reader_fail(reader, reader->line, "the text that begins here has no end: %s is missing.",
                           first[-1] == '<' ? ">" : "the second quote");
    *token = (Token){TOKEN_QUOTED, first, (size_t)(end - first)};
    for (; reader->next <= end; reader->next++)
        reader->line += *reader->next == '\n';
    return true;
}

/* Takes the next token; the line of the reader is where it ends. */
static bool advance(Dot *dot)
{
    Reader *reader = dot->reader;
    if (!skip_space(reader))
        return false;
    const char *first = reader->next;
    if (first == reader->end) {
        dot->token = (Token){TOKEN_END, first, 0};
        return true;
    }
    if (*first == '"' || *first == '<')
        return take_quoted(reader, &dot->token);
    const char after = first + 1 < reader->end ? first[1] : '\0';
    dot->token = (Token){*first, first, 1};
    if (*first == '-' && (after == '>' || after == '-')) {
        dot->token = (Token){after == '>' ? TOKEN_ARROW : TOKEN_DASHES, first, 2};
    /* A number of DOT may be negative or have a point; no node has such a name, but attributes do. */
    } else if (is_word(*first) || (*first == '-' && (is_digit(after) || after == '.'))) {
        dot->token.kind = TOKEN_WORD;
        while (first + dot->token.length < reader->end && is_word(first[dot->token.length]))
            dot->token.length++;
    } else if (!memchr("{}[];,=:", *first, 8)) {
        return reader_expected(reader, "a statement of DOT");
    }
    reader->next += dot->token.length;
    return true;
}

/* Fails at the token that comes next. */
static bool expected(Dot *dot, const char *what)
{
    dot->reader->next = dot->token.text;
    return reader_expected(dot->reader, what);
}

static bool take(Dot *dot, int kind, const char *what)
{
    return dot->token.kind == kind ? advance(dot) : expected(dot, what);
}

static bool is_name(const Token *token) { return token->kind == TOKEN_WORD || token->kind == TOKEN_QUOTED; }

static bool is_keyword(const Token *token, const char *word)
{
    return token->kind == TOKEN_WORD && token->length == strlen(word) &&
           !strncasecmp(token->text, word, token->length);
}

static bool is_number(const Token *token)
{
    for (size_t i = 0; i < token->length; i++)
        if (!is_digit(token->text[i]))
            return false;
    return token->length && is_name(token);
}

/* -- attributes -- */

static bool has_text(const Token *token, const char *text)
{
    return token->length == strlen(text) && !memcmp(token->text, text, token->length);
}

/* An attribute of the whole graph. */
static bool state_attribute(Dot *dot, const Token *name, const Token *value)
{
    Reader *reader = dot->reader;
    /* A value that is not of our form is some other program's attribute of that name, and no error. */
    if (has_text(name, "grids"))
        reader_state_grids(reader, value->text, value->length);
    if (!is_number(value))
        return true;
    if (has_text(name, "blocks"))
        return reader_state_count(reader, &reader->blocks, value->text, value->length);
    if (has_text(name, "joins"))
        return reader_state_count(reader, &reader->joins, value->text, value->length);
    return true;
}

/* "= value", whose name has been taken. */
static bool read_value(Dot *dot, const Token *name, bool is_stated)
{
    if (!take(dot, '=', "= and a value"))
        return false;
    const Token value = dot->token;
    if (!is_name(&value))
        return expected(dot, "an attribute's value");
    return (!is_stated || state_attribute(dot, name, &value)) && advance(dot);
}

/* Any number of lists "[name=value, name=value]". */
static bool read_attributes(Dot *dot, bool is_stated)
{
    while (dot->token.kind == '[') {
        if (!advance(dot))
            return false;
        while (dot->token.kind != ']') {
            const Token name = dot->token;
            if (!is_name(&name))
                return expected(dot, "an attribute or ]");
            if (!advance(dot) || (dot->token.kind == '=' && !read_value(dot, &name, is_stated)))
                return false;
            if ((dot->token.kind == ',' || dot->token.kind == ';') && !advance(dot))
                return false;
        }
        if (!advance(dot))
            return false;
    }
    return true;
}

/* -- statements -- */

static bool read_statements(Dot *dot);

/* The nodes within braces. */
static bool read_subgraph(Dot *dot, NodeSet *nodes)
{
    if (is_keyword(&dot->token, "subgraph") && (!advance(dot) || (is_name(&dot->token) && !advance(dot))))
        return false;
    nodes->first = dot->named.count;
    if (dot->depth == MOST_DEPTH)
        return reader_fail(dot->reader, dot->reader->line, "subgraphs lie more than %d deep in each other.",
                           MOST_DEPTH);
    dot->depth++;
    if (!take(dot, '{', "{ and the nodes of a subgraph") || !read_statements(dot) ||
        !take(dot, '}', "a statement or }"))
        return false;
    dot->depth--;
    nodes->end = dot->named.count;
    return true;
}

/* A node, perhaps with a port, which says where at the node an edge is drawn. */
static bool read_node(Dot *dot, NodeSet *nodes)
{
    uint32_t node = 0;
    if (!is_number(&dot->token))
        return expected(dot, "the number of a node or a subgraph");
    if (!reader_number(dot->reader, dot->token.text, dot->token.length, &node))
        return false;
    reader_name_node(dot->reader, node);
    *nodes = (NodeSet){dot->named.count, dot->named.count + 1};
    VEC_PUSH(&dot->named, node);
    if (!advance(dot))
        return false;
    while (dot->token.kind == ':') {
        if (!advance(dot))
            return false;
        if (!is_name(&dot->token))
            return expected(dot, "the name of a port");
        if (!advance(dot))
            return false;
    }
    return true;
}

static bool read_nodes(Dot *dot, NodeSet *nodes)
{
    return dot->token.kind == '{' || is_keyword(&dot->token, "subgraph") ? read_subgraph(dot, nodes)
                                                                         : read_node(dot, nodes);
}

static bool add_edges(Dot *dot, NodeSet parents, NodeSet children)
{
    for (uint32_t p = parents.first; p < parents.end; p++)
        for (uint32_t c = children.first; c < children.end; c++)
            if (!reader_add_edge(dot->reader, dot->named.items[p], dot->named.items[c]))
                return false;
    return true;
}

static bool refuse_undirected(Dot *dot)
{
    return reader_fail(
        dot->reader, dot->reader->line,
        "the graph is undirected, so that it does not say who waits for whom; write \"digraph\" "
        "and \"->\" from parent to child.");
}

/* "1", "1 -> 2", "1 -> {2 3} -> 4", with attributes or without. */
static bool read_chain(Dot *dot)
{
    NodeSet parents, children;
    if (!read_nodes(dot, &parents))
        return false;
    while (dot->token.kind == TOKEN_ARROW) {
        if (!advance(dot) || !read_nodes(dot, &children) || !add_edges(dot, parents, children))
            return false;
        /* In "a -> b -> c" the node in the middle is child and parent. */
        parents = children;
    }
    return dot->token.kind == TOKEN_DASHES ? refuse_undirected(dot) : read_attributes(dot, false);
}

static bool refuse_name(Reader *reader, const Token *name, uint32_t line)
{
    reader->next = name->text;
    reader->line = line;
    return reader_expected(reader, "a number for the name of a node");
}

/* "name = value": anything else that begins with a name that is no number would be a node. */
static bool read_assignment(Dot *dot)
{
    const Token name = dot->token;
    const uint32_t line = dot->reader->line;
    if (!advance(dot))
        return false;
    if (dot->token.kind != '=')
        return refuse_name(dot->reader, &name, line);
    return read_value(dot, &name, dot->depth == 0);
}

static bool read_statement(Dot *dot)
{
    const Token *token = &dot->token;
    if (token->kind == ';')
        return advance(dot);
    const bool is_graph = is_keyword(token, "graph");
    if (is_graph || is_keyword(token, "node") || is_keyword(token, "edge")) {
        if (!advance(dot))
            return false;
        return token->kind == '[' ? read_attributes(dot, is_graph && dot->depth == 0)
                                  : expected(dot, "[ and attributes");
    }
    /* Nodes are numbers, so a word can only begin an assignment. */
    if (is_name(token) && !is_number(token) && !is_keyword(token, "subgraph"))
        return read_assignment(dot);
    return read_chain(dot);
}

/* To the closing brace, or to the end of the text. */
static bool read_statements(Dot *dot)
{
    while (dot->token.kind != '}' && dot->token.kind != TOKEN_END) {
        if (!read_statement(dot))
            return false;
        /* Within a subgraph they are still needed, for the edges of the subgraph as a whole. */
        if (!dot->depth)
            dot->named.count = 0;
    }
    return true;
}

static bool read_graph(Dot *dot)
{
    if (!advance(dot) || (is_keyword(&dot->token, "strict") && !advance(dot)))
        return false;
    if (is_keyword(&dot->token, "graph"))
        return refuse_undirected(dot);
    if (!is_keyword(&dot->token, "digraph"))
        return expected(dot, "\"digraph\", or a list of edges");
    if (!advance(dot) || (is_name(&dot->token) && !advance(dot)))
        return false;
    return take(dot, '{', "{ and the nodes of the graph") && read_statements(dot) &&
           take(dot, '}', "a statement or }") &&
           (dot->token.kind == TOKEN_END || expected(dot, "the end of the text behind the graph"));
}

bool dot_read(Reader *reader)
{
    Dot dot = {.reader = reader};
    const bool is_read = read_graph(&dot);
    VEC_FREE(&dot.named);
    return is_read;
}

/* Dependency graphs as text: lists of edges, and DOT (dot.c).
 *
 * A list has a pair of numbers on each line, parent first, with blanks, a comma or "->" between them; # and %
 * begin comments. Numbers alone say neither which nodes are joins nor how the grids are shaped, so what we
 * write says it in comments, which other programs do not mind: "# blocks 12 joins 1" and "# grid 4 3 1". */
#include "depend/reader.h"

#include <string.h>

bool reader_fail(Reader *reader, uint32_t line, const char *format, ...)
{
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    error_set(reader->error, WB_ERROR_ARGUMENT, "%.512s:%u: %s", reader->file_name, line, sentence);
    return false;
}

bool reader_expected(Reader *reader, const char *what)
{
    if (reader->next == reader->end)
        return reader_fail(reader, reader->line, "%s is expected, but the text ends.", what);
    const unsigned char c = (unsigned char)*reader->next;
    if (c == '\n')
        return reader_fail(reader, reader->line, "%s is expected, but the line ends.", what);
    if (c < 0x20 || c >= 0x7f)
        return reader_fail(reader, reader->line, "%s is expected, not a byte of value %u.", what, c);
    int length = 1;
    while (length < 20 && reader->next + length < reader->end && reader->next[length] > 0x20 &&
           reader->next[length] < 0x7f)
        length++;
    return reader_fail(reader, reader->line, "%s is expected, not \"%.*s\".", what, length, reader->next);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool reader_number(Reader *reader, const char *text, size_t length, uint32_t *number)
{
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        value = 10 * value + (uint64_t)(text[i] - '0');
        /* Checked at every digit, so `value` never exceeds 64 bits, however long the number is. */
        if (value >= GRAPH_MOST)
            return reader_fail(reader, reader->line, "the number %.*s is too large; nodes go up to %u.",
                               length > 40 ? 40 : (int)length, text, GRAPH_MOST - 1);
    }
    *number = (uint32_t)value;
    return true;
}

void reader_name_node(Reader *reader, uint32_t node)
{
    if (!reader->has_nodes || node > reader->largest) {
        reader->largest = node;
        /* Which nodes exist is known only at the end of the text; this is the line to name then. */
        reader->largest_line = reader->line;
    }
    reader->has_nodes = true;
}

bool reader_add_edge(Reader *reader, uint32_t parent, uint32_t child)
{
    return draft_push_edge(reader->draft, parent, child, reader->error) == WB_OK;
}

static void skip_blanks(Reader *reader)
{
    while (reader->next < reader->end &&
           (*reader->next == ' ' || *reader->next == '\t' || *reader->next == '\r'))
        reader->next++;
}

static void skip_line(Reader *reader)
{
    const char *stop = memchr(reader->next, '\n', (size_t)(reader->end - reader->next));
    reader->next = stop ? stop : reader->end;
}

static bool take_number(Reader *reader, uint32_t *number)
{
    const char *first = reader->next;
    while (reader->next < reader->end && is_digit(*reader->next))
        reader->next++;
    if (reader->next == first)
        return reader_expected(reader, "the number of a node");
    return reader_number(reader, first, (size_t)(reader->next - first), number);
}

bool reader_state_count(Reader *reader, Stated *stated, const char *digits, size_t length)
{
    stated->is_stated = true;
    stated->line = reader->line;
    return reader_number(reader, digits, length, &stated->value);
}

void reader_state_grids(Reader *reader, const char *text, size_t length)
{
    const uint32_t before = reader->grids.count;
    const char *end = text + length;
    uint32_t sizes = 0;
    for (; text < end; sizes++) {
        uint64_t size = 0;
        const char *first = text;
        while (text < end && is_digit(*text) && size <= UINT32_MAX)
            size = 10 * size + (uint64_t)(*text++ - '0');
        if (text == first || size > UINT32_MAX || (text < end && *text != ' ' && *text != '\r'))
            break;
        if (sizes % 3 == 0)
            VEC_PUSH(&reader->grids, ((GraphGrid){0}));
        reader->grids.items[reader->grids.count - 1].size[sizes % 3] = (uint32_t)size;
        while (text < end && (*text == ' ' || *text == '\r'))
            text++;
    }
    /* Not of the form that we write: none of it counts. */
    if (text < end || sizes % 3)
        reader->grids.count = before;
    reader->grids_line = reader->line;
}

/* -- lists of edges -- */

/* The digits of the number behind the word, if the text goes on like this; *text moves on. */
static size_t take_counted(const char **text, const char *end, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(end - *text) <= length || memcmp(*text, word, length))
        return 0;
    *text += length;
    size_t digits = 0;
    while (*text + digits < end && is_digit((*text)[digits]))
        digits++;
    return digits;
}

/* What draft_write_edges() says about the graph; any other comment says nothing. */
static bool read_comment(Reader *reader)
{
    const char *text = reader->next;
    skip_line(reader);
    const char *end = reader->next;
    if (take_counted(&text, end, "# grid ")) {
        reader_state_grids(reader, text, (size_t)(end - text));
        return true;
    }
    /* Both counts stand on one line, or neither is meant. */
    const size_t blocks_length = take_counted(&text, end, "# blocks ");
    const char *blocks = text;
    text += blocks_length;
    const size_t joins_length = blocks_length ? take_counted(&text, end, " joins ") : 0;
    return !joins_length || (reader_state_count(reader, &reader->blocks, blocks, blocks_length) &&
                             reader_state_count(reader, &reader->joins, text, joins_length));
}

static bool read_pair(Reader *reader)
{
    uint32_t parent = 0, child = 0;
    if (!take_number(reader, &parent))
        return false;
    const char *behind = reader->next;
    skip_blanks(reader);
    if (reader->next < reader->end && *reader->next == ',')
        reader->next++;
    else if (reader->end - reader->next >= 2 && reader->next[0] == '-' && reader->next[1] == '>')
        reader->next += 2;
    /* Without a comma or an arrow there must be a blank: "12" is one number, not two. */
    else if (reader->next == behind)
        return reader_expected(reader, "a blank and the number of a child");
    skip_blanks(reader);
    if (!take_number(reader, &child))
        return false;
    reader_name_node(reader, parent);
    reader_name_node(reader, child);
    return reader_add_edge(reader, parent, child);
}

static bool read_list(Reader *reader)
{
    while (true) {
        skip_blanks(reader);
        if (reader->next == reader->end)
            return true;
        if (*reader->next == '#') {
            if (!read_comment(reader))
                return false;
        } else if (*reader->next == '%') {
            skip_line(reader);
        } else if (*reader->next == '\n') {
            reader->next++;
            reader->line++;
        } else {
            if (!read_pair(reader))
                return false;
            skip_blanks(reader);
            if (reader->next < reader->end && !memchr("#%\n", *reader->next, 3))
                return reader_expected(reader, "the end of the line behind parent and child");
        }
    }
}

/* -- what nodes there are -- */

/* Of a draft without grids: as stated, else one of as many blocks as are named. */
static bool add_grids(Reader *reader)
{
    GraphDraft *draft = reader->draft;
    uint32_t size[3] = {1, 1, 1};
    for (uint32_t i = 0; i < reader->grids.count; i++) {
        memcpy(size, reader->grids.items[i].size, sizeof size);
        /* A sentence of its own, to put file and line in front of it. */
        Error error = {0};
        if (draft_add_grid(draft, size, NULL, &error) != WB_OK)
            return reader_fail(reader, reader->grids_line, "%s", error.text);
    }
    if (reader->grids.count)
        return true;
    if (reader->blocks.is_stated)
        size[0] = reader->blocks.value;
    else if (reader->has_nodes)
        size[0] = reader->largest + 1;
    else
        return reader_fail(reader, reader->line, "the text names no node; a line has a parent and a child.");
    if (!size[0])
        return reader_fail(reader, reader->blocks.line, "a dependency graph has at least one block.");
    return draft_add_grid(draft, size, NULL, reader->error) == WB_OK;
}

/* Makes the nodes that the text has in mind, and compares them with those that it names. */
static bool settle_nodes(Reader *reader)
{
    GraphDraft *draft = reader->draft;
    if (reader->joins.is_stated && !reader->blocks.is_stated)
        return reader_fail(reader, reader->joins.line, "joins are stated without the number of blocks.");
    if (!draft->grids.count && !add_grids(reader))
        return false;
    if (reader->blocks.is_stated && reader->blocks.value != draft->block_count)
        return reader_fail(reader, reader->blocks.line,
                           "the text is about %u blocks, but the grids of this graph have %u.",
                           reader->blocks.value, draft->block_count);
    if (reader->joins.value > GRAPH_MOST - draft->block_count)
        return reader_fail(reader, reader->joins.line, "%u blocks and %u joins are more than %u nodes.",
                           draft->block_count, reader->joins.value, GRAPH_MOST);
    /* Joins carry no data, so to make them is to count them. */
    if (draft->node_count - draft->block_count < reader->joins.value)
        draft->node_count = draft->block_count + reader->joins.value;
    if (reader->has_nodes && reader->largest >= draft->node_count)
        return reader_fail(reader, reader->largest_line,
                           "there is no node %u: the graph has %u (%u blocks and %u joins), counted from 0.",
                           reader->largest, draft->node_count, draft->block_count,
                           draft->node_count - draft->block_count);
    return true;
}

/* -- reading and writing -- */

/* DOT begins with a word, perhaps behind comments. */
static bool is_dot(const char *text, size_t length)
{
    for (const char *c = text, *end = text + length; c < end; c++) {
        if (*c == '#' || *c == '%' || (*c == '/' && c + 1 < end && c[1] == '/')) {
            c = memchr(c, '\n', (size_t)(end - c));
            if (!c)
                return false;
        } else if (*c == '/' && c + 1 < end && c[1] == '*') {
            c = memmem(c + 2, (size_t)(end - c - 2), "*/", 2);
            if (!c)
                return true; /* which says that the comment has no end */
            c++;
        } else if (!memchr(" \t\r\n", *c, 4)) {
            return (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        }
    }
    return false;
}

WbStatus draft_read(GraphDraft *draft, const char *file_name, const char *text, size_t length, Error *error)
{
    const uint32_t grids = draft->grids.count, blocks = draft->block_count, nodes = draft->node_count,
                   edges = draft->edges.count;
    Reader reader = {.draft = draft,
                     .file_name = file_name,
                     .next = text,
                     .end = text + length,
                     .line = 1,
                     .error = error};
    const bool is_read =
        (is_dot(text, length) ? dot_read(&reader) : read_list(&reader)) && settle_nodes(&reader);
    VEC_FREE(&reader.grids);
    if (is_read)
        return WB_OK;
    /* Nothing was added, as far as anybody can see: edges behind the count are not looked at. */
    draft->grids.count = grids;
    draft->block_count = blocks;
    draft->node_count = nodes;
    draft->edges.count = edges;
    return error->status;
}

void draft_write_edges(const GraphDraft *draft, FILE *to)
{
    fprintf(to, "# blocks %u joins %u\n", draft->block_count, draft->node_count - draft->block_count);
    for (uint32_t i = 0; i < draft->grids.count; i++) {
        const uint32_t *size = draft->grids.items[i].size;
        fprintf(to, "# grid %u %u %u\n", size[0], size[1], size[2]);
    }
    for (uint32_t e = 0; e < draft->edges.count; e++)
        fprintf(to, "%u %u\n", draft->edges.items[e].parent, draft->edges.items[e].child);
}

void draft_write_dot(const GraphDraft *draft, FILE *to)
{
    fprintf(to, "digraph dependencies {\n    blocks=%u;\n    joins=%u;\n    grids=\"", draft->block_count,
            draft->node_count - draft->block_count);
    for (uint32_t i = 0; i < draft->grids.count; i++) {
        const uint32_t *size = draft->grids.items[i].size;
        fprintf(to, "%s%u %u %u", i ? " " : "", size[0], size[1], size[2]);
    }
    fprintf(to, "\";\n");
    for (uint32_t join = draft->block_count; join < draft->node_count; join++)
        fprintf(to, "    %u [shape=point];\n", join);
    for (uint32_t e = 0; e < draft->edges.count; e++)
        fprintf(to, "    %u -> %u;\n", draft->edges.items[e].parent, draft->edges.items[e].child);
    fprintf(to, "}\n");
}

/* What the readers of lists and of DOT share: where they are in the text, and what it has said so far. */
#ifndef DEPEND_READER_H
#define DEPEND_READER_H

#include "depend/draft.h"

/* A number of nodes as the text states it. */
typedef struct Stated {
    bool is_stated;
    uint32_t value, line;
} Stated;

/* Edges go into the draft as they come, before it is known which nodes there are: that may be stated anywhere
 * in the text, or not at all. Invariant: next <= end; line is that of `next`; no edge has a node larger than
 * `largest`. */
typedef struct Reader {
    GraphDraft *draft;
    const char *file_name, *next, *end;
    uint32_t line;
    bool has_nodes;
    uint32_t largest, largest_line; /* the node of the largest number, and where it was named first */
    Stated blocks, joins;
    VEC(GraphGrid) grids;           /* stated; only their sizes are set */
    uint32_t grids_line;
    Error *error;
} Reader;

/* Records "file:line: sentence"; false. */
bool reader_fail(Reader *reader, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What stands at `next` is not what is expected there. */
bool reader_expected(Reader *reader, const char *what);

bool is_digit(char c);
/* The number that these digits write; fails if no node has it. */
bool reader_number(Reader *reader, const char *digits, size_t length, uint32_t *number);

void reader_name_node(Reader *reader, uint32_t node);
bool reader_add_edge(Reader *reader, uint32_t parent, uint32_t child);

/* What a text of ours says about its nodes. Another program may mean something else by such words, so what is
 * not of the form that we write is left alone. */
bool reader_state_count(Reader *reader, Stated *stated, const char *digits, size_t length);
/* "4 3 1 2 2 1": the dimensions of grids. */
void reader_state_grids(Reader *reader, const char *text, size_t length);

/* A text of DOT (dot.c). */
bool dot_read(Reader *reader);

#endif

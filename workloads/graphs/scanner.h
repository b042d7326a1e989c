/* Words, numbers and lines of a text file in one pass, through a window of fixed size: files may be larger
 * than memory. Any bytes are safe. */
#ifndef WORKLOADS_SCANNER_H
#define WORKLOADS_SCANNER_H

#include <stdint.h>
#include <stdio.h>

#include "graphs/input_error.h"

/* Invariant: at <= end; what lies between them is still to be read, then what `file` has left, if there is
 * one. number is null or points at or before `at`, into the same bytes. line, from 1, is that of the next
 * byte. */
typedef struct Scanner {
    const char *name; /* for messages */
    FILE *file;
    unsigned char *window;
    const unsigned char *at, *end;
    const unsigned char *number; /* where the last number began, for messages */
    uint64_t line;
    uint64_t bytes; /* that the window was filled with so far */
    bool commas;    /* a comma separates as a blank does */
    InputError *error;
} Scanner;

/* Words are cut to this many bytes: enough for every keyword and for a message. */
enum { SCANNER_WORD = 40 };

/* False: the file cannot be read, and an error stands. */
bool scanner_open(Scanner *scanner, const char *path, InputError *error);
/* Over bytes that stay where they are, named `name` in messages. */
void scanner_over(Scanner *scanner, const void *bytes, size_t size, const char *name, InputError *error);
void scanner_close(Scanner *scanner);

/* "NAME:LINE: expected WHAT, found ..." for what stands next. Always false. */
bool scanner_expected(Scanner *scanner, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "NAME:LINE: ..." with a sentence of the caller's. Always false. */
bool scanner_fail(Scanner *scanner, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool scanner_refill(Scanner *scanner);

/* The next byte, or -1 at the end. */
static inline int scanner_peek(Scanner *scanner)
{
    return scanner->at < scanner->end || scanner_refill(scanner) ? *scanner->at : -1;
}

/* Skips blanks within the line; the byte after them. */
static inline int scanner_skip_blanks(Scanner *scanner)
{
    int byte;
    while ((byte = scanner_peek(scanner)) == ' ' || byte == '\t' || byte == '\r' ||
           (byte == ',' && scanner->commas))
        scanner->at++;
    return byte;
}

static inline bool scanner_at_line_end(Scanner *scanner)
{
    const int byte = scanner_skip_blanks(scanner);
    return byte == '\n' || byte < 0;
}

/* Goes to the beginning of the next line, whatever stands before it. */
void scanner_skip_line(Scanner *scanner);
/* Goes to the next line that is neither empty nor begins with one of `marks`. False: there is none. */
bool scanner_next_line(Scanner *scanner, const char *marks);
/* Ends the line; false and an error if something else stands there. `what` is that line. */
bool scanner_end_line(Scanner *scanner, const char *what);

/* A word up to the next blank or line end; empty where there is none. */
void scanner_word(Scanner *scanner, char word[SCANNER_WORD]);
/* A whole number from low to high, followed by a blank or the line's end. `what` says which: "a vertex". */
bool scanner_whole(Scanner *scanner, const char *what, uint64_t low, uint64_t high, uint64_t *value);
/* A number with sign, fraction and exponent as they come. */
bool scanner_real(Scanner *scanner, const char *what, double *value);

#endif

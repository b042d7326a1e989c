/* Included twice by syntax.c. */
#ifndef SYNTAX_H
#define SYNTAX_H
#define TWICE(x) ((x) + (x))
#define SUM(x, y) \
    ((x) + (y))
typedef struct Pair Pair;
#endif

/* Figures as text, on the terminal and in files. */
#ifndef FIDELITY_PRINT_H
#define FIDELITY_PRINT_H

#include <stdio.h>

#include "row.h"

typedef struct FigureText {
    char text[32];
} FigureText;

/* Four digits, or all of those before the point. */
FigureText figure_text(double value);
/* Our instructions over those that were counted; empty where none were. */
FigureText instructions_text(const Row *row);
/* How far ours is from what was measured. */
double row_error(const Row *row);

/* The row, with the head of its set before the first and the summary behind the last. */
void print_row(const Run *run, size_t index);
/* A paragraph on all rows of a set. */
void print_summary(const Run *run, const Set *set, FILE *out);

#endif

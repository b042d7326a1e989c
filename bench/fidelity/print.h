/* Figures as text, on the terminal and in files. */
#ifndef FIDELITY_PRINT_H
#define FIDELITY_PRINT_H

#include <stdio.h>

#include "figures.h"

typedef struct FigureText {
    char text[32];
} FigureText;

/* Four digits, or all of those before the point. */
FigureText figure_text(double value);
/* Our instructions over those that were counted; empty where none were. */
FigureText instructions_text(const Row *row);
/* An error of a counter with its unit, and a sign if it is not an absolute value. */
FigureText error_text(const Counter *counter, double error, bool is_absolute);
/* How far ours is from what was measured, in per cent. */
double row_error(const Row *row);
FigureText row_error_text(const Row *row);

/* The row, with the head of its set before the first and what sums it up behind the last. Of an unseen row
 * the figures are not shown: whoever wants them asks for a file. */
void print_row(const Run *run, size_t index);
/* A paragraph on all rows of a set, or one on each half of it. */
void print_summary(const Run *run, const Set *set, FILE *out);

#endif

/* Which rows of the instruction table a form runs: those that the statements of its body match. */
#ifndef TESTS_ISA_REACH_H
#define TESTS_ISA_REACH_H

#include "forms.h"
#include "isa/isa.h"

enum { REACH_ROWS = 24 };

/* Writes the row of every instruction in the body, ROW_UNKNOWN for one that no row takes; returns how
 * many instructions there are. */
unsigned reach_rows(const Form *form, RowId *rows);

#endif

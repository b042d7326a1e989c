/* The tables of docs/FIDELITY.md. */
#ifndef FIDELITY_TABLES_H
#define FIDELITY_TABLES_H

#include "row.h"

/* Puts the tables of all sets that ran into the file that the options name. False: stderr has why not. */
bool tables_write(const Run *run);

#endif

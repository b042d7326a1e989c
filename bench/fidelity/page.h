/* A page with plots: web/dist/report.html with the rows put in. */
#ifndef FIDELITY_PAGE_H
#define FIDELITY_PAGE_H

#include "row.h"

/* False: stderr has why not. */
bool page_write(const Run *run, const char *path);

#endif

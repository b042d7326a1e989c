/* A paper's results as one page for browsers, with all tables and charts in it: to be kept and cited. */
#ifndef PAPERS_HTML_H
#define PAPERS_HTML_H

#include "papers/output.h"

/* Into the options' file; `warning` stands before all numbers. The same results give the same bytes. */
void html_write(const PaperResults *results, const Sheet *claims, const char *warning, Error *error);

#endif

/* Measured numbers that are shipped as data: tables of comma-separated values with a header, in which a
 * row is found by its first field. Lines that begin with # say where the numbers come from. */
#ifndef WORKLOADS_CSV_H
#define WORKLOADS_CSV_H

/* NAN: no such file, row or column, or no number there. */
double csv_number(const char *path, const char *row, const char *column);

#endif

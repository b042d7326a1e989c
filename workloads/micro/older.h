/* Measurements of properties that were published of older GPUs, and what was published. They differ from
 * those of micro.h, which repeat what was measured on an H200: here the sequences are of single PTX
 * instructions, as in the publications, and loops and clocks are not in the figures. */
#ifndef WORKLOADS_OLDER_H
#define WORKLOADS_OLDER_H

#include "micro/micro.h"

enum { OLDER_COUNT = 33 };
extern const Micro older_micros[OLDER_COUNT];

/* The measurement of this name; null: there is none. */
const Micro *older_find(const char *name);
/* As micro_run(), with the kernels of older.ptx. */
bool older_run(const Micro *micro, WbGpu *gpu, const char *directory, const MicroGpu *properties, Host *host,
               double *value);

/* A line of published.csv, whose head says what the columns mean. */
typedef struct Published {
    char name[48];      /* GPU/property; several lines may have the same */
    char gpu[16];       /* the configuration */
    const Micro *micro; /* the property's measurement */
    double value;       /* in the measurement's unit and the configuration's cycles */
    char printed[64];   /* the figure as the source has it */
    char card[48];      /* on which it was measured */
    char source[160];
    bool seen;     /* compared with a text of the source, or of one that repeats it */
    char why[320]; /* why ours differs; empty: it does not, or nothing is known */
} Published;

enum { PUBLISHED_MOST = 192 };

/* Reads the file into at most PUBLISHED_MOST rows. Returns how many; 0: the error says why none. */
size_t published_read(const char *path, Published *rows, char *error, size_t error_size);

#endif

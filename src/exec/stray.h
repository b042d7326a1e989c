/* Accesses outside of every allocation that were let pass (knob memory_check), as sentences: one for each
 * kernel and line of source, or of PTX where no source is known. */
#ifndef EXEC_STRAY_H
#define EXEC_STRAY_H

#include <stdint.h>

#include "base/vec.h"

struct Step;
struct Access;

/* The first access of a line that strayed. */
typedef struct Stray {
    char *line;     /* kernel and line, which make it what it is */
    char *sentence;
    uint64_t clock; /* of the machine that saw it */
    uint32_t machine; /* its number among those whose strays are told together */
} Stray;

typedef VEC(Stray) Strays;

enum { MOST_STRAYS = 64 };

/* Counts the access, whose lane strays at the address, and, with CHECK_REPORT, keeps its sentence in the
 * machine's strays if it is the first of its line. */
void stray_note(struct Step *step, const struct Access *access, unsigned lane, uint64_t address,
                const char *verb);
/* Moves what was seen before the clock to the end of `to`. */
void strays_take(Strays *from, uint32_t machine, uint64_t clock, Strays *to);
/* By clock and machine, whatever order they were taken in. */
void strays_sort(Strays *strays);
void strays_free(Strays *strays);

#endif

/* Knobs: values that a user may set, declared once in a table beside the struct that holds them.
 *
 * Parsing, bounds, the list of knobs and the resolved dump all walk that table. A component writes its
 * rows once in a .def file and makes struct and table of it:
 *
 *     KNOB_INTEGER(sm_count, 1, 1, 4096, "SMs", "Streaming multiprocessors")
 */
#ifndef BASE_KNOB_H
#define BASE_KNOB_H

#include "base/error.h"

enum { KNOB_STRING_SIZE = 256 };

/* What the field at the knob's offset is. */
typedef enum KnobKind {
    KNOB_KIND_INTEGER,     /* uint64_t */
    KNOB_KIND_BOOLEAN,     /* bool */
    KNOB_KIND_ENUMERATION, /* uint32_t: number of the choice */
    KNOB_KIND_STRING       /* char[KNOB_STRING_SIZE] */
} KnobKind;

/* Invariant: initial is a value that knob_set accepts. minimum, maximum and is_power are used by integers
 * only, choices (null-terminated) by enumerations only; a power's bounds are powers. */
typedef struct Knob {
    const char *name;
    KnobKind kind;
    size_t offset;
    const char *initial;
    uint64_t minimum, maximum;
    bool is_power; /* only powers of two may be given */
    const char *const *choices;
    const char *unit;
    const char *description;
} Knob;

/* The choices of an enumeration's row. */
#define CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})

typedef struct KnobTable {
    const char *title; /* what the knobs belong to, for sentences: "GPU configuration" */
    const Knob *rows;
    size_t count;
} KnobTable;

void knob_defaults(const KnobTable *table, void *object);
const Knob *knob_find(const KnobTable *table, const char *name);
/* A whole text as a number of anything: decimal or 0x-hexadecimal. */
bool knob_parse_count(const char *text, uint64_t *value);
/* The same as a number of bytes: with KiB, MiB, GiB or TiB if wanted. */
bool knob_parse_bytes(const char *text, uint64_t *value);
/* true, yes, on or 1; false, no, off or 0. */
bool knob_parse_boolean(const char *text, bool *value);
/* Sets one knob from text; integers as above, by their unit. `where` begins the sentence of an error
 * ("configs/x.yaml:3: ", or ""). An unknown name is WB_ERROR_NOT_FOUND and names the nearest known one; a bad
 * value leaves the object as it was. */
WbStatus knob_set(const KnobTable *table, void *object, const char *name, const char *value,
                  const char *where, Error *error);
/* The error of an unknown name alone; `other`, unless null, could have been meant, too. */
WbStatus knob_unknown(const KnobTable *table, const char *name, const char *other, const char *where,
                      Error *error);
/* The value of a knob that is no string, as a number: an enumeration's is that of the choice. */
WbStatus knob_get(const KnobTable *table, const void *object, const char *name, uint64_t *value,
                  Error *error);
/* The value as knob_set would take it. */
const char *knob_text(const Knob *knob, const void *object, char *buffer, size_t size);
/* "1 to 4096", "32 or 64", "a power of two from 1 to 1024", "stack or independent", "true or false", "text":
 * what may be given. */
const char *knob_domain(const Knob *knob, char *buffer, size_t size);

#endif

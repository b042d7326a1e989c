/* What is kept of a kernel's line profile: counts by line of source, or of PTX where the text has no .loc;
 * and the texts that the lines are of. */
#ifndef API_LINES_H
#define API_LINES_H

#include "base/map.h"
#include "sm/line_profile.h"

/* Bytes of all texts together that are kept for reports. */
enum { SOURCE_TEXT_LIMIT = 1000000 };

/* Invariant: bytes of the text are valid UTF-8 without zeros, and end with one. */
typedef struct SourceFile {
    char *name;
    char *text; /* null: it could not be read, or was too much */
} SourceFile;

/* Files in the order in which lines of them were first met. A zeroed one is empty. */
typedef struct SourceFiles {
    VEC(SourceFile) files;
    Map numbers; /* by name */
    size_t bytes; /* of texts */
} SourceFiles;

/* A line of a file, with the counts of its instructions. */
typedef struct LineRecord {
    uint32_t file; /* number among SourceFiles */
    uint32_t line;
    InsnProfile counts;
} LineRecord;

/* The lines that were issued or waited at, by file and line; the caller frees them by xfree(). Files that
 * are not known yet are read. */
LineRecord *lines_of_profile(const LineProfile *profile, SourceFiles *sources, uint32_t *count);
void sources_free(SourceFiles *sources);

uint64_t line_waited(const LineRecord *line);
/* The line's text without indentation and end; null: it is not known. */
const char *line_text(const SourceFiles *sources, const LineRecord *line, size_t *length);
/* "memory"; of WAIT_NONE "ready". */
const char *wait_name(Wait wait);

#endif

/* A recording in memory, found by form. */
#ifndef TESTS_ISA_GOLDEN_FILE_H
#define TESTS_ISA_GOLDEN_FILE_H

#include "base/map.h"
#include "golden.h"

typedef struct GoldenFile {
    uint8_t *data;
    size_t size;
    Map offsets; /* of the headers, by key */
} GoldenFile;

/* Reads a recording, plain or compressed. False, with a sentence on stderr, where that fails. */
bool golden_read(GoldenFile *file, const char *path);
/* The outputs recorded for a form, or null. */
const uint8_t *golden_find(const GoldenFile *file, const Form *form, RecordHeader *header);
void golden_free(GoldenFile *file);

#endif

/* Digests of files: computed once for a file that stays as it is, and kept in the database, so that a worker
 * knows its own binary at once. */
#ifndef SWEEP_FILES_H
#define SWEEP_FILES_H

#include "base/digest.h"
#include "sweep/store.h"

/* `what` names its kind in the sentence: "program". */
bool files_digest(const Store *store, const char *what, const char *path, char text[DIGEST_TEXT_SIZE],
                  Error *error);
/* Of the program that runs here. */
bool files_own_digest(const Store *store, char text[DIGEST_TEXT_SIZE], Error *error);
/* Of all files below a folder whose names end so, by their paths and contents. */
bool files_digest_below(const Store *store, const char *folder, const char *ending,
                        char text[DIGEST_TEXT_SIZE], Error *error);
/* Of those files of a folder that are there. */
bool files_digest_some(const Store *store, const char *folder, const char *const *names, size_t count,
                       char text[DIGEST_TEXT_SIZE], Error *error);

#endif

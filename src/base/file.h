/* Files that are read as a whole. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/error.h"

/* The whole file, to be freed by xfree(), or null with the sentence. `what` names its kind there: "PTX
 * file". */
char *file_read(const char *what, const char *path, size_t *length, Error *error);

#endif

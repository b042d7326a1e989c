/* Files that are read as a whole, and their names. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/error.h"

/* The whole file, to be freed by xfree(), or null with the sentence. `what` names its kind there: "PTX
 * file". */
char *file_read(const char *what, const char *path, size_t *length, Error *error);

/* Behind the last slash, or the whole path if that is its end. */
const char *file_last_part(const char *path);

/* The path from the root on, as the process may change its folder; to be given to xfree(). */
char *file_whole_path(const char *path);

#endif

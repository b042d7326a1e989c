/* Reads a file that --stats wrote, for all commands that take one: they say the same of a wrong one. */
#ifndef CLI_STATISTICS_FILE_H
#define CLI_STATISTICS_FILE_H

#include <jansson.h>

#include "base/error.h"

/* `path` may be "-": standard input. Null: an error stands; else the caller owns it, and it has gpu, config
 * and kernels. Of several GPUs these are joined: kernels of all of them have `gpu`, their GPU's index, and
 * `gpus` have none any more. */
json_t *statistics_read(const char *path, Error *error);

#endif

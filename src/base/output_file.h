/* A file that is written as a whole, or not at all: what it held before stays until the new contents are
 * there, on a full disk as well as when the process is killed in the middle.
 *
 * The contents go into a file beside it, which then takes its name and its permissions. Links are followed
 * and stay links. Where there is nothing to keep, as of a device or a pipe, or where the folder takes no new
 * file, they go straight to the path. The file beside it has no name until it is complete, so that nothing is
 * left behind whatever ends the process; only on file systems that have no such files, as those of a network,
 * it is called .NAME.warpbeam-PID from its beginning on, and a signal may leave it. */
#ifndef BASE_OUTPUT_FILE_H
#define BASE_OUTPUT_FILE_H

#include <stdio.h>

#include "base/error.h"

typedef struct OutputFile OutputFile;

/* Null: it cannot be begun, and the error says why. `what` is its kind for sentences: "report"; it must last.
 * A file that has been begun must be ended. */
OutputFile *output_file_begin(const char *what, const char *path, Error *error);
/* Where its contents go. What fails there is found out at its end. */
FILE *output_file_stream(const OutputFile *file);
/* All of it is in the file, or the error says why not and the file is as it was. */
WbStatus output_file_end(OutputFile *file, Error *error);

#endif

/* Running commands as a user does, for tests of the warpbeam program that was built beside them. */
#ifndef TESTS_SHELL_H
#define TESTS_SHELL_H

#include <stddef.h>

/* Where this test was built: the folder above that of tests. The program is bin/warpbeam in it. */
const char *shell_build_folder(void);
/* Runs a command line and returns its exit status; the test fails if it does not end by itself. The first of
 * what it prints, up to size - 1 bytes, goes to `output`. */
int shell_run(const char *command, char *output, size_t size);
/* Runs the program, and fails the test unless it ends well and says all of these, ended by null. */
void shell_expect(const char *arguments, const char *const *said);
/* Fails the test unless the text is written to that file of the folder. */
void shell_write(const char *folder, const char *name, const char *text);

#endif

/* Asks ptxas how many registers kernels have.
 *
 * A GPU's driver compiles the PTX of a program that holds no machine code for it, with the same assembler as
 * the toolkit has. How that allocates registers can only be estimated from outside (docs/NATIVE.md). Who has
 * the toolkit can have the numbers themselves, with the knob register_counts at `assembler`. It is not the
 * default: a result should not depend on which programs a machine has installed.
 *
 * The text goes into a file, ptxas makes a cubin of it, and that is read as one out of a fat binary is. */
#include "rt/assembler.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "config/config.h"
#include "rt/cubin.h"
#include "rt/rt.h"
#include "rt/told.h"

extern char **environ;

enum { PATH_SIZE = 4096 };

bool assembler_is_wanted(void) { return rt_knob("register_counts") == REGISTER_COUNTS_ASSEMBLER; }

static void tell(const char *why)
{
    static const char *const knob = "register_counts=assembler";
    if (told_first(knob, why))
        fprintf(stderr, "warpbeam: %s: %s; registers are estimated.\n", knob, why);
}

/* The toolkit that the environment names, then the one on the search path, then the usual place. */
static const char *find_assembler(char path[PATH_SIZE])
{
    static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH"};
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
        const char *home = getenv(homes[i]);
        if (home && snprintf(path, PATH_SIZE, "%s/bin/ptxas", home) < PATH_SIZE && access(path, X_OK) == 0)
            return path;
    }
    const char *rest = getenv("PATH");
    while (rest && *rest) {
        const size_t length = strcspn(rest, ":");
        if (length && snprintf(path, PATH_SIZE, "%.*s/ptxas", (int)length, rest) < PATH_SIZE &&
            access(path, X_OK) == 0)
            return path;
        rest += length + (rest[length] == ':');
    }
    return access("/usr/local/cuda/bin/ptxas", X_OK) == 0 ? "/usr/local/cuda/bin/ptxas" : NULL;
}

/* A new file in the folder for such files, with those bytes; false if it cannot be written. */
static bool make_file(char path[PATH_SIZE], const char *bytes, size_t count)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, PATH_SIZE, "%.4000s/warpbeam-XXXXXX", folder && *folder ? folder : "/tmp");
    const int file = mkstemp(path);
    if (file < 0)
        return false;
    bool is_whole = true;
    while (count && is_whole) {
        const ssize_t written = write(file, bytes, count);
        is_whole = written > 0 || (written < 0 && errno == EINTR);
        bytes += written > 0 ? written : 0;
        count -= written > 0 ? (size_t)written : 0;
    }
    if (close(file) == 0 && is_whole)
        return true;
    unlink(path);
    return false;
}

/* Runs it silently. A program that has its children reaped by the system leaves no status: then the output
 * file, which is empty before, tells. */
static bool run(const char *assembler, char *const arguments[])
{
    posix_spawn_file_actions_t silent;
    pid_t child;
    int status = 0;
    posix_spawn_file_actions_init(&silent);
    posix_spawn_file_actions_addopen(&silent, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&silent, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int failure = posix_spawn(&child, assembler, &silent, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&silent);
    if (failure)
        return false;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return true;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The cubin, from malloc(); null if ptxas refuses the text, or does not know the GPU. */
static char *assemble(const char *assembler, const char *from, size_t *size)
{
    char to[PATH_SIZE], architecture[32];
    Error error = {0};
    char *made = NULL;
    snprintf(architecture, sizeof architecture, "-arch=sm_%u", (unsigned)rt_knob("compute_capability"));
    if (!make_file(to, NULL, 0))
        return NULL;
    /* Calls of what is not in the text, the device runtime above all, are only taken as part of something. */
    for (int is_part = 0; is_part < 2 && !made; is_part++) {
        char *const arguments[] = {
            (char *)(uintptr_t)assembler, architecture, (char *)(uintptr_t)from, "-o", to,
            is_part ? "-c" : NULL,        NULL};
        if (run(assembler, arguments))
            made = file_read("What ptxas has made", to, size, &error);
    }
    unlink(to);
    return made;
}

void assembler_note(WbModule *module, const WbSource *text)
{
    char place[PATH_SIZE], from[PATH_SIZE];
    const char *assembler = find_assembler(place);
    CubinKernels kernels = {0};
    size_t size = 0;
    if (!assembler) {
        tell("no ptxas was found by CUDA_HOME, CUDA_PATH or PATH");
        return;
    }
    if (!make_file(from, text->text, text->length)) {
        tell("no file can be written for ptxas to read");
        return;
    }
    char *made = assemble(assembler, from, &size);
    unlink(from);
    if (made && cubin_read(made, size, false, &kernels))
        wb_module_compiled(module, kernels.items, kernels.count);
    else
        tell("ptxas made nothing of the program's PTX for this GPU");
    VEC_FREE(&kernels);
    xfree(made);
}

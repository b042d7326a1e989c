/* CUDA C to PTX by clang, which reads the text from its standard input. */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cilk/translate.h"

extern char **environ;

/* Files without a name: what goes in, what comes out, and what the compiler says. */
enum { STREAMS = 3, MOST_SAID = 600 };
typedef struct Streams {
    FILE *files[STREAMS];
} Streams;

static bool open_streams(Streams *streams, Error *error)
{
    for (int i = 0; i < STREAMS; i++) {
        streams->files[i] = tmpfile();
        if (!streams->files[i]) {
            error_set(error, WB_ERROR_NOT_FOUND, "no temporary file can be made: %s.", strerror(errno));
            return false;
        }
    }
    return true;
}

static void close_streams(Streams *streams)
{
    for (int i = 0; i < STREAMS; i++)
        if (streams->files[i])
            fclose(streams->files[i]);
}

/* All that a stream holds; to be given to xfree(). */
static char *read_all(FILE *file)
{
    fseek(file, 0, SEEK_END);
    const long length = ftell(file);
    rewind(file);
    char *text = xmalloc((size_t)length + 1);
    text[fread(text, 1, (size_t)length, file)] = '\0';
    return text;
}

/* The folder with our headers: beside the program as an installation has it, where it was installed, or in
 * the sources. */
static bool find_headers(char folder[PATH_MAX + 64])
{
    char program[PATH_MAX];
    const char *const fixed[] = {CILK_INSTALL_DIRECTORY, CILK_SOURCE_DIRECTORY};
    ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    while (length > 0 && program[length - 1] != '/')
        length--;
    for (int i = -1; i < 2; i++) {
        char header[PATH_MAX + 128];
        if (i < 0)
            snprintf(folder, PATH_MAX + 64, "%.*s../include", length > 0 ? (int)length : 0, program);
        else
            snprintf(folder, PATH_MAX + 64, "%s", fixed[i]);
        snprintf(header, sizeof header, "%s/warpbeam_device_channels.h", folder);
        if (access(header, R_OK) == 0)
            return true;
    }
    return false;
}

/* Products and sums stay apart: the host, whose result must be the same, does not join them either. */
static bool call_clang(const char *clang, const Streams *streams, const char *folder, Error *error)
{
    static const char *const flags[] = {
        "-x", "cuda", "--cuda-path=/nonexistent", "--cuda-device-only", "--cuda-gpu-arch=sm_50", "-nocudainc",
        "-nocudalib", "-Xclang", "-target-feature", "-Xclang", "+ptx72", "-std=c++17", "-O2", "-fwrapv",
        "-fno-strict-aliasing", "-ffp-contract=off", "-gline-tables-only", "-w", "-S", "-o", "-", "-", "-I"};
    enum { FLAGS = sizeof flags / sizeof *flags };
    const char *words[FLAGS + 3] = {clang};
    memcpy(words + 1, flags, sizeof flags);
    words[FLAGS + 1] = folder;
    pid_t child;
    int status = 0;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < STREAMS; i++)
        posix_spawn_file_actions_adddup2(&actions, fileno(streams->files[i]), i);
    const int failure = posix_spawnp(&child, clang, &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure) {
        error_set(error, WB_ERROR_NOT_FOUND,
                  "the compiler %s cannot be started: %s; install clang 14, or let CLANG name it.", clang,
                  strerror(failure));
        return false;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void tell_failure(const char *name, const char *clang, FILE *said, Error *error)
{
    char *text = read_all(said);
    char *first = strstr(text, "error:");
    while (first && first > text && first[-1] != '\n')
        first--;
    error_set(error, WB_ERROR_PTX, "%s could not be compiled by %s: %.*s", name, clang, MOST_SAID,
              first   ? first
              : *text ? text
                      : "it ended without a word.");
    xfree(text);
}

/* -- lines -- */

enum { MOST_FILES = 64 };

/* What the compiler's numbers of files stand for: the program's as the user wrote them, null for others. */
typedef struct Files {
    const char *names[MOST_FILES];
} Files;

/* "	.file	1 \"/folder/fib.c\"": the compiler puts its folder before names. */
static void read_file(const CilkProgram *program, const char *line, Files *files)
{
    unsigned number;
    char name[PATH_MAX];
    if (sscanf(line, "\t.file\t%u \"%4095[^\"\n]", &number, name) != 2 || number >= MOST_FILES)
        return;
    for (uint32_t i = 0; i < program->file_count; i++) {
        const char *known = program->files[i];
        const size_t length = strlen(name), wanted = strlen(known);
        if (length >= wanted && strcmp(name + length - wanted, known) == 0 &&
            (length == wanted || name[length - wanted - 1] == '/'))
            files->names[number] = known;
    }
}

static size_t line_length(const char *text)
{
    const size_t length = strcspn(text, "\n");
    return length + (text[length] == '\n');
}

static Files read_files(const CilkProgram *program, const char *text)
{
    Files files = {{0}};
    for (; *text; text += line_length(text))
        if (strncmp(text, "\t.file\t", 7) == 0)
            read_file(program, text, &files);
    return files;
}

/* Instructions of our headers belong to the line of the program before them. */
static bool is_of_others(const char *line, const Files *files)
{
    unsigned number, at;
    if (sscanf(line, "\t.loc\t%u %u", &number, &at) != 2)
        return strncmp(line, "\t.file\t", 7) == 0;
    return number >= MOST_FILES || !files->names[number] || at == 0;
}

/* Debugging information but for lines says nothing to us: sections, and the labels that they name. */
static void copy_lines(const char *text, const Files *files, FILE *out)
{
    bool is_section = false;
    for (size_t length; *text; text += length) {
        length = line_length(text);
        is_section |= strncmp(text, "\t.section\t.debug", 16) == 0;
        const bool is_label = strncmp(text, "Lfunc_", 6) == 0 || strncmp(text, "Ltmp", 4) == 0;
        if (!is_section && !is_label && !is_of_others(text, files))
            fwrite(text, 1, length, out);
        is_section &= strncmp(text, "\t}", 2) != 0;
    }
    for (unsigned i = 0; i < MOST_FILES; i++)
        if (files->names[i])
            fprintf(out, "\t.file\t%u \"%s\"\n", i, files->names[i]);
}

static char *finish(const CilkProgram *program, const CilkGraph *graph, FILE *compiled)
{
    char *ptx = read_all(compiled), *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    const Files files = read_files(program, ptx);
    cilk_graph_print(graph, out);
    copy_lines(ptx, &files, out);
    fclose(out);
    xfree(ptx);
    return text;
}

char *cilk_compile(const CilkProgram *program, const char *text, const CilkGraph *graph, Error *error)
{
    Streams streams = {{0}};
    char folder[PATH_MAX + 64], *ptx = NULL;
    const char *clang = getenv("CLANG");
    clang = clang && *clang ? clang : "clang";
    if (!find_headers(folder)) {
        error_set(error, WB_ERROR_NOT_FOUND,
                  "warpbeam_device_channels.h is neither in " CILK_INSTALL_DIRECTORY
                  " nor in " CILK_SOURCE_DIRECTORY ": install or build Warpbeam again.");
        return NULL;
    }
    if (open_streams(&streams, error)) {
        fputs(text, streams.files[0]);
        fflush(streams.files[0]);
        rewind(streams.files[0]);
        if (call_clang(clang, &streams, folder, error))
            ptx = finish(program, graph, streams.files[1]);
        else
            tell_failure(program->files[0], clang, streams.files[2], error);
    }
    close_streams(&streams);
    return ptx;
}

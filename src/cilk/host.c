/* Compiles and runs the serial elision.
 *
 * Two files: the program with Cilk's keywords taken away and a function behind it that makes the call, which
 * sees what is static as well; and a main() of its own, so that the C library's names are not in the
 * program's way. The result comes back in a file. All lie in a folder that is removed. */
#include "cilk/host.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

extern char **environ;

enum { MOST_PATH = 512 };

static const char driver_text[] =
    "#include <stdio.h>\n"
    "extern void cilk__call(void *result);\n"
    "int main(int count, char **words)\n"
    "{\n"
    "    static union { unsigned char bytes[16]; double aligned; } result;\n"
    "    FILE *file = count == 2 ? fopen(words[1], \"wb\") : NULL;\n"
    "    cilk__call(&result);\n"
    "    return !file || fwrite(&result, sizeof result, 1, file) != 1 || fclose(file);\n"
    "}\n";

typedef struct Folder {
    char path[MOST_PATH];
    Error *error;
} Folder;

static const char *const parts[] = {"program.c", "driver.c", "program", "result", "cilk/cilk.h", "cilk"};

static void path_of(const Folder *folder, const char *name, char path[MOST_PATH + 32])
{
    snprintf(path, MOST_PATH + 32, "%s/%s", folder->path, name);
}

static bool make_folder(Folder *folder)
{
    const char *temporary = getenv("TMPDIR");
    char path[MOST_PATH + 32];
    int length = snprintf(folder->path, sizeof folder->path, "%s/warpbeam-cilk-XXXXXX",
                          temporary && *temporary ? temporary : "/tmp");
    bool is_made = length < MOST_PATH && mkdtemp(folder->path);
    path_of(folder, "cilk", path);
    if (is_made && !mkdir(path, 0700))
        return true;
    error_set(folder->error, WB_ERROR_NOT_FOUND,
              "No folder can be made at %s to compile in: %s; TMPDIR names another place.", folder->path,
              strerror(errno));
    return false;
}

static void remove_folder(const Folder *folder)
{
    char path[MOST_PATH + 32];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        path_of(folder, parts[i], path);
        remove(path);
    }
    rmdir(folder->path);
}

/* Begins a file of the folder; null: the error says why not. */
static FILE *begin_file(const Folder *folder, const char *name)
{
    char path[MOST_PATH + 32];
    path_of(folder, name, path);
    FILE *file = fopen(path, "w");
    if (!file)
        error_set(folder->error, WB_ERROR_NOT_FOUND, "%s cannot be written: %s.", path, strerror(errno));
    return file;
}

static bool end_file(const Folder *folder, FILE *file)
{
    if (ferror(file) + fclose(file) == 0)
        return true;
    error_set(folder->error, WB_ERROR_NOT_FOUND, "The disk with %s is full.", folder->path);
    return false;
}

/* The name as a C string has it. */
static void write_quoted(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', file);
        putc(*text, file);
    }
    putc('"', file);
}

/* Arguments by their bits, so that all numbers are what they are. */
static void write_call(FILE *file, const CilkCall *call)
{
    Arena arena = {0};
    bool returns = call->function->returns->kind != CILK_VOID;
    fputs("void cilk__call(void *cilk__result);\nvoid cilk__call(void *cilk__result)\n{\n    ", file);
    if (returns)
        fprintf(file, "*(%s *)cilk__result = ", cilk_declaration(&arena, call->function->returns, ""));
    else
        fputs("(void)cilk__result;\n    ", file);
    fprintf(file, "%s(", call->function->name);
    for (uint32_t i = 0; i < call->argument_count; i++)
        fprintf(file, "%s(union { unsigned long cilk__bits; %s; }){0x%llxul}.cilk__value", i ? ", " : "",
                cilk_declaration(&arena, call->arguments[i].type, "cilk__value"),
                (unsigned long long)call->arguments[i].integer);
    fputs(");\n}\n", file);
    arena_free(&arena);
}

static bool write_program(const Folder *folder, const char *path, const CilkCall *call)
{
    FILE *file = begin_file(folder, "program.c");
    if (!file)
        return false;
    char *whole = file_whole_path(path);
    fputs("#define cilk_spawn\n#define cilk_sync\n#define _Cilk_spawn\n#define _Cilk_sync\n"
          "#define main cilk__main\n#include ", file);
    write_quoted(file, whole);
    fputs("\n#undef bool\n#define bool _Bool\n", file);
    write_call(file, call);
    xfree(whole);
    return end_file(folder, file);
}

static bool write_rest(const Folder *folder)
{
    FILE *driver = begin_file(folder, "driver.c");
    if (!driver)
        return false;
    fputs(driver_text, driver);
    if (!end_file(folder, driver))
        return false;
    FILE *header = begin_file(folder, "cilk/cilk.h");
    return header && end_file(folder, header);
}

/* Runs a command; its exit status, or -1 with the sentence. */
static int run(const Folder *folder, char *const *words)
{
    pid_t child;
    int status = 0, failure = posix_spawnp(&child, words[0], NULL, NULL, words, environ);
    if (failure) {
        error_set(folder->error, WB_ERROR_NOT_FOUND, "%s cannot be started: %s; CC names another compiler.",
                  words[0], strerror(failure));
        return -1;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        /* a signal of ours: the child goes on */
    }
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    error_set(folder->error, WB_ERROR_EXECUTION, "The program was ended on the host by signal %d (%s).",
              WTERMSIG(status), strsignal(WTERMSIG(status)));
    return -1;
}

static bool compile(const Folder *folder, const char *path)
{
    char program[MOST_PATH + 32], driver[MOST_PATH + 32], out[MOST_PATH + 32];
    const char *compiler = getenv("CC");
    path_of(folder, "program.c", program);
    path_of(folder, "driver.c", driver);
    path_of(folder, "program", out);
    /* numbers as on the GPU: sums wrap around, and products are rounded before they are added */
    char *words[] = {(char *)(compiler && *compiler ? compiler : "cc"), "-std=gnu17", "-O2", "-w", "-fwrapv",
                     "-fno-strict-aliasing", "-ffp-contract=off", "-I", (char *)folder->path, "-o", out,
                     program, driver, "-lm", NULL};
    int status = run(folder, words);
    if (status > 0)
        error_set(folder->error, WB_ERROR_ARGUMENT,
                  "%s finds errors in %s without its Cilk keywords; it has said which.", words[0], path);
    return status == 0;
}

static bool call_program(const Folder *folder, CilkValue *result)
{
    char program[MOST_PATH + 32], out[MOST_PATH + 32];
    path_of(folder, "program", program);
    path_of(folder, "result", out);
    int status = run(folder, (char *[]){program, out, NULL});
    size_t length;
    char *bytes = status ? NULL : file_read("result", out, &length, folder->error);
    if (status > 0)
        error_set(folder->error, WB_ERROR_EXECUTION, "The program ended on the host with status %d.", status);
    if (bytes && length >= sizeof result->bytes)
        memcpy(result->bytes, bytes, sizeof result->bytes);
    xfree(bytes);
    return folder->error->status == WB_OK;
}

WbStatus cilk_host_run(const char *path, const CilkCall *call, CilkValue *result, Error *error)
{
    Folder folder = {.error = error};
    const CilkType *returns = call->function->returns;
    *result = (CilkValue){.type = returns->kind == CILK_VOID ? NULL : returns};
    if (!make_folder(&folder))
        return error->status;
    if (write_program(&folder, path, call) && write_rest(&folder) && compile(&folder, path))
        call_program(&folder, result);
    remove_folder(&folder);
    return error->status;
}

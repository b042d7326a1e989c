/* `warpbeam policy build`: calls the compiler for a policy outside of the tree, with the headers that this
 * program was built with (grid/outside.h). */
#include "cli/command.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/knob.h"
#include "cli/running.h"
#include "config/config.h"
#include "policy_version.h"

extern char **environ;

enum { MOST_WORDS = 32, PATH_BYTES = PATH_MAX + 64 };

/* A call of the compiler. Invariant: words[count] is null; all others are for xfree(). */
typedef struct Call {
    char *words[MOST_WORDS];
    size_t count;
} Call;

static void add(Call *call, const char *before, const char *text)
{
    char *word = xmalloc(strlen(before) + strlen(text) + 1);
    sprintf(word, "%s%s", before, text);
    call->words[call->count++] = word;
}

/* -- headers -- */

static bool is_of_this_version(const char *folder)
{
    static const char wanted[] = "#define POLICY_LAYOUT \"" POLICY_LAYOUT "\"\n";
    char path[2 * PATH_BYTES], text[sizeof wanted + 1] = "";
    snprintf(path, sizeof path, "%s/policy_version.h", folder);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return strcmp(text, wanted) == 0;
}

/* As they are installed: our own in a folder beside the public ones. */
static bool add_installed(Call *call, const char *format, int length, const char *prefix)
{
    char folder[PATH_BYTES], own[PATH_BYTES + 16];
    snprintf(folder, sizeof folder, format, length, prefix);
    snprintf(own, sizeof own, "%s/warpbeam", folder);
    if (!is_of_this_version(own))
        return false;
    add(call, "-I", own);
    add(call, "-I", folder);
    return true;
}

static bool add_built(Call *call)
{
    if (!is_of_this_version(POLICY_GENERATED_DIRECTORY))
        return false;
    add(call, "-I", POLICY_SOURCE_DIRECTORY "/src");
    add(call, "-I", POLICY_SOURCE_DIRECTORY "/include");
    add(call, "-I", POLICY_GENERATED_DIRECTORY);
    return true;
}

/* What lies beside the program first, as an installation has it; then where the build has its own. */
static int add_headers(Call *call)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    while (length > 0 && program[length - 1] != '/')
        length--;
    if ((length > 0 && add_installed(call, "%.*s../include", (int)length, program)) ||
        add_installed(call, "%.*s", (int)strlen(POLICY_INSTALL_DIRECTORY), POLICY_INSTALL_DIRECTORY) ||
        add_built(call))
        return EXIT_DONE;
    return fail("the headers that this program was built with are neither in " POLICY_INSTALL_DIRECTORY
                "/warpbeam nor in " POLICY_GENERATED_DIRECTORY ": install or build it again.");
}

/* -- what is compiled -- */

typedef struct Source {
    const char *path;
    char name[128]; /* without folder and .c */
    char out[PATH_BYTES];
    unsigned place;
} Source;

/* Policies with few knobs seldom lie at one place: those with few letters and those that differ in one are
 * far apart. FNV-1a. */
static unsigned place_of(const char *name)
{
    enum { ROOM = 64 }; /* words behind the last place */
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash % (LOADED_KNOB_WORDS - ROOM);
}

static int read_name(const char *path, Source *source)
{
    const char *name = file_last_part(path);
    const size_t length = strlen(name);
    if (length < 3 || strcmp(name + length - 2, ".c") != 0)
        return misuse("policy build needs a source FILE.c, not '%s'.", path);
    if (access(path, R_OK))
        return fail("%s cannot be read: %s.", path, strerror(errno));
    for (size_t i = 0; i < length - 2; i++)
        if (!(isalnum((unsigned char)name[i]) || name[i] == '_') || isdigit((unsigned char)*name))
            return fail("%s ends with a constant that is named after the file, as admit_%.*s: only letters, "
                        "digits and _ can be in that.",
                        path, (int)(length - 2), name);
    if (length >= sizeof source->name)
        return fail("the name of %s is too long.", path);
    snprintf(source->name, sizeof source->name, "%.*s", (int)(length - 2), name);
    source->path = path;
    return EXIT_DONE;
}

static int read_place(const char *text, unsigned *place)
{
    uint64_t number;
    if (!knob_parse_count(text, &number) || number >= LOADED_KNOB_WORDS)
        return misuse("--place takes 0 to %d, not '%s'.", LOADED_KNOB_WORDS - 1, text);
    *place = (unsigned)number;
    return EXIT_DONE;
}

/* The .def beside it, by its whole path: the compiler looks for files from the header on that includes it. */
static void add_table(Call *call, const Source *source)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%.*sdef", (int)strlen(source->path) - 1, source->path);
    if (access(path, F_OK))
        return;
    char *whole = file_whole_path(path);
    snprintf(path, sizeof path, "\"%s\"", whole);
    add(call, "-DWARPBEAM_POLICY_DEF=", path);
    xfree(whole);
}

static int fill(Call *call, const Source *source)
{
    static const char *const flags[] = {
        "-std=c17",          "-D_GNU_SOURCE",       "-O2",   "-Wall",  "-Wextra", "-fno-strict-aliasing",
        "-ffp-contract=off", "-fvisibility=hidden", "-fPIC", "-shared"};
    const char *compiler = getenv("CC");
    char place[16];
    add(call, "", compiler && *compiler ? compiler : "cc");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        add(call, "", flags[i]);
    if (add_headers(call) != EXIT_DONE)
        return EXIT_FAILED;
    snprintf(place, sizeof place, "%u", source->place);
    add(call, "-DWARPBEAM_POLICY_FILE=", source->name);
    add(call, "-DWARPBEAM_POLICY_PLACE=", place);
    add_table(call, source);
    add(call, "", "-include");
    add(call, "", "grid/outside.h");
    add(call, "", "-o");
    add(call, "", source->out);
    add(call, "", source->path);
    return EXIT_DONE;
}

/* -- the compiler -- */

static int compile(const Call *call, const Source *source)
{
    pid_t child;
    int status = 0;
    const int failure = posix_spawnp(&child, call->words[0], NULL, NULL, call->words, environ);
    if (failure)
        return fail("the compiler %s cannot be started: %s; CC names another.", call->words[0],
                    strerror(failure));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return fail("%s could not be compiled.", source->path);
    running_tell_written((const char *const[]){source->out}, 1, "");
    return EXIT_DONE;
}

/* Words as a shell takes them. */
static int print(const Call *call)
{
    for (size_t i = 0; i < call->count; i++) {
        const char *word = call->words[i];
        fputs(i ? " '" : "'", stdout);
        for (; *word; word++)
            fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stdout);
        putchar('\'');
    }
    putchar('\n');
    return EXIT_DONE;
}

static int read_options(int argument_count, char **arguments, Source *source, bool *prints)
{
    const char *out = take_option(&argument_count, arguments, "--out");
    const char *place = take_option(&argument_count, arguments, "--place");
    *prints = take_flag(&argument_count, arguments, "--print");
    int result = check_left_over(argument_count, arguments, 2);
    if (result == EXIT_DONE && (argument_count != 3 || strcmp(arguments[1], "build") != 0))
        result = misuse("policy needs the word build and a source: policy build FILE.c.");
    if (result == EXIT_DONE)
        result = read_name(arguments[2], source);
    if (result != EXIT_DONE)
        return result;
    snprintf(source->out, sizeof source->out, out ? "%s" : "%s.so", out ? out : source->name);
    source->place = place_of(source->name);
    return place ? read_place(place, &source->place) : EXIT_DONE;
}

int command_policy(int argument_count, char **arguments)
{
    Source source = {0};
    Call call = {0};
    bool prints;
    int result = read_options(argument_count, arguments, &source, &prints);
    if (result == EXIT_DONE)
        result = fill(&call, &source);
    if (result == EXIT_DONE)
        result = prints ? print(&call) : compile(&call, &source);
    for (size_t i = 0; i < call.count; i++)
        xfree(call.words[i]);
    return result;
}

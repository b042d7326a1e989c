/* `warpbeam report`: one HTML file that shows runs, beside each other, and papers' results. */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/knob.h"
#include "base/outputs.h"
#include "base/printable.h"
#include "base/vec.h"
#include "cli/page.h"

/* RUN.json, or NAME=RUN.json; `copy`, if not null, holds the name and is to be freed. */
static PageInput read_input(const char *text, char **copy)
{
    const char *equals = strchr(text, '=');
    *copy = NULL;
    if (!equals || equals == text || access(text, F_OK) == 0)
        return (PageInput){.path = text};
    *copy = strndup(text, (size_t)(equals - text));
    return (PageInput){.path = equals + 1, .label = *copy};
}

/* The page must not take the place of what it is made of. */
static bool check_path(const PageInput *inputs, size_t count, const char *path, Error *error)
{
    VEC(OutputPath) paths = {0};
    VEC_PUSH(&paths, ((OutputPath){.what = "the page", .path = path}));
    for (size_t i = 0; i < count; i++)
        VEC_PUSH(&paths, ((OutputPath){.what = "an input", .path = inputs[i].path, .is_input = true}));
    const bool right = outputs_check(paths.items, paths.count, error);
    VEC_FREE(&paths);
    return right;
}

static int write_report(int argument_count, char **arguments, const char *path, size_t bytes)
{
    Error error = {0};
    const bool is_stream = strcmp(path, "-") == 0;
    VEC(PageInput) inputs = {0};
    VEC(char *) copies = {0};
    for (int i = 1; i < argument_count; i++) {
        char *copy;
        VEC_PUSH(&inputs, read_input(arguments[i], &copy));
        VEC_PUSH(&copies, copy);
    }
    const bool done = (is_stream || check_path(inputs.items, inputs.count, path, &error)) &&
                      page_write(inputs.items, inputs.count, bytes, is_stream ? "/dev/stdout" : path, &error);
    for (uint32_t i = 0; i < copies.count; i++)
        free(copies.items[i]);
    VEC_FREE(&copies);
    VEC_FREE(&inputs);
    if (!done)
        return fail("%s", error.text);
    char shown[PRINTABLE_NAME_SIZE];
    if (!is_stream)
        printf("%s is written; a browser shows it, without a network.\n", printable_name(path, shown));
    return EXIT_DONE;
}

int command_report(int argument_count, char **arguments)
{
    const char *path = take_option(&argument_count, arguments, "--out");
    const char *size = take_option(&argument_count, arguments, "--megabytes");
    uint64_t megabytes = 0;
    const int result = check_left_over(argument_count, arguments, argument_count);
    if (result != EXIT_DONE)
        return result;
    if (argument_count < 2)
        return misuse("report needs statistics files of runs, or folders of `warpbeam paper --out`.");
    if (size && (!knob_parse_count(size, &megabytes) || megabytes < 1 || megabytes > 1000))
        return misuse("--megabytes needs a number from 1 to 1000, not '%s'.", size);
    return write_report(argument_count, arguments, path ? path : "report.html",
                        size ? (size_t)megabytes * 1000 * 1000 : PAGE_BYTES);
}

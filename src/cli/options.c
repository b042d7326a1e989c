/* Options of commands: taken out of the arguments one by one, so that what is left is wrong or positional. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

static void remove_arguments(int *argument_count, char **arguments, int at, int count)
{
    for (int i = at; i + count <= *argument_count; i++)
        arguments[i] = arguments[i + count];
    *argument_count -= count;
}

const char *take_option(int *argument_count, char **arguments, const char *name)
{
    size_t length = strlen(name);
    for (int i = 1; i < *argument_count; i++) {
        const char *value = NULL;
        int used = 1;
        if (strncmp(arguments[i], name, length) == 0 && arguments[i][length] == '=') {
            value = arguments[i] + length + 1;
        } else if (strcmp(arguments[i], name) == 0 && i + 1 < *argument_count) {
            value = arguments[i + 1];
            used = 2;
        }
        if (value) {
            remove_arguments(argument_count, arguments, i, used);
            return value;
        }
    }
    return NULL;
}

bool take_flag(int *argument_count, char **arguments, const char *name)
{
    for (int i = 1; i < *argument_count; i++) {
        if (strcmp(arguments[i], name) == 0) {
            remove_arguments(argument_count, arguments, i, 1);
            return true;
        }
    }
    return false;
}

int check_left_over(int argument_count, char **arguments, int wanted, const char *const *options)
{
    for (int i = 1; i < argument_count; i++) {
        if (strncmp(arguments[i], "--", 2) != 0)
            continue;
        char name[64], hint[96];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(arguments[i], "="), arguments[i]);
        Nearest nearest = nearest_to(name);
        for (const char *const *option = options; *option; option++) {
            if (strcmp(*option, name) == 0)
                return misuse("'%s' is given twice, lacks its value, or has one that it does not take.",
                              name);
            nearest_offer(&nearest, *option);
        }
        return misuse("%s has no option '%s'%s", arguments[0], name,
                      nearest_hint(&nearest, hint, sizeof hint));
    }
    if (argument_count > 1 + wanted)
        return misuse("%s takes no '%s'.", arguments[0], arguments[1 + wanted]);
    return EXIT_DONE;
}

/* Options of commands: taken out of the arguments one by one, so that what is left is wrong or positional. */
#include "cli/command.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

static void remove_arguments(int *argument_count, char **arguments, int at, int count)
{
    for (int i = at; i + count <= *argument_count; i++)
        arguments[i] = arguments[i + count];
    *argument_count -= count;
}

/* The row of the table, which must be there. */
static const Option *declared(char **arguments, const char *name)
{
    const Command *command = command_find(arguments[0]);
    const Option *option = command ? command_option(command, name) : NULL;
    assert(option);
    return option;
}

/* Whether the option at `at` has a value behind it, and not the next option. */
static bool has_value(int argument_count, char **arguments, int at)
{
    return at + 1 < argument_count && !command_option(command_find(arguments[0]), arguments[at + 1]);
}

const char *take_option(int *argument_count, char **arguments, const char *name)
{
    const Option *option = declared(arguments, name);
    size_t length = strlen(name);
    assert(option->argument);
    for (int i = 1; i < *argument_count; i++) {
        const char *value = NULL;
        int used = 1;
        if (strncmp(arguments[i], name, length) == 0 && arguments[i][length] == '=') {
            value = arguments[i] + length + 1;
        } else if (option_is_called(option, arguments[i]) && has_value(*argument_count, arguments, i)) {
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
    const Option *option = declared(arguments, name);
    assert(!option->argument);
    for (int i = 1; i < *argument_count; i++) {
        if (option_is_called(option, arguments[i])) {
            remove_arguments(argument_count, arguments, i, 1);
            return true;
        }
    }
    return false;
}

/* "--name" of "--name=value"; false: it is a word. */
static bool option_name(const char *argument, char name[64])
{
    snprintf(name, 64, "%.*s", (int)strcspn(argument, "="), argument);
    return name[0] == '-' && name[1];
}

static int unknown_option(const Command *command, const char *name)
{
    Nearest nearest = nearest_to(name);
    for (size_t g = 0; g < COMMAND_GROUPS && command->groups[g]; g++)
        for (size_t i = 0; i < command->groups[g]->count; i++)
            nearest_offer(&nearest, command->groups[g]->options[i].name);
    char hint[NEAREST_HINT_SIZE];
    return misuse("%s has no option '%s'%s", command->name, name, nearest_hint(&nearest, hint, sizeof hint));
}

/* Of an option that the command has and that was not taken. */
static int wrong_option(const Option *option, int argument_count, char **arguments, int at)
{
    const char *equals = strchr(arguments[at], '=');
    if (!option->argument && equals)
        return misuse("'%s' takes no value: write it without '%s'.", option->name, equals);
    if (option->argument && !equals && !has_value(argument_count, arguments, at))
        return misuse("'%s' needs a value behind it: %s %s.", option->name, option->name, option->argument);
    return misuse("'%s' is given twice; once is enough.", option->name);
}

int check_left_over(int argument_count, char **arguments, int wanted)
{
    const Command *command = command_find(arguments[0]);
    char name[64];
    for (int i = 1; i < argument_count; i++) {
        if (!option_name(arguments[i], name))
            continue;
        const Option *option = command_option(command, name);
        return option ? wrong_option(option, argument_count, arguments, i) : unknown_option(command, name);
    }
    if (argument_count > 1 + wanted)
        return misuse("%s takes no '%s'.", arguments[0], arguments[1 + wanted]);
    return EXIT_DONE;
}

int check_without(int argument_count, char **arguments, const OptionGroup *group)
{
    char name[64];
    for (int i = 1; i < argument_count; i++)
        for (size_t o = 0; option_name(arguments[i], name) && o < group->count; o++) {
            const Option *option = &group->options[o];
            if (strcmp(name, option->name) == 0)
                return option->value.kind == VALUE_OF_KNOB
                           ? misuse("'%s' is only for `warpbeam %s`; `--set %s=%s` does the same here.", name,
                                    group->form, option->value.of, option->argument)
                           : misuse("'%s' is only for `warpbeam %s`.", name, group->form);
        }
    return EXIT_DONE;
}

/* The commands of the warpbeam program. Each returns its exit status: 0 done, 1 failed, or EXIT_USAGE, of
 * which main() makes 2: a program that was run may end with that, too. Only this folder prints and exits.
 *
 * What a command is called, takes and does is declared once, in table.c: its help, the man page and the
 * shells' completion are made of that, and an option that is not there cannot be taken. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stddef.h>

#include "warpbeam.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = -1 };

/* arguments[0] is the command's own name. */
typedef int CommandFn(int argument_count, char **arguments);

CommandFn command_cilk, command_compare, command_completion, command_config, command_demo, command_help,
    command_list, command_paper, command_policy, command_ptx, command_report, command_run, command_sweep;

/* What can stand in a place of the command line, for completion. */
typedef enum ValueKind {
    VALUE_ANY,    /* nobody knows */
    VALUE_FILE,   /* a file's path */
    VALUE_FOLDER, /* a folder's path */
    VALUE_WORDS,  /* one of the words in `of`, spaces between them */
    VALUE_LIST,   /* a name that `warpbeam list OF --names` prints */
    VALUE_LIST_OF, /* the same with --of and the first word of the command line */
    VALUE_FILE_OR_LIST,
    VALUE_KNOB,   /* KNOB=VALUE */
    VALUE_OF_KNOB /* what the knob `of` takes, and nothing else is meant by the option */
} ValueKind;

typedef struct Value {
    ValueKind kind;
    const char *of;
} Value;

typedef struct Option {
    const char *name;     /* "--gpu" */
    const char *argument; /* what it takes, as help shows it: "NAME"; null: nothing, it is a flag */
    const char *description;
    Value value;
} Option;

/* Options that belong together. */
typedef struct OptionGroup {
    const char *title;
    const char *form; /* how a command is written that has them, for errors: "run -- PROGRAM"; null: always */
    const Option *options;
    size_t count;
} OptionGroup;

enum { COMMAND_GROUPS = 4, COMMAND_FORMS = 3, COMMAND_EXAMPLES = 4 };

/* Arrays end with null, or when full. */
typedef struct Command {
    const char *name;
    CommandFn *run;
    const char *description;            /* one line */
    const char *forms[COMMAND_FORMS];   /* what stands behind the name: "-- PROGRAM [ARGUMENT]..." */
    const char *about;                  /* paragraphs, line feeds between them; null: the line says it all */
    Value words;                        /* what is no option */
    const OptionGroup *groups[COMMAND_GROUPS];
    const char *examples[COMMAND_EXAMPLES];
} Command;

/* An environment variable. */
typedef struct SettingVariable {
    const char *name, *description;
} SettingVariable;

extern const Command commands[];
extern const size_t command_count;
extern const SettingVariable variables[];
extern const size_t variable_count;
extern const OptionGroup running_options, program_options, workload_options, ptx_options;

/* Null: there is none of that name. */
const Command *command_find(const char *name);
/* By its name or its short one. */
const Option *command_option(const Command *command, const char *name);
bool option_is_called(const Option *option, const char *name);
/* "-o" of "--out"; null: it has none. */
const char *option_short_name(const Option *option);
/* Says that there is no such command; returns EXIT_USAGE. */
int unknown_command(const char *name);
/* The command's page. */
void help_print(const Command *command);
/* The whole as a page for man. */
void man_print(void);

/* Prints "warpbeam: sentence" on stderr; returns EXIT_FAILED. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for wrong usage; returns EXIT_USAGE, and main() points to help. */
int misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Gives signals that main() has changed for this process back to what they were, for a program that is
 * started. */
void main_restore_signals(void);

/* Takes `--name value` or `--name=value` out of the arguments; null where it is not given. The table must
 * have it for the command. */
const char *take_option(int *argument_count, char **arguments, const char *name);
/* Takes `--name` out of the arguments. */
bool take_flag(int *argument_count, char **arguments, const char *name);

/* What is left must be `wanted` words at most and no option; returns EXIT_DONE or EXIT_USAGE. */
int check_left_over(int argument_count, char **arguments, int wanted);
/* None of the group's options may be there; returns as above. */
int check_without(int argument_count, char **arguments, const OptionGroup *group);

#endif

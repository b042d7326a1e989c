/* `warpbeam completion`: scripts that make bash and zsh complete command lines, made of the commands' table.
 *
 * Names that are data, such as GPUs, are asked of `warpbeam list ... --names` when they are needed. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

/* Text within single quotes of a shell. */
static void put_quoted(const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*text);
}

/* -- bash -- */

/* The commands of a case that fill COMPREPLY. */
static void bash_value(Value value)
{
    switch (value.kind) {
    case VALUE_ANY:
        fputs("COMPREPLY=()", stdout);
        break;
    case VALUE_FILE:
        fputs("_warpbeam_files -f", stdout);
        break;
    case VALUE_FOLDER:
        fputs("_warpbeam_files -d", stdout);
        break;
    case VALUE_WORDS:
        printf("_warpbeam_words '%s'", value.of);
        break;
    case VALUE_LIST:
        printf("_warpbeam_words \"$(\"$program\" list %s --names 2>/dev/null)\"", value.of);
        break;
    case VALUE_FILE_OR_LIST:
        printf("_warpbeam_paths \"$(\"$program\" list %s --names 2>/dev/null)\"; _warpbeam_files -f",
               value.of);
        break;
    case VALUE_KNOB:
        fputs("_warpbeam_knob", stdout);
        break;
    }
}

static void bash_command(const Command *command)
{
    printf("    %s)\n        case $option in\n", command->name);
    for (size_t g = 0; g < COMMAND_GROUPS && command->groups[g]; g++)
        for (size_t i = 0; i < command->groups[g]->count; i++) {
            const Option *option = &command->groups[g]->options[i];
            if (!option->argument)
                continue;
            printf(option_short_name(option) ? "        %s | %s) " : "        %s) ", option->name,
                   option_short_name(option));
            bash_value(option->value);
            puts("; return ;;");
        }
    fputs("        esac\n        if [[ $word == -* ]]; then _warpbeam_words '--help", stdout);
    for (size_t g = 0; g < COMMAND_GROUPS && command->groups[g]; g++)
        for (size_t i = 0; i < command->groups[g]->count; i++)
            printf(" %s", command->groups[g]->options[i].name);
    fputs("'; else ", stdout);
    bash_value(command->words);
    puts("; fi ;;");
}

/* Bash cuts words at = and :, so `--gpu=h2` is three of them, and `--set knob=` ends with one. */
static const char bash_head[] =
    "# bash completion of warpbeam: source <(warpbeam completion bash)\n"
    "_warpbeam_words() { COMPREPLY+=($(compgen -W \"$1\" -- \"$word\")); }\n"
    "_warpbeam_paths() { # names like suite/name, also by what stands behind the last /\n"
    "    _warpbeam_words \"$1\"\n"
    "    local path\n"
    "    ((${#COMPREPLY[@]})) || for path in $1; do\n"
    "        [[ ${path##*/} == \"$word\"* ]] && COMPREPLY+=(\"$path\")\n"
    "    done\n"
    "}\n"
    "_warpbeam_files() { compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen $1 -- \"$word\")); }\n"
    "_warpbeam_knob() {\n"
    "    compopt -o nospace 2>/dev/null\n"
    "    COMPREPLY=($(compgen -S = -W \"$(\"$program\" list knobs --names 2>/dev/null)\" -- \"$word\"))\n"
    "}\n"
    "_warpbeam() {\n"
    "    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} i\n"
    "    COMPREPLY=()\n"
    "    if [[ $word == = ]]; then\n"
    "        word=\n"
    "        [[ $option != --* ]] && return\n"
    "    elif [[ $option == = ]]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD-2]}\n"
    "        [[ $option != --* ]] && return # a knob's value\n"
    "    fi\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
    "            _command_offset $((i + 1)) 2>/dev/null || _warpbeam_files -f\n"
    "            return\n"
    "        fi\n"
    "    done\n"
    "    if ((COMP_CWORD == 1)); then\n";

static void print_bash(void)
{
    fputs(bash_head, stdout);
    fputs("        _warpbeam_words '--help --version", stdout);
    for (size_t i = 0; i < command_count; i++)
        printf(" %s", commands[i].name);
    puts("'\n        return\n    fi\n    case ${COMP_WORDS[1]} in");
    for (size_t i = 0; i < command_count; i++)
        bash_command(&commands[i]);
    puts("    esac\n}\ncomplete -F _warpbeam warpbeam");
}

/* -- zsh -- */

/* A text within single quotes and, within those, of a specification: [ ] and : mean something there. */
static void zsh_text(const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:", *text))
            putchar('\\');
        put_quoted((const char[]){*text, '\0'});
    }
}

/* What stands behind "message:" in a specification. */
static void zsh_value(Value value)
{
    switch (value.kind) {
    case VALUE_ANY:
        putchar(' ');
        break;
    case VALUE_FILE:
        fputs("_files", stdout);
        break;
    case VALUE_FOLDER:
        fputs("_files -/", stdout);
        break;
    case VALUE_WORDS:
        printf("(%s)", value.of);
        break;
    case VALUE_LIST:
        printf("{_warpbeam_list %s}", *value.of ? value.of : "\"\"");
        break;
    case VALUE_FILE_OR_LIST:
        printf("{_warpbeam_list_or_file %s}", value.of);
        break;
    case VALUE_KNOB:
        fputs("_warpbeam_knob", stdout);
        break;
    }
}

static void zsh_command(const Command *command)
{
    printf("    %s)\n        _arguments -S : \\\n            '--help[Show how it is used]' \\\n",
           command->name);
    for (size_t g = 0; g < COMMAND_GROUPS && command->groups[g]; g++)
        for (size_t i = 0; i < command->groups[g]->count; i++) {
            const Option *option = &command->groups[g]->options[i];
            printf("            '*%s%s[", option->name, option->argument ? "=" : "");
            zsh_text(option->description);
            putchar(']');
            if (option->argument) {
                putchar(':');
                zsh_text(option->argument);
                putchar(':');
                zsh_value(option->value);
            }
            puts("' \\");
        }
    fputs("            '*: :", stdout);
    zsh_value(command->words);
    puts("' ;;");
}

static void print_zsh(void)
{
    puts("#compdef warpbeam\n"
         "# zsh completion of warpbeam: in a file _warpbeam in a folder of $fpath\n"
         "_warpbeam_list() { names=(${(f)\"$(warpbeam list $1 --names 2>/dev/null)\"}); "
         "compadd -a names; }\n"
         "_warpbeam_list_or_file() { # names like suite/name, also by what stands behind the last /\n"
         "    _warpbeam_list $1 || { names=(${(M)names:#*/${PREFIX}*}); compadd -U -a names; }\n"
         "    _files\n"
         "}\n"
         "_warpbeam_knob() { local -a names; names=(${(f)\"$(warpbeam list knobs --names 2>/dev/null)\"}); "
         "compadd -S = -a names; }\n"
         "_warpbeam() {\n"
         "    local -a names\n"
         "    if ((CURRENT == 2)); then\n"
         "        names=(");
    for (size_t i = 0; i < command_count; i++) {
        printf("            '%s:", commands[i].name);
        put_quoted(commands[i].description);
        puts("'");
    }
    puts("        )\n        _describe command names\n        return\n    fi\n"
         "    local at=${words[(I)--]}\n"
         "    if ((at > 2 && at < CURRENT)); then\n"
         "        ((CURRENT -= at)); words=(${words[at+1,-1]}); _normal; return\n"
         "    fi\n"
         "    local command=$words[2]\n    ((CURRENT--)); shift words\n    case $command in");
    for (size_t i = 0; i < command_count; i++)
        zsh_command(&commands[i]);
    puts("    esac\n}\n_warpbeam \"$@\"");
}

int command_completion(int argument_count, char **arguments)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}};
    if (check_left_over(argument_count, arguments, 1) != EXIT_DONE)
        return EXIT_USAGE;
    if (argument_count != 2)
        return misuse("completion needs the name of a shell: bash or zsh.");
    Nearest nearest = nearest_to(arguments[1]);
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        nearest_offer(&nearest, shells[i].name);
        if (strcmp(arguments[1], shells[i].name) == 0) {
            shells[i].print();
            return EXIT_DONE;
        }
    }
    char hint[64];
    return misuse("there is no completion for '%s'%s", arguments[1],
                  nearest_hint(&nearest, hint, sizeof hint));
}

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
    case VALUE_OF_KNOB:
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
    case VALUE_LIST_OF:
        printf("_warpbeam_list_of %s", value.of);
        break;
    case VALUE_KNOB:
        fputs("_warpbeam_knob", stdout);
        break;
    }
}

/* Options that have a value, so that it is not taken for the first word. */
static void put_takers(const Command *command)
{
    printf("    %s)\n        local takes='", command->name);
    for (size_t g = 0; g < COMMAND_GROUPS && command->groups[g]; g++)
        for (size_t i = 0; i < command->groups[g]->count; i++) {
            const Option *option = &command->groups[g]->options[i];
            const char *short_name = option_short_name(option);
            if (option->argument)
                printf(" %s%s%s", option->name, short_name ? " " : "", short_name ? short_name : "");
        }
    puts(" '");
}

/* Files can be any number, of all else there is one. */
static bool is_one_word(const Command *command) { return command->words.kind != VALUE_FILE; }

static void bash_command(const Command *command)
{
    put_takers(command);
    puts("        _warpbeam_first\n        case $option in");
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
    fputs(is_one_word(command) ? "'; elif [[ ! $first ]]; then " : "'; else ", stdout);
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
    "_warpbeam_first() { # the first word that is neither an option nor one's value\n"
    "    first=\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        case ${COMP_WORDS[i]} in\n"
    "        = | :) ((i++)) ;;\n"
    "        -*) [[ $takes == *\" ${COMP_WORDS[i]} \"* && ${COMP_WORDS[i+1]} != = ]] && ((i++)) ;;\n"
    "        *) first=${COMP_WORDS[i]}; return ;;\n"
    "        esac\n"
    "    done\n"
    "}\n"
    "_warpbeam_list_of() { # several may be given, commas between them\n"
    "    local before=\n"
    "    [[ $word == *,* ]] && before=${word%,*},\n"
    "    COMPREPLY=($(compgen -P \"$before\" -W \"$(\"$program\" list $1 ${first:+--of \"$first\"} --names "
    "2>/dev/null)\" -- \"${word##*,}\"))\n"
    "}\n"
    "_warpbeam() {\n"
    "    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} "
    "first i\n"
    "    COMPREPLY=()\n"
    "    [[ $word == = ]] && word=\n"
    "    [[ $option == = ]] && option=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    if [[ ${COMP_WORDS[COMP_CWORD]} == = || ${COMP_WORDS[COMP_CWORD-1]} == = ]] && [[ $option != -* ]]; "
    "then\n"
    "        _warpbeam_words \"$(\"$program\" list values --of \"$option\" --names 2>/dev/null)\" # a "
    "knob's\n"
    "        return\n"
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
    case VALUE_OF_KNOB:
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
    case VALUE_LIST_OF:
        printf("{_warpbeam_list_of %s}", value.of);
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
    put_takers(command);
    puts("        _arguments -S : \\\n            '--help[Show how it is used]' \\");
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
    printf("            '%c: :", is_one_word(command) ? '1' : '*');
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
         "_warpbeam_list_of() { # of the first word that is neither an option nor one's value\n"
         "    local -a names; local first; integer i\n"
         "    for ((i = 2; i < CURRENT; i++)); do\n"
         "        case $words[i] in\n"
         "        (-*) [[ $takes == *\" $words[i] \"* ]] && ((i++)) ;;\n"
         "        (*) first=$words[i]; break ;;\n"
         "        esac\n"
         "    done\n"
         "    names=(${(f)\"$(warpbeam list $1 ${first:+--of=$first} --names 2>/dev/null)\"})\n"
         "    compset -P '*,'; compadd -a names\n"
         "}\n"
         "_warpbeam_knob() {\n"
         "    local -a names\n"
         "    if compset -P '*='; then\n"
         "        names=(${(f)\"$(warpbeam list values --of ${${IPREFIX%=}##*=} --names 2>/dev/null)\"})\n"
         "        compadd -a names\n"
         "    else\n"
         "        names=(${(f)\"$(warpbeam list knobs --names 2>/dev/null)\"}); compadd -S = -a names\n"
         "    fi\n"
         "}\n"
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
    char hint[NEAREST_HINT_SIZE];
    return misuse("there is no completion for '%s'%s", arguments[1],
                  nearest_hint(&nearest, hint, sizeof hint));
}

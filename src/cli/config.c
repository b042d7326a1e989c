/* `warpbeam config`: a configuration after inheritance and defaults, as a file that could be read again. */
#include "cli/running.h"

#include <stdio.h>

#include "api/cycle.h"
#include "config/config.h"

int command_config(int argument_count, char **arguments)
{
    int result = policies_take_and_load(&argument_count, arguments);
    if (result == EXIT_DONE)
        result = check_left_over(argument_count, arguments, 1);
    if (result != EXIT_DONE)
        return result;
    if (argument_count != 2)
        return misuse("config needs the name of one GPU.");
    GpuConfig config;
    Error error = {0};
    if (config_load(arguments[1], &config, &error) || cycle_check(&config, &error))
        return gpu_is_there(arguments[1]) ? fail("%s", error.text) : misuse("%s", error.text);
    for (size_t i = 0; i < config_knobs.count; i++) {
        const Knob *knob = &config_knobs.rows[i];
        char value[KNOB_STRING_SIZE];
        const char *quote = knob->kind == KNOB_KIND_STRING ? "\"" : "";
        int width =
            printf("%s: %s%s%s", knob->name, quote, knob_text(knob, &config, value, sizeof value), quote);
        printf("%*s # %s%s%s\n", width < 44 ? 44 - width : 0, "", knob->description, *knob->unit ? "; " : "",
               knob->unit);
    }
    return EXIT_DONE;
}

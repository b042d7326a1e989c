/* Statistics for people and for programs. */
#include "cli/command.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

void print_statistics(const WbGpu *gpu)
{
    for (size_t i = 0; i < wb_stat_count(gpu); i++) {
        WbStat stat;
        wb_stat_at(gpu, i, &stat);
        if (stat.value)
            printf("  %-22s %12" PRIu64 " %-13s %s\n", stat.name, stat.value, stat.unit, stat.description);
    }
}

int print_statistics_json(const WbGpu *gpu)
{
    json_t *object = json_object();
    for (size_t i = 0; i < wb_stat_count(gpu); i++) {
        WbStat stat;
        wb_stat_at(gpu, i, &stat);
        json_object_set_new(object, stat.name, json_integer((json_int_t)stat.value));
    }
    int failed = json_dumpf(object, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    json_decref(object);
    putchar('\n');
    return failed ? fail("the statistics could not be written.") : EXIT_DONE;
}

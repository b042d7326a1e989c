/* One line a value, so that files of several runs can be put together, and filtered by any column. */
#include "values.h"

#include <stdio.h>

#include "base/output_file.h"
#include "figures.h"

static void write_row(const Row *row, FILE *out)
{
    for (CounterNumber i = 0; row->set->has_counters && row->outcome.right && i < COUNTER_COUNT; i++) {
        const Point point = {row, row->counters[i], row->outcome.counters[i]};
        if (!point_is_comparable(counters[i].scale, &point))
            continue;
        fprintf(out, "%s,%s,%s,%s,%s,%s,%.9g,%.9g,%.6g\n", row->set->name, row->class ? row->class : "",
                half_names[row->half], row->name, counters[i].name, counters[i].unit, point.theirs,
                point.ours, point_error(counters[i].scale, &point));
    }
}

bool values_write(const Run *run, const char *path)
{
    Error error = {0};
    OutputFile *file = output_file_begin("table", path, &error);
    if (file) {
        FILE *out = output_file_stream(file);
        fprintf(out, "set,class,half,name,counter,unit,theirs,ours,error\n");
        for (uint32_t i = 0; i < run->rows.count; i++)
            write_row(&run->rows.items[i], out);
        output_file_end(file, &error);
    }
    if (error.status != WB_OK)
        fprintf(stderr, "%s\n", error.text);
    return error.status == WB_OK;
}

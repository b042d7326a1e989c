/* How close simulated time and counters are to what was measured: prints our figures beside those that are
 * shipped as data, and writes them as tables into a Markdown file, in full, or as a page with plots. Every
 * job runs in a process of its own on a GPU of its own, so that its figures do not hang on which others
 * run. */
#include "job.h"
#include "page.h"
#include "tables.h"
#include "values.h"

int main(int argc, char **argv)
{
    Run run = {.options = options_parse(argc, argv)};
    rows_add_all(&run);
    jobs_run_rows(&run);
    bool right = true;
    for (uint32_t i = 0; i < run.rows.count; i++)
        right &= run.rows.items[i].outcome.right;
    if (run.options.write)
        right &= tables_write(&run);
    if (run.options.csv)
        right &= values_write(&run, run.options.csv);
    if (run.options.html)
        right &= page_write(&run, run.options.html);
    rows_free(&run);
    return !right;
}

/* How close simulated time is to what was measured: prints our figures beside those that are shipped as data,
 * and writes them as tables into a Markdown file. Every row runs in a process of its own on a GPU of its own,
 * so that its figure does not hang on which others run. */
#include "job.h"
#include "tables.h"

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
    rows_free(&run);
    return !right;
}

/* The report as a table for spreadsheets and data frames: a row for each kernel; of several
 * GPUs, the first column says which one it ran on. */
#include "report/report.h"

#include <inttypes.h>

#include "api/gpu.h"
#include "report/limit.h"
#include "report/report_system.h"

/* In quotes, which a name that C++ made may need. */
static void put_text(const char *text, FILE *to)
{
    putc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', to);
        putc(*text, to);
    }
    putc('"', to);
}

static void put_head(const System *system, FILE *to)
{
    fputs(report_is_several(system) ? "gpu," : "", to);
    fputs("number,name,plain_name,grid_x,grid_y,grid_z,block_x,block_y,block_z,registers,shared_bytes,"
          "local_bytes,blocks_per_sm,launched,started,ended,kernel_cycles,kernel_warp_instructions,kernel_"
          "thread_"
          "instructions,alone",
          to);
    for (unsigned c = 0; c < components_known; c++)
        for (size_t i = 0; report_shows(system, c) && i < components[c].table->count; i++)
            fprintf(to, ",%s%s", components[c].prefix, components[c].table->rows[i].name);
    fputs(",limited_by,interrupted,status\n", to);
}

static void put_row(const WbGpu *gpu, const KernelRecord *record, FILE *to)
{
    if (report_is_several(gpu->system))
        fprintf(to, "%u,", gpu->index);
    fprintf(to, "%u,", record->number);
    put_text(record->symbol, to);
    putc(',', to);
    put_text(record->name, to);
    fprintf(to, ",%u,%u,%u,%u,%u,%u", record->grid[0], record->grid[1], record->grid[2], record->block[0],
            record->block[1], record->block[2]);
    fprintf(to, ",%u,%u,%u,%u", record->registers, record->shared_bytes, record->local_bytes,
            record->blocks_per_sm);
    fprintf(to, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, record->launched, record->started,
            record->ended, record_cycles(record));
    fprintf(to, ",%" PRIu64 ",%" PRIu64 ",%d", record->warp_instructions, record->thread_instructions,
            record->is_alone);
    for (unsigned c = 0; c < components_known; c++) {
        uint64_t *counted = record_sums(record, (Component)c);
        for (size_t i = 0; report_shows(gpu->system, c) && i < components[c].table->count; i++)
            fprintf(to, ",%" PRIu64, counted[i]);
        xfree(counted);
    }
    const KernelSums sums = kernel_sums(record, &gpu->config);
    fprintf(to, ",%s,%d,%s\n", limit_rows[limit_of(record, &sums, &gpu->config).kind].name,
            record->status != RECORD_ENDED, record_status_names[record->status]);
}

void report_csv(const WbGpu *of, FILE *to)
{
    put_head(of->system, to);
    FOR_GPUS(gpu, of->system)
        for (uint32_t i = 0; i < gpu->records.count; i++)
            put_row(gpu, gpu->records.items[i], to);
}

/* What the front end writes down for timelines and reports (event_log.h): stays of blocks, their times off
 * the SMs, and what kernels launched. Nothing of it takes simulated time, and nobody comes here for a kernel
 * that has no log. */
#include "grid/front_end.h"

#include <string.h>

void front_end_log_stay(const GridKernel *launch, const BlockReport *report, uint32_t sm)
{
    EventLog *log = launch->place_in_log.log;
    const LoggedStay stay = {
        .block = log_block(&launch->place_in_log, launch->seen.launch.grid, report->linear),
        .sm = sm,
        .time = report->stay,
    };
    if (log_stay(log, &stay))
        log_barriers(log, report->barriers, launch->seen.launch.program);
}

void front_end_log_return(const GridKernel *launch, const Resumption *resumed, uint32_t sm, Cycle now)
{
    const LoggedWait wait = {
        .block = log_block(&launch->place_in_log, launch->seen.launch.grid, resumed->linear),
        .reason = resumed->reason,
        .sm = resumed->sm,
        .back_sm = sm,
        .left = resumed->left,
        .resumed = resumed->resumed,
        .returned = now,
    };
    log_wait(launch->place_in_log.log, &wait);
}

void front_end_log_grid(GridKernel *grid, Cycle ended)
{
    const Launch *launch = &grid->seen.launch;
    LoggedLaunch logged = {
        .is_group = grid->is_group,
        .block_count = grid->block_count,
        .blocks = grid->blocks,
        .launched = grid->launched,
        .ended = ended,
    };
    grid->blocks = NULL;
    memcpy(logged.grid, launch->grid, sizeof logged.grid);
    memcpy(logged.block, launch->block, sizeof logged.block);
    log_complete(&grid->place_in_log, logged);
}

/* A block that is off the SMs has been there until now; one that is on its way back is in the log. */
static void log_away(const Resumption *away, const EventLog *log, Cycle now)
{
    const GridKernel *launch = grid_kernel_of(away->kernel);
    const bool is_away = away->block && away->dispatched < away->left;
    if (launch->place_in_log.log != log || !is_away)
        return;
    Resumption open = *away;
    if (open.resumed < open.left) /* that was an earlier time */
        open.resumed = now;
    front_end_log_return(launch, &open, open.sm, now);
}

void front_end_log_open(FrontEnd *front_end, const EventLog *log, Cycle now)
{
    for (uint32_t i = 0; i < front_end->resumptions.count; i++)
        log_away(front_end->resumptions.items[i], log, now);
    for (uint32_t i = 0; i < front_end->devices.count; i++) {
        GridKernel *grid = front_end->devices.items[i];
        if (grid->place_in_log.log != log)
            continue;
        if (!grid->dispatched_blocks)
            grid->place_in_log.begun = now;
        log_cut_blocks(grid->blocks, grid->block_count, now);
        front_end_log_grid(grid, now);
    }
}

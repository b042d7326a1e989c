/* Aggregated groups in the front end: how they join kernels, how the scheduler gets to know those that are
 * not in the group table, and when they end [DTBL §4.2, §4.3]. Their blocks are dispatched behind those of
 * the kernel that they have joined; nothing here is done for kernels without groups. */
#include "grid/front_end.h"

/* -- joining a kernel [figure 5] -- */

/* Searching the distributor takes a cycle an entry, and each group of a warp a cycle for its entry of the
 * table; both go on while parameter buffers are allocated [DTBL §4.3]. */
void front_end_search(FrontEnd *front_end, GridKernel *group, Cycle now)
{
    uint32_t searched;
    GridKernel *found = group_search(&front_end->kmu.distributor, group, &searched);
    Cycle time = group->buffer->requested + searched + group->group.number + 1;
    if (time < now || !front_end->config->launch_latencies)
        time = now;
    if (found)
        found->groups.holds++;
    front_end_put_event(front_end,
                        (FrontEvent){.time = time, .kind = EVENT_LINKS, .launch = group, .found = found});
}

/* No kernel to join: the group becomes one, and goes through the kernel management unit, with its latency.
 * Nobody calls cudaLaunchDevice, whose latency is that of a call; group_fallback_latencies adds it. */
static void become_kernel(FrontEnd *front_end, GridKernel *group, Cycle now)
{
    const GpuConfig *config = front_end->config;
    Cycle time = now;
    if (config->launch_latencies && config->group_fallback_latencies)
        time += config->launch_device_cycles + config->launch_device_thread_cycles * group->callers;
    group->is_group = false;
    front_end->statistics.groups_alone++;
    front_end_put_event(front_end, (FrontEvent){.time = time, .kind = EVENT_ARRIVES, .launch = group});
}

static bool has_list(const FrontEnd *front_end)
{
    return (GroupRecords)front_end->config->group_records == GROUP_RECORDS_LIST;
}

/* Where the configuration of a group lies: in the block that was allocated for it, or among all others. */
static uint64_t record_of(const FrontEnd *front_end, const GridKernel *group)
{
    return has_list(front_end) ? group->buffer->address : group->buffer->record;
}

static void write_link(FrontEnd *front_end, const GridKernel *behind, Cycle now)
{
    enum { LINK_BYTES = 4 };
    front_end->statistics.group_links_written++;
    if (!front_end->port)
        return;
    const MemoryAccess access = {.address = record_of(front_end, behind), .bytes = LINK_BYTES};
    memory_port_write(front_end->port, &access, now);
}

void front_end_link(FrontEnd *front_end, GridKernel *group, GridKernel *kernel, Cycle now)
{
    if (!kernel) {
        become_kernel(front_end, group, now);
        return;
    }
    const GroupLink link = group_link(&front_end->groups, kernel, group);
    GridStatistics *statistics = &front_end->statistics;
    kernel->groups.holds--;
    /* Ideally nothing that is known of a launch takes time to get, be it a kernel's or a group's. */
    group->group.is_here |= !front_end->config->launch_latencies;
    group->seen.number = kernel->seen.number;
    statistics->groups_joined++;
    statistics->groups_overflowed += !link.in_table;
    if (front_end->groups.used > statistics->group_table_peak)
        statistics->group_table_peak = front_end->groups.used;
    if (link.marks_again)
        dispatcher_mark(&front_end->dispatcher, kernel);
    if (link.behind && link.behind->group.index == NO_ENTRY)
        write_link(front_end, link.behind, now);
    front_end_wake_dispatcher(front_end, now);
}

/* -- records in global memory -- */

/* A record, or a line of them, is there: if the scheduler waits for it, it goes on. */
static void end_fetch(void *context, uint64_t line, Cycle now)
{
    FrontEnd *front_end = context;
    RecordFetch *records = &front_end->records;
    for (uint32_t i = 0; i < 2; i++)
        records->lines[i].is_here |= records->lines[i].address == line;
    if (records->lines[records->line].address != line || records->since == CYCLE_NEVER)
        return;
    front_end->statistics.group_fetch_cycles += now - records->since;
    records->since = CYCLE_NEVER;
    front_end_wake_dispatcher(front_end, now);
}

static void begin_fetch(FrontEnd *front_end, uint32_t which, uint64_t line, uint32_t bytes, Cycle now)
{
    front_end->records.lines[which] = (RecordLine){.address = line};
    front_end->statistics.group_fetches++;
    if (!front_end->port) {
        end_fetch(front_end, line, now);
        return;
    }
    const MemoryAccess access = {
        .address = line, .bytes = bytes, .done = end_fetch, .context = front_end, .tag = line};
    memory_port_read(front_end->port, &access, now);
}

/* The scheduler reads a line of records, and the next one while it dispatches the groups of this one. */
static void need_line(FrontEnd *front_end, const GridKernel *group, Cycle now)
{
    RecordFetch *records = &front_end->records;
    const uint64_t last = group->buffer->record + LAUNCH_RECORD_BYTES - 1; /* it may begin a line earlier */
    const uint64_t line = last / LINE_BYTES * LINE_BYTES;
    const uint32_t other = 1 - records->line;
    if (records->lines[other].address == line)
        records->line = other;
    else if (records->lines[records->line].address != line)
        begin_fetch(front_end, records->line, line, LINE_BYTES, now);
    if (records->lines[1 - records->line].address != line + LINE_BYTES)
        begin_fetch(front_end, 1 - records->line, line + LINE_BYTES, LINE_BYTES, now);
}

/* [DTBL §4.3]: a group that is not in the table has to be loaded from global memory when it is scheduled. */
void front_end_need_record(FrontEnd *front_end, GridKernel *group, Cycle now)
{
    RecordFetch *records = &front_end->records;
    group->group.is_here = true; /* by when the scheduler looks again */
    if (has_list(front_end))
        begin_fetch(front_end, records->line, record_of(front_end, group), LAUNCH_RECORD_BYTES, now);
    else
        need_line(front_end, group, now);
    if (!records->lines[records->line].is_here)
        records->since = now;
    front_end_wake_dispatcher(front_end, now);
}

/* -- ends -- */

void front_end_settle_group(FrontEnd *front_end, GridKernel *group, Cycle now)
{
    if (group->ended_blocks < group->block_count || group->late)
        return;
    group_release(&front_end->groups, group);
    front_end_grid_ended(front_end, group, now);
}

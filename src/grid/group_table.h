/* Aggregated groups: the table that holds them, and how they are linked to the kernels that they join
 * [DTBL §4.2, figure 5].
 *
 * A group gets the table's entry that its launching thread's index hashes to, if that is free; else what is
 * known of it stays in global memory, and the scheduler has to fetch it from there before it can dispatch the
 * group's blocks. A kernel's groups form a list: NAGEI is the group whose blocks go next, LAGEI the last, and
 * each has its next. A kernel that had no blocks left to dispatch is marked again and queues anew.
 *
 * In global memory each group has a block of its own, with its parameters and its configuration [DTBL §4.2]:
 * the next group of a list is unknown until the record before it has been read, and every group that is not
 * in the table costs the scheduler a memory latency when its turn comes [DTBL §4.3] (group_records: list). A
 * scheduler that is better than the paper's has records in the order of the launches, reads a line of them,
 * about six, and the next line while it works through this one (lines). What the paper leaves open: a link
 * to a group in global memory is written there, as traffic of the front end's port. */
#ifndef GRID_GROUP_TABLE_H
#define GRID_GROUP_TABLE_H

#include "grid/kmu.h"

/* As the knob group_records has it. */
typedef enum GroupRecords { GROUP_RECORDS_LIST, GROUP_RECORDS_LINES } GroupRecords;

/* Invariant: entries[i] is null or a group whose index is i; used counts them. size is a power of two. */
typedef struct GroupTable {
    GridKernel **entries;
    uint32_t size, used;
} GroupTable;

/* What linking did, branch by branch of figure 5. */
typedef struct GroupLink {
    bool in_table;         /* the entry that the hash names was free */
    bool marks_again;      /* the kernel was not marked: the caller marks it */
    bool is_next;          /* NAGEI is this group now */
    GridKernel *behind;    /* the group whose Next was set; null: there was none */
} GroupLink;

void group_table_init(GroupTable *table, uint32_t size);
void group_table_free(GroupTable *table);
/* The first entry whose kernel the group may join: same entry point, blocks of the same shape and needs
 * [DTBL §4.2]. *searched is the number of entries that were looked at, a cycle each. Null: none. */
GridKernel *group_search(const Distributor *distributor, const GridKernel *group, uint32_t *searched);
GroupLink group_link(GroupTable *table, GridKernel *kernel, GridKernel *group);
/* All blocks of the kernel's next group have been dispatched: the one behind it is next, if any. */
void group_dispatched(GridKernel *kernel);
/* All blocks of the group have ended: its entry is free. */
void group_release(GroupTable *table, GridKernel *group);

/* -- sizes [DTBL §4.3] -- */

/* On-chip memory of the new fields of distributor entries (NAGEI, LAGEI), FCFS controller, SSCR and TBCRs. */
uint64_t group_registers_bytes(const GpuConfig *config);
/* On-chip memory of the table. */
uint64_t group_table_bytes(const GpuConfig *config);

#endif

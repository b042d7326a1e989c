/* A team of host threads: a leader, who is whoever calls, and helpers that join in as the host lets them.
 *
 * The leader hands out items and needs nobody: what no helper takes, it does itself. So a helper that the
 * host does not schedule costs nothing, and only one that is interrupted in the middle of an item is waited
 * for. Which member does an item is left to chance, and must not matter to the work. */
#ifndef SIM_TEAM_H
#define SIM_TEAM_H

#include <stdint.h>

typedef struct Team Team;
/* Does one item, on behalf of a member; items of one team_run() are done at the same time as each other. */
typedef void TeamWork(void *context, uint32_t member, uint32_t item);

/* Processors that this process may use, by its affinity and the quota of its control group. */
uint32_t team_processors(void);
/* Members of a team that does so many items at a time, of which so many members are wanted; 0: as many as
 * there are processors, while each has some items to do. */
uint32_t team_size(uint64_t wanted, uint32_t items);

/* Helpers start when there is work for them; the leader is member 0. Items are below `items`. */
Team *team_create(uint32_t members, uint32_t items, TeamWork *work, void *context);
void team_free(Team *team);
/* An item for the next run. The member does it if it comes to it in time: giving an item to the same one
 * each time keeps what belongs to it in one processor's cache. */
void team_give(Team *team, uint32_t member, uint32_t item);
/* Does all that was given; what was done is seen by the caller, and by all members in the next run. */
void team_run(Team *team);

#endif

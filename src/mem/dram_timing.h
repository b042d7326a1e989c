/* When DRAM commands may follow each other: a table of rules, filled from the knobs, and the ticks that
 * follow from the commands given so far. A tick is one command clock.
 *
 * A rule says: after `previous`, not before `cycles` have gone by, `following` in the same channel, bank
 * group or bank. Rules for "another bank group" are those of the channel; the same group's longer
 * ones come on top. Whoever wants a command asks dram_ready() for its first tick, and tells
 * dram_issue() when it has given it. */
#ifndef MEM_DRAM_TIMING_H
#define MEM_DRAM_TIMING_H

#include <stdint.h>

#include "config/config.h"

typedef enum DramCommand {
    DRAM_ACTIVATE,
    DRAM_PRECHARGE,
    DRAM_READ,
    DRAM_WRITE,
    DRAM_REFRESH,
    DRAM_COMMAND_COUNT
} DramCommand;

typedef enum DramScope { DRAM_CHANNEL, DRAM_GROUP, DRAM_BANK } DramScope;

enum { DRAM_GROUPS = 16, DRAM_BANKS = 64, DRAM_RULES = 24, DRAM_WINDOW = 4 };

typedef struct DramRule {
    uint8_t previous, following; /* DramCommand */
    uint8_t scope;               /* DramScope */
    uint8_t window;              /* counted from the window-th last: 1, or DRAM_WINDOW for activates */
    uint32_t cycles;
} DramRule;

/* Invariant: the rules of command c are rules[first[c]..first[c + 1]); a command may be given in tick t
 * exactly if t is not below its entry in each of the three scopes. */
typedef struct DramTiming {
    uint64_t channel[DRAM_COMMAND_COUNT];
    uint64_t groups[DRAM_GROUPS][DRAM_COMMAND_COUNT];
    uint64_t banks[DRAM_BANKS][DRAM_COMMAND_COUNT];
    uint64_t activates[DRAM_WINDOW]; /* ticks of the last ones, a ring */
    uint64_t activate_count;
    uint32_t burst;      /* ticks that a column command's data take on the bus */
    uint32_t read_ticks, write_ticks; /* from the command to the end of its data */
    uint8_t first[DRAM_COMMAND_COUNT + 1];
    DramRule rules[DRAM_RULES];
} DramTiming;

void dram_timing_init(DramTiming *timing, const GpuConfig *config);
/* Notes that the command is given in `tick`; `bank` and `group` mean nothing to a refresh. */
void dram_issue(DramTiming *timing, DramCommand command, uint32_t group, uint32_t bank, uint64_t tick);

/* The first tick in which the command may be given. */
static inline uint64_t dram_ready(const DramTiming *timing, DramCommand command, uint32_t group,
                                  uint32_t bank)
{
    uint64_t tick = timing->channel[command];
    tick = tick > timing->groups[group][command] ? tick : timing->groups[group][command];
    return tick > timing->banks[bank][command] ? tick : timing->banks[bank][command];
}

#endif

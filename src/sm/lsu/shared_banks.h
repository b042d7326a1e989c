/* Bank conflicts of shared memory. */
#ifndef SM_LSU_SHARED_BANKS_H
#define SM_LSU_SHARED_BANKS_H

#include "config/config.h"
#include "exec/access.h"

typedef struct BankPasses {
    uint32_t passes; /* cycles of the banks */
    uint32_t least;  /* without any conflict */
} BankPasses;

/* How often the banks have to be read or written for an access of lanes in shared memory. Lanes at one word
 * share a pass, unless `serial`: an atomic whose old values are wanted does one lane after the other. */
BankPasses shared_banks_passes(const GpuConfig *config, const Access *access, unsigned width, bool serial);

#endif

/* Who holds SMs. Blocks of a run wait for each other, so they have to be resident together. Two runs
 * that each got a part of the SMs they need would starve each other. So a run claims all its SMs, until
 * its end. One that does not fit beside those in flight begins when enough of them have ended, oldest
 * first. */
#ifndef WBRNN_CLAIMS_H
#define WBRNN_CLAIMS_H

#include "device.h"

/* The claim of a network's last run. Runs of a network follow each other, so that it has one. */
typedef struct RnnClaim {
    RnnDevice *device;
    uint32_t sms; /* 0: none */
    void *end;    /* event behind the run */
    struct RnnClaim *next; /* of the process, in the order in which they were made */
} RnnClaim;

/* Claims `sms` for what is enqueued on `stream` until claims_finish(), which must follow. Only one
 * thread of the process is between the two. WBRNN_BUSY, where `refuse`: the SMs are not free and nothing
 * was claimed; `taken` is how many others have. */
WbRnnStatus claims_begin(RnnClaim *claim, RnnDevice *device, uint32_t sms, bool refuse, void *stream,
                         uint32_t *taken);
/* Records the end. */
WbRnnStatus claims_finish(RnnClaim *claim, void *end, void *stream);
/* Before `end` is destroyed. */
void claims_drop(RnnClaim *claim);

#endif

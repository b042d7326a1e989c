/* Claims of a process are one list, oldest first. A run that does not fit waits for the oldest claims
 * until the rest and its own fit on the GPU. That suffices: whichever runs are on the GPU at some time,
 * the one that was enqueued last knew the others, did not wait for them, and found that all fit. And
 * nobody waits for who came later, so that nobody waits for ever. */
#include "claims.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static RnnClaim *first;

static void unlink_claim(RnnClaim *claim)
{
    for (RnnClaim **at = &first; *at; at = &(*at)->next)
        if (*at == claim) {
            *at = claim->next;
            break;
        }
    claim->next = NULL;
    claim->sms = 0;
}

/* SMs of others' runs that have not ended; claims of those that have are forgotten. */
static uint32_t count_taken(const RnnClaim *own, const RnnDevice *device)
{
    uint32_t taken = 0;
    for (RnnClaim *claim = first, *next; claim; claim = next) {
        next = claim->next;
        if (claim == own || claim->device->identity != device->identity)
            continue;
        if (claim->device->calls->event_done(claim->device, claim->end))
            unlink_claim(claim);
        else
            taken += claim->sms;
    }
    return taken;
}

/* Lets the stream wait for the oldest others until what is left of `taken` leaves room. */
static WbRnnStatus wait_for_room(const RnnClaim *own, RnnDevice *device, uint32_t sms, uint32_t taken,
                                 void *stream)
{
    WbRnnStatus status = WBRNN_OK;
    for (RnnClaim *claim = first; claim && !status && taken + sms > device->gpu.sms; claim = claim->next)
        if (claim != own && claim->device->identity == device->identity) {
            status = device->calls->event_wait(device, claim->end, stream);
            taken -= claim->sms;
        }
    return status;
}

WbRnnStatus claims_begin(RnnClaim *claim, RnnDevice *device, uint32_t sms, bool refuse, void *stream,
                         uint32_t *taken)
{
    pthread_mutex_lock(&mutex);
    WbRnnStatus status = WBRNN_OK;
    if (sms) {
        *taken = count_taken(claim, device);
        if (refuse && *taken + sms > device->gpu.sms)
            status = WBRNN_BUSY;
        else
            status = wait_for_room(claim, device, sms, *taken, stream);
    }
    if (status) {
        pthread_mutex_unlock(&mutex);
        return status;
    }
    unlink_claim(claim);
    claim->device = device;
    claim->sms = sms;
    return WBRNN_OK;
}

WbRnnStatus claims_finish(RnnClaim *claim, void *end, void *stream)
{
    const WbRnnStatus status = claim->device->calls->event_record(claim->device, end, stream);
    claim->end = end;
    if (claim->sms) {
        RnnClaim **at = &first;
        while (*at)
            at = &(*at)->next;
        *at = claim;
    }
    pthread_mutex_unlock(&mutex);
    return status;
}

void claims_drop(RnnClaim *claim)
{
    pthread_mutex_lock(&mutex);
    unlink_claim(claim);
    pthread_mutex_unlock(&mutex);
}

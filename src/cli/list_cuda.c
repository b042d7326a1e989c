/* `warpbeam list cuda`: what becomes of each call of CUDA's runtime and driver API. */
#include "cli/list_cuda.h"

#include "rt/calls.h"

int list_cuda(Listing *listing)
{
    for (size_t i = 0; i < CALL_COUNT; i++)
        if (!call_is_per_thread(&calls[i]))
            list_entry(listing, calls[i].name, "%-18s %s%s%s", call_state_name(calls[i].state), calls[i].name,
                       *calls[i].note ? ": " : "", calls[i].note);
    return EXIT_DONE;
}

int list_cuda_markdown(void)
{
    for (size_t i = 0; i < CALL_COUNT; i++) {
        char row[512];
        if (i == 0 || calls[i].is_driver != calls[i - 1].is_driver)
            printf("\n### %s\n\n| call | | |\n|---|---|---|\n", calls[i].is_driver ? "Driver" : "Runtime");
        if (call_is_per_thread(&calls[i]))
            continue;
        call_markdown(&calls[i], row, sizeof row);
        puts(row);
    }
    return EXIT_DONE;
}

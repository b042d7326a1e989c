/* What the host's calls take in the studies of the synchronization thesis, whose figure 22 has it and is
 * missing. ReFrame's check kernel_latency (github.com/reframe-hpc/reframe, cscs-checks/microbenchmarks) expects
 * 5.7 us for an empty kernel on a Tesla K80, and 13.7 with a synchronization behind each; on a Tesla P100 2.2
 * and 6.6. Maxwell lies between the two, and so do these: 3.95 us for a launch, 10.15 for a launch and a
 * synchronization, of which the latency to the GPU is assumed to be 5. A small cudaMemcpy took 10 us on a GTX
 * 280 (M. Boyer, University of Virginia, CUDA memory transfer overhead): a copy and the wait for it. */
#ifndef PAPERS_SYNC_HOST_H
#define PAPERS_SYNC_HOST_H

#define SYNC_HOST_SETTINGS                                                                                   \
    "host_launch_ns=3950", "host_launch_latency_ns=5000", "host_sync_ns=5150", "host_copy_latency_ns=4850"

#endif

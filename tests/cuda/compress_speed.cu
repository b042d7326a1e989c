// A fat binary with compression mode "speed" of nvcc.
// nvcc: --compress-mode=speed
#include "parts/compressed.h"

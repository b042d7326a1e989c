// A fat binary with compression mode "none" of nvcc.
// nvcc: --compress-mode=none
#include "parts/compressed.h"

// A fat binary with compression mode "size" of nvcc.
// nvcc: --compress-mode=size
#include "parts/compressed.h"

/* The inputs of a form as one array. */
#include "golden.h"
#include "base/alloc.h"
#include "inputs.h"
#include "kernel.h"

uint64_t *golden_inputs(const Form *form, unsigned vectors)
{
    KernelValue values[KERNEL_VALUES];
    const char *names[KERNEL_VALUES];
    const unsigned count = kernel_values(form->spec.inputs, values);
    for (unsigned k = 0; k < count; k++)
        names[k] = values[k].name;
    uint64_t *inputs = xcalloc((size_t)vectors * count + 1, sizeof *inputs);
    for (unsigned vector = 0; vector < vectors; vector++)
        inputs_vector(names, count, vector, inputs + (size_t)vector * count);
    return inputs;
}

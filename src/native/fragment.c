/* Matrices: loads, stores and products of fragments. */
#include "native/native.h"

#include "exec/matrix/matrix.h"

/* A fragment is loaded or stored word by word, those of results in pairs; where they run across the words of
 * memory they are turned. Three instructions find the address. */
NativeForm native_lower_fragment(const Insn *insn)
{
    const Matrix *matrix = insn->detail;
    const Fragment *fragment = &matrix->d;
    NativeForm form = native_form_of("i2 m1", "l1");
    const bool is_wide = fragment->packed == 1;
    const bool is_turned = !is_wide && fragment->bits == 16 && fragment->down != matrix->column_major;
    form.slots.count[WORK_MEMORY] = (uint8_t)(is_wide ? (fragment->registers + 1) / 2 : fragment->registers);
    form.slots.count[WORK_INT] =
        (uint8_t)(form.slots.count[WORK_INT] + (is_turned ? fragment->registers : 0));
    return form;
}

/* One machine instruction makes 16 x 8 results. */
NativeForm native_lower_product(const Insn *insn)
{
    enum { RESULTS = 16 * 8 };
    const Matrix *matrix = insn->detail;
    const unsigned count = matrix->d.rows * matrix->d.cols / RESULTS;
    NativeForm form = native_single(WORK_TENSOR);
    form.slots.count[WORK_TENSOR] = (uint8_t)(count ? count : 1);
    return form;
}

/* Instructions one after the other: what the simple design and the core without time share. */
#ifndef CORE_IN_ORDER_H
#define CORE_IN_ORDER_H

#include "core/state.h"

/* An access to memory, the unit or the core's own memory, whose guard is true. */
typedef struct InOrderAccess {
    CorePlace place;
    uint64_t address;
    uint32_t bytes;
    uint8_t data[CORE_ACCESS_BYTES]; /* of a store: what it writes */
} InOrderAccess;

typedef enum InOrderStep {
    IN_ORDER_DONE,    /* it has ended; core->pc is the next one's */
    IN_ORDER_ACCESS,  /* an access has to be made, then in_order_end_access() */
    IN_ORDER_FENCE    /* stores have to become visible, then core->pc moves on */
} InOrderStep;

/* Runs the instruction at core->pc as far as it does not need memory. */
InOrderStep in_order_step(Core *core, InOrderAccess *access);
/* The access has been made; data of a load are what was read. */
void in_order_end_access(Core *core, const InOrderAccess *access);
/* Makes one to the core's own memory, or to global memory at once. */
void in_order_copy(const CoreInsn *insn, InOrderAccess *access);
/* Reads or writes a register of the unit in that tick. */
void in_order_device(Core *core, InOrderAccess *access, uint64_t tick);

#endif

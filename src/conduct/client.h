/* A rank's connection to the conductor. What a rank asks is written at once, or together with what it asks
 * next where it asks for an answer. Asks are declared in conduct/ask.h. */
#ifndef CONDUCT_CLIENT_H
#define CONDUCT_CLIENT_H

#include <stddef.h>

#include "conduct/ask.h"
#include "conduct/server.h"

/* False: the sentence says why. */
bool client_open(const ServerPlace *place, uint32_t rank, char *sentence, size_t size);
void client_close(void);
bool client_is_open(void);
/* Keeps the ask, with its tail. */
void client_ask(const Ask *ask, const void *tail);
/* Writes all that is kept. */
void client_flush(void);
/* The answer to the latest ask; its tail is to be given to xfree(). If the conductor is gone, which nobody
 * else tells, it is an ANSWER_END with count 1. */
uint8_t *client_answer(Answer *answer);

#endif

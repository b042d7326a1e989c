/* SHA-256 (FIPS 180-4): a name for bytes that no other bytes will have.
 *
 *     Digest digest = digest_begin();
 *     digest_add(&digest, bytes, count);
 *     digest_end(&digest, text);
 */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Hexadecimal digits and a zero. */
enum { DIGEST_TEXT_SIZE = 65 };

/* Invariant: `block` holds the last `length` % 64 bytes that were added. */
typedef struct Digest {
    uint32_t state[8];
    uint64_t length;
    uint8_t block[64];
} Digest;

Digest digest_begin(void);
void digest_add(Digest *digest, const void *bytes, size_t count);
/* A text and its end, so that two texts are not taken for one. */
void digest_add_text(Digest *digest, const char *text);
void digest_end(Digest *digest, char text[DIGEST_TEXT_SIZE]);
/* Of a file's bytes. `what` names its kind in the sentence: "program". */
WbStatus digest_of_file(const char *what, const char *path, char text[DIGEST_TEXT_SIZE], Error *error);

#endif

/* The column `versions` of calls.def: what it is given comes out only where CUDART_MAJOR is such a
 * version. */
#ifndef CUDART_VERSIONS_H
#define CUDART_VERSIONS_H

#define ALL(...) __VA_ARGS__
#if CUDART_MAJOR == 11
#define ONLY_11(...) __VA_ARGS__
#else
#define ONLY_11(...)
#endif
#if CUDART_MAJOR == 12
#define ONLY_12(...) __VA_ARGS__
#else
#define ONLY_12(...)
#endif
#if CUDART_MAJOR == 13
#define ONLY_13(...) __VA_ARGS__
#else
#define ONLY_13(...)
#endif
/* At most one of two versions comes out. */
#define BEFORE_13(...) ONLY_11(__VA_ARGS__) ONLY_12(__VA_ARGS__)
#define SINCE_12(...) ONLY_12(__VA_ARGS__) ONLY_13(__VA_ARGS__)

#endif

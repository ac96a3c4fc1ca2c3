/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The type lists. Every typed function, on the host and in kernels, expands from them: X(A..., TYPENAME, TYPE) for each
 * row, A being whatever the caller passes through. Section and table numbers are those of OpenSHMEM 1.6.
 *
 * The _C11 lists name each distinct C type once, as _Generic and C++ overloads need it (on LP64 int64_t is long, so the
 * aliases are left out); they serve the generic interfaces.
 */
#ifndef GIN_SHMEM_TYPES_DEF_H
#define GIN_SHMEM_TYPES_DEF_H

#define SHMEMI_REAL_TYPES(X, A) X(A, float, float) X(A, double, double) X(A, longdouble, long double)

#ifdef __cplusplus
#define SHMEMI_COMPLEXF std::complex<float>
#define SHMEMI_COMPLEXD std::complex<double>
#else
#define SHMEMI_COMPLEXF float _Complex
#define SHMEMI_COMPLEXD double _Complex
#endif
#define SHMEMI_COMPLEX_TYPES(X, A) X(A, complexd, SHMEMI_COMPLEXD) X(A, complexf, SHMEMI_COMPLEXF)

#define SHMEMI_FIXED_TYPES(X, A)                                                                                       \
    X(A, int8, int8_t) X(A, int16, int16_t) X(A, int32, int32_t) X(A, int64, int64_t)                                  \
    X(A, uint8, uint8_t) X(A, uint16, uint16_t) X(A, uint32, uint32_t) X(A, uint64, uint64_t)

/* Distinct signed and unsigned integer types of C, without and with plain char. */
#define SHMEMI_C_UNSIGNED(X, A)                                                                                        \
    X(A, uchar, unsigned char) X(A, ushort, unsigned short) X(A, uint, unsigned int) X(A, ulong, unsigned long)        \
    X(A, ulonglong, unsigned long long)
#define SHMEMI_C_SIGNED(X, A)                                                                                          \
    X(A, schar, signed char) X(A, short, short) X(A, int, int) X(A, long, long) X(A, longlong, long long)

/* Standard RMA types, table 5 (24). Also the types of alltoall, alltoalls, broadcast, collect, fcollect, min and max. */
#define SHMEMI_RMA_TYPES_C11(X, A)                                                                                     \
    SHMEMI_REAL_TYPES(X, A) X(A, char, char) SHMEMI_C_SIGNED(X, A) SHMEMI_C_UNSIGNED(X, A)
#define SHMEMI_RMA_TYPES(X, A)                                                                                         \
    SHMEMI_RMA_TYPES_C11(X, A) SHMEMI_FIXED_TYPES(X, A) X(A, size, size_t) X(A, ptrdiff, ptrdiff_t)

/* Standard AMO types, table 6 (12). Also the point-to-point synchronisation types, table 12. */
#define SHMEMI_AMO_TYPES_C11(X, A)                                                                                     \
    X(A, int, int) X(A, long, long) X(A, longlong, long long)                                                          \
    X(A, uint, unsigned int) X(A, ulong, unsigned long) X(A, ulonglong, unsigned long long)
#define SHMEMI_AMO_TYPES(X, A)                                                                                         \
    SHMEMI_AMO_TYPES_C11(X, A) X(A, int32, int32_t) X(A, int64, int64_t) X(A, uint32, uint32_t)                        \
    X(A, uint64, uint64_t) X(A, size, size_t) X(A, ptrdiff, ptrdiff_t)

/* Extended AMO types, table 7 (14): fetch, set, swap. */
#define SHMEMI_AMO_EXT_TYPES_C11(X, A) SHMEMI_AMO_TYPES_C11(X, A) X(A, float, float) X(A, double, double)
#define SHMEMI_AMO_EXT_TYPES(X, A)     SHMEMI_AMO_TYPES(X, A) X(A, float, float) X(A, double, double)

/* Bitwise AMO types, table 8 (7). */
#define SHMEMI_AMO_BIT_TYPES_C11(X, A)                                                                                 \
    X(A, uint, unsigned int) X(A, ulong, unsigned long) X(A, ulonglong, unsigned long long)                            \
    X(A, int32, int32_t) X(A, int64, int64_t)
#define SHMEMI_AMO_BIT_TYPES(X, A) SHMEMI_AMO_BIT_TYPES_C11(X, A) X(A, uint32, uint32_t) X(A, uint64, uint64_t)

/* Deprecated AMOs without "atomic_" in the name. */
#define SHMEMI_OLD_AMO_TYPES(X, A)     X(A, int, int) X(A, long, long) X(A, longlong, long long)
#define SHMEMI_OLD_AMO_EXT_TYPES(X, A) SHMEMI_OLD_AMO_TYPES(X, A) X(A, float, float) X(A, double, double)

/* wait_until and test take short types as well (deprecated since 1.5); shmem_TYPENAME_wait is deprecated altogether. */
#define SHMEMI_SYNC_OLD_TYPES(X, A) X(A, short, short) X(A, ushort, unsigned short)
#define SHMEMI_OLD_WAIT_TYPES(X, A) X(A, short, short) SHMEMI_OLD_AMO_TYPES(X, A)

/* Team-based reductions, table 10: and, or, xor (14); min, max (24: the RMA types); sum, prod and scans (26). */
#define SHMEMI_BIT_REDUCE_TYPES_C11(X, A)                                                                              \
    SHMEMI_C_UNSIGNED(X, A) X(A, int8, int8_t) X(A, int16, int16_t) X(A, int32, int32_t) X(A, int64, int64_t)
#define SHMEMI_BIT_REDUCE_TYPES(X, A) SHMEMI_C_UNSIGNED(X, A) SHMEMI_FIXED_TYPES(X, A) X(A, size, size_t)
#define SHMEMI_SUM_REDUCE_TYPES_C11(X, A) SHMEMI_RMA_TYPES_C11(X, A) SHMEMI_COMPLEX_TYPES(X, A)
#define SHMEMI_SUM_REDUCE_TYPES(X, A)     SHMEMI_RMA_TYPES(X, A) SHMEMI_COMPLEX_TYPES(X, A)

/* Active-set reductions (deprecated), table 11: and, or, xor (4); min, max (7); sum, prod (9). */
#define SHMEMI_OLD_BIT_REDUCE_TYPES(X, A) X(A, short, short) SHMEMI_OLD_AMO_TYPES(X, A)
#define SHMEMI_OLD_MINMAX_REDUCE_TYPES(X, A) SHMEMI_OLD_BIT_REDUCE_TYPES(X, A) SHMEMI_REAL_TYPES(X, A)
#define SHMEMI_OLD_SUM_REDUCE_TYPES(X, A) SHMEMI_OLD_MINMAX_REDUCE_TYPES(X, A) SHMEMI_COMPLEX_TYPES(X, A)

/* Element sizes, in bits, of the calls that take void pointers. */
#define SHMEMI_SIZES(X, A) X(A, 8) X(A, 16) X(A, 32) X(A, 64) X(A, 128)

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Symmetric words, as the CPU reads and changes them. Shared by the modules. */
#ifndef GS_SHARED_WORD_H
#define GS_SHARED_WORD_H

#include "transport/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Does now, of size (2, 4 or 8) bytes, compare so? cmp: SHMEM_CMP_*. */
bool gs_word_holds(uint64_t now, size_t size, bool is_signed, int cmp, uint64_t than);

/* op on the word of 4 or 8 bytes at addr, atomic with other CPUs. Gives what was there before. */
uint64_t gs_word_amo(enum gs_amo_op op, void *addr, size_t size, uint64_t operand, uint64_t cond);

/* This thread waits until `load` has given a word that compares so; load gives nonzero when it cannot, logged. 0;
 * nonzero, logged, also after GIN_SHMEM_TIMEOUT. */
int gs_word_wait(const struct gs_device_core *core, int (*load)(const void *addr, size_t size, uint64_t *now),
                 const void *addr, size_t size, bool is_signed, int cmp, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What CMocka's header needs before it, and what several tests use. */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* GIN_SHMEM_TEST_SEED, else a new one; printed, so that a failure can be had again. */
uint64_t unit_seed(void);
/* The next number of a sequence (xorshift64*); *state must not be 0. */
uint64_t unit_random(uint64_t *state);

/* Runs fn and puts what it writes to stderr into text, ended by a zero. */
void unit_capture(void (*fn)(void *), void *arg, char *text, size_t len);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* and, or, xor reductions, every type, by a thread. */
#define GROUP 0
#define BITWISE
#include "part_reduce_typed.h"

/* SPDX-License-Identifier: BSD-3-Clause */
/* and, or, xor reductions, every type, by a warp. */
#define GROUP 1
#define BITWISE
#include "part_reduce_typed.h"

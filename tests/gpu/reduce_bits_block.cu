/* SPDX-License-Identifier: BSD-3-Clause */
/* and, or, xor reductions, every type, by a block.
 * run: racecheck */
#define GROUP 2
#define BITWISE
#include "part_reduce_typed.h"

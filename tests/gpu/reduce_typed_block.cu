/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions, every type and operation, by a block.
 * run: racecheck */
#define GROUP 2
#include "part_reduce_typed.h"

/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives that move data, every type, by a block.
 * run: racecheck */
#define GROUP 2
#include "part_coll_typed.h"

/* SPDX-License-Identifier: BSD-3-Clause */
/* RMA, every type, by a block.
 * run: racecheck */
#define GROUP 2
#include "part_rma_typed.h"

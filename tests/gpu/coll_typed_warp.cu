/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives that move data, every type, by a warp. */
#define GROUP 1
#include "part_coll_typed.h"

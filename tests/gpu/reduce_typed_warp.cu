/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions, every type and operation, by a warp. */
#define GROUP 1
#include "part_reduce_typed.h"

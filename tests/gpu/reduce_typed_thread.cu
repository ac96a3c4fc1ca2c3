/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions, every type and operation, by a thread. */
#define GROUP 0
#include "part_reduce_typed.h"

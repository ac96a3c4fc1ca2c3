/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives that move data, every type, by a thread. */
#define GROUP 0
#include "part_coll_typed.h"

/* SPDX-License-Identifier: BSD-3-Clause */
/* RMA, every type, by a warp. */
#define GROUP 1
#include "part_rma_typed.h"

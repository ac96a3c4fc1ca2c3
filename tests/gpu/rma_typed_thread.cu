/* SPDX-License-Identifier: BSD-3-Clause */
/* RMA, every type, by a thread. */
#define GROUP 0
#include "part_rma_typed.h"

/* SPDX-License-Identifier: BSD-3-Clause */
/* put_signal, every type, by a warp. */
#define GROUP 1
#include "part_put_signal.h"

/* SPDX-License-Identifier: BSD-3-Clause */
/* put_signal, every type, by a thread. */
#define GROUP 0
#include "part_put_signal.h"

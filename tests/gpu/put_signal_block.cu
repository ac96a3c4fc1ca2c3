/* SPDX-License-Identifier: BSD-3-Clause */
/* put_signal, every type, by a block.
 * run: sanitize-quick */
#define GROUP 2
#include "part_put_signal.h"

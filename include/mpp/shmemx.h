/* SPDX-License-Identifier: BSD-3-Clause */
/* Deprecated path, still part of the standard (annex D of OpenSHMEM 1.6). */
#include "../shmemx.h"

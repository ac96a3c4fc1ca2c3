/* SPDX-License-Identifier: BSD-3-Clause */
/* All of NVSHMEM's API, on gin_shmem: what every header of NVSHMEM's names brings here. */
#ifndef GIN_NVSHMEM_API_H
#define GIN_NVSHMEM_API_H

#include "config.h"

#include "amo.h"
#include "coll.h"
#include "qp.h"
#include "rma.h"
#include "setup.h"
#include "signal.h"
#include "team.h"
#include "tile.h"
#include "wait.h"
#if GIN_NV_HOST
#include "stream.h"
#endif

#endif

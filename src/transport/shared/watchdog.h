/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what a failing kernel leaves in its report, tells it in one line, and ends the job. Shared by the modules. */
#ifndef GS_SHARED_WATCHDOG_H
#define GS_SHARED_WATCHDOG_H

#include <gin_shmem/state.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gs_device_core;

/* Above the function in a report: an operation that the host put into a stream. */
enum { GS_SCOPE_STREAM = 3 << 16 };

/* Looks at the report (host memory, which kernels write) every few milliseconds until gs_watchdog_stop. 0, or nonzero
 * with the reason logged. */
int gs_watchdog_start(const struct gs_device_core *core, struct gin_shmem_report *report);
void gs_watchdog_stop(void);
/* Prints what a failing kernel has reported, if it has, and ends the job. Any thread, any time. */
void gs_watchdog_look(void);

#ifdef __cplusplus
}
#endif

#endif

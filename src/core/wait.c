/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/wait.h"

#include <sched.h>
#include <time.h>

#include "transport/far.h"

enum {
    PAUSES = 4,                   /* between two looks */
    SPIN_TURNS = 750,             /* with a core per PE: looks before the first yield, 50 to 150 us */
    YIELD_TURNS = GS_LOOKS + 200, /* with shared cores: looks and yields before a sleep */
    SLEEP_NS = 50 * 1000,
};

_Thread_local bool gs_waited;

void gs_relax_slow(unsigned turn)
{
    if (gs_unlikely(gs.far != NULL))
        gs.far->poll();
    gs_relax_idle(turn);
}

void gs_relax_idle(unsigned turn)
{
    if (!gs.yield) {
        for (int i = 0; i < PAUSES; i++)
            gs_pause();
        if (turn > SPIN_TURNS && turn % 16 == 0)
            sched_yield();
        return;
    }
    if (turn < YIELD_TURNS) {
        sched_yield();
    } else {
        struct timespec t = {0, SLEEP_NS};
        nanosleep(&t, NULL);
    }
}

void gs_poll_yield(void)
{
    static _Thread_local unsigned polls;
    if (gs_unlikely(gs.far != NULL))
        gs.far->poll();
    if (++polls % 32 == 0)
        sched_yield();
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu/budget.h"

#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t limit = (size_t)16 << 30, used;

void gs_budget_limit(size_t total)
{
    pthread_mutex_lock(&lock);
    limit = total;
    pthread_mutex_unlock(&lock);
}

bool gs_budget_take(size_t bytes)
{
    pthread_mutex_lock(&lock);
    bool room = used <= limit && bytes <= limit - used;
    if (room)
        used += bytes;
    pthread_mutex_unlock(&lock);
    return room;
}

void gs_budget_give(size_t bytes)
{
    pthread_mutex_lock(&lock);
    used -= bytes;
    pthread_mutex_unlock(&lock);
}

void gs_budget_tell(size_t *free_bytes, size_t *total)
{
    pthread_mutex_lock(&lock);
    *total = limit;
    *free_bytes = used < limit ? limit - used : 0;
    pthread_mutex_unlock(&lock);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Put with signal: whoever sees the signal must see the data, without any barrier. A token that goes round and grows, and
 * everybody sending to one PE. */
#include "model.h"

enum { TOKEN = 300 };
static uint64_t sent[PES], token_signal, fan_signal;
static uint64_t token[TOKEN + 1];
static uint64_t token_rounds, fan_total[PES];
static uint64_t source[TOKEN + 1];

/* The holder adds its number to each word and hands all on, from PE to PE, step apart: as many hops as PEs. */
static void ring(void)
{
    int first = (int)pick((size_t)n), op = (int)pick(3);
    size_t words = pick(TOKEN + 1);
    uint64_t key = rng_next(&dice), round = ++token_rounds;
    int at = (me - first + n) % n, next = (me + 1) % n;
    struct via v = {0};
    for (int pe = 0; pe < n; pe++) { /* the same draws everywhere */
        struct via drawn = pick_via(pe, (pe + 1) % n);
        if (pe == me)
            v = drawn;
    }
    DOING("token of %zu words, hop %d", words, at);
    if (at > 0) {
        uint64_t seen = op == 0 ? (shmem_uint64_wait_until(&token_signal, SHMEM_CMP_GE, round), token_signal)
                                : shmem_signal_wait_until(&token_signal, SHMEM_CMP_GE, round);
        EXPECT(seen == round, "signal %llu, expected %llu", (unsigned long long)seen, (unsigned long long)round);
        for (size_t i = 0; i < words; i++)
            EXPECT(token[i] == mix(key, i) + (uint64_t)at, "word %zu of the token", i);
    }
    for (size_t i = 0; i < words; i++)
        source[i] = at > 0 ? token[i] + 1 : mix(key, i) + 1;
    uint64_t value = op == 1 ? 1 : round;
    int how = op == 1 ? SHMEM_SIGNAL_ADD : SHMEM_SIGNAL_SET;
    if (op == 2)
        shmem_ctx_uint64_put_signal_nbi(v.ctx, token, source, words, &token_signal, value, how, v.pe);
    else if (v.team == DEFAULT_CTX)
        shmem_putmem_signal(token, source, words * 8, &token_signal, value, how, next);
    else
        shmem_ctx_put64_signal(v.ctx, token, source, words, &token_signal, value, how, v.pe);
    finish();
    if (at == 0)
        shmem_signal_wait_until(&token_signal, SHMEM_CMP_EQ, round);
    EXPECT(shmem_signal_fetch(&token_signal) == round, "signal %llu", (unsigned long long)token_signal);
}

static void fan_in(void)
{
    int target = (int)pick((size_t)n);
    uint64_t key = rng_next(&dice);
    fan_total[target] += (uint64_t)n * 3;
    DOING("everybody to PE %d", target);
    for (int i = 0; i < 3; i++) { /* of three, the last comes with the data of all */
        uint64_t data = mix(key, (uint64_t)me);
        if (i < 2)
            shmem_signal_add(&fan_signal, 1, target);
        else
            shmem_uint64_put_signal(&sent[me], &data, 1, &fan_signal, 1, SHMEM_SIGNAL_ADD, target);
    }
    if (me == target) {
        shmem_signal_wait_until(&fan_signal, SHMEM_CMP_EQ, fan_total[me]);
        for (int pe = 0; pe < n; pe++)
            EXPECT(sent[pe] == mix(key, (uint64_t)pe), "data of PE %d", pe);
    }
}

void signal_round(void)
{
    for (size_t turns = 1 + pick(3); turns > 0; turns--) {
        if (pick(2))
            ring();
        else
            fan_in();
        finish();
        shmem_sync_all();
    }
}

# SPDX-License-Identifier: BSD-3-Clause
"""Programs that call every type-generic interface with every one of its types, and look at the results.

In the snippets C stands for nothing or for a context argument; T is the type. Before each snippet y (symmetric) holds
1..8, d (symmetric) holds 0, f (local) holds 0, *sig is 0. IS(a, b) compares; TYPE_IS(a, T) checks an expression's type.
Values are plain int literals, as programs write them.
"""
import api

_PUT = "{name}(C d, y, 3, me); FLUSH; IS(d[0], 1); IS(d[2], 3); IS(d[3], 0);"
_STRIDED = "{name}(C d, y, 2, 1, 3, me); FLUSH; IS(d[0], 1); IS(d[1], 0); IS(d[2], 2); IS(d[4], 3); IS(d[5], 0);"
_BLOCKS = "{name}(C d, y, 3, 2, 2, 2, me); FLUSH; IS(d[0], 1); IS(d[1], 2); IS(d[2], 0); IS(d[3], 3); IS(d[4], 4);"
_SIGNAL = """{name}(C d, y, 3, sig, 9, SHMEM_SIGNAL_SET, me); FLUSH;
        CHECK(shmem_signal_wait_until(sig, SHMEM_CMP_EQ, 9) == 9); IS(d[2], 3); IS(d[3], 0);"""
_COLLECTIVE = "CHECK({name}(SHMEM_TEAM_WORLD, d, y, 3) == 0); IS(d[0], 1); IS(d[2], 3); IS(d[3], 0);"


def _fetching(arguments, old, new, at="y[2]"):
    return f"TYPE_IS({{name}}(C {arguments}), T); {at} = 3; IS({{name}}(C {arguments}), {old}); FLUSH; IS({at}, {new});"


def _nbi(arguments, new):
    return f"{{name}}(C &f, {arguments}); FLUSH; IS(f, 3); IS(y[2], {new});"


def _any(call, result):
    return f"CHECK({call} {result});"


CALLS = {
    "put": _PUT, "get": _PUT, "put_nbi": _PUT, "get_nbi": _PUT,
    "iput": _STRIDED, "iget": _STRIDED, "ibput": _BLOCKS, "ibget": _BLOCKS,
    "p": "{name}(C d, 7, me); FLUSH; IS(d[0], 7); IS(d[1], 0);",
    "g": "{{ const T *c = y; IS({name}(C y + 2, me), 3); IS({name}(C c + 4, me), 5); TYPE_IS({name}(C c, me), T); }}",
    "put_signal": _SIGNAL, "put_signal_nbi": _SIGNAL,
    "signal_set": "{name}(C sig, 4, me); FLUSH; CHECK(shmem_signal_fetch(sig) == 4);",
    "signal_add": "{name}(C sig, 4, me); {name}(C sig, 5, me); FLUSH; CHECK(shmem_signal_fetch(sig) == 9);",
    "atomic_fetch": "{{ const T *c = y; IS({name}(C y + 2, me), 3); IS({name}(C c, me), 1); TYPE_IS({name}(C c, me), T); }}",
    "atomic_set": "{name}(C d, 7, me); FLUSH; IS(d[0], 7); IS(d[1], 0);",
    "atomic_swap": _fetching("y + 2, 7, me", 3, 7),
    "atomic_compare_swap": _fetching("y + 2, 3, 7, me", 3, 7) + " IS({name}(C y + 2, 3, 9, me), 7); IS(y[2], 7);",
    "atomic_fetch_inc": _fetching("y + 2, me", 3, 4),
    "atomic_inc": "{name}(C y + 2, me); FLUSH; IS(y[2], 4);",
    "atomic_fetch_add": _fetching("y + 2, 5, me", 3, 8),
    "atomic_add": "{name}(C y + 2, 5, me); FLUSH; IS(y[2], 8);",
    "atomic_fetch_and": _fetching("y + 2, 6, me", 3, 2),
    "atomic_and": "{name}(C y + 2, 6, me); FLUSH; IS(y[2], 2);",
    "atomic_fetch_or": _fetching("y + 2, 6, me", 3, 7),
    "atomic_or": "{name}(C y + 2, 6, me); FLUSH; IS(y[2], 7);",
    "atomic_fetch_xor": _fetching("y + 2, 6, me", 3, 5),
    "atomic_xor": "{name}(C y + 2, 6, me); FLUSH; IS(y[2], 5);",
    "atomic_fetch_nbi": "{{ const T *c = y; {name}(C &f, c + 2, me); FLUSH; IS(f, 3); {name}(C &f, y, me); FLUSH; IS(f, 1); }}",
    "atomic_swap_nbi": _nbi("y + 2, 7, me", 7),
    "atomic_compare_swap_nbi": _nbi("y + 2, 3, 7, me", 7),
    "atomic_fetch_inc_nbi": _nbi("y + 2, me", 4),
    "atomic_fetch_add_nbi": _nbi("y + 2, 5, me", 8),
    "atomic_fetch_and_nbi": _nbi("y + 2, 6, me", 2),
    "atomic_fetch_or_nbi": _nbi("y + 2, 6, me", 7),
    "atomic_fetch_xor_nbi": _nbi("y + 2, 6, me", 5),
    "fetch": "{{ const T *c = y; IS({name}(y + 2, me), 3); IS({name}(c, me), 1); TYPE_IS({name}(c, me), T); }}",
    "set": "{name}(d, 7, me); FLUSH; IS(d[0], 7); IS(d[1], 0);",
    "swap": _fetching("y + 2, 7, me", 3, 7),
    "cswap": _fetching("y + 2, 3, 7, me", 3, 7),
    "finc": _fetching("y + 2, me", 3, 4),
    "inc": "{name}(y + 2, me); FLUSH; IS(y[2], 4);",
    "fadd": _fetching("y + 2, 5, me", 3, 8),
    "add": "{name}(y + 2, 5, me); FLUSH; IS(y[2], 8);",
    "alltoall": _COLLECTIVE, "collect": _COLLECTIVE, "fcollect": _COLLECTIVE,
    "alltoalls": "CHECK({name}(SHMEM_TEAM_WORLD, d, y, 2, 1, 3) == 0); IS(d[0], 1); IS(d[1], 0); IS(d[4], 3);",
    "broadcast": "CHECK({name}(SHMEM_TEAM_WORLD, d, y, 3, 0) == 0); IS(d[0], 1); IS(d[2], 3); IS(d[3], 0);",
    "sum_inscan": _COLLECTIVE,
    "sum_exscan": "d[1] = 5; CHECK({name}(SHMEM_TEAM_WORLD, d, y, 3) == 0); IS(d[0], 0); IS(d[1], 0);",
    "sync": "CHECK({name}(SHMEM_TEAM_WORLD) == 0); {name}(0, 0, 1, psync);",
    "wait_until": "{name}(y + 2, SHMEM_CMP_EQ, 3); {name}(y + 2, SHMEM_CMP_NE, 4);",
    "wait_until_all": "{name}(y, 3, NULL, SHMEM_CMP_GE, 1);",
    "wait_until_any": _any("{name}(y, 3, NULL, SHMEM_CMP_EQ, 2)", "== 1"),
    "wait_until_some": _any("{name}(y, 3, index, NULL, SHMEM_CMP_GT, 1)", "== 2 && index[0] + index[1] == 3"),
    "wait_until_all_vector": "{name}(y, 3, NULL, SHMEM_CMP_EQ, want);",
    "wait_until_any_vector": _any("{name}(y, 3, status, SHMEM_CMP_EQ, want)", "== 1"),
    "wait_until_some_vector": _any("{name}(y, 3, index, status, SHMEM_CMP_EQ, want)", "== 1 && index[0] == 1"),
    "test": "CHECK({name}(y, SHMEM_CMP_EQ, 1) == 1); CHECK({name}(y, SHMEM_CMP_GT, 1) == 0);",
    "test_all": "CHECK({name}(y, 3, NULL, SHMEM_CMP_LE, 3) == 1); CHECK({name}(y, 3, NULL, SHMEM_CMP_LT, 3) == 0);",
    "test_any": "CHECK({name}(y, 3, NULL, SHMEM_CMP_EQ, 2) == 1); CHECK({name}(y, 3, NULL, SHMEM_CMP_EQ, 9) == SIZE_MAX);",
    "test_some": _any("{name}(y, 3, index, NULL, SHMEM_CMP_GT, 1)", "== 2 && index[0] + index[1] == 3"),
    "test_all_vector": "CHECK({name}(y, 3, NULL, SHMEM_CMP_EQ, want) == 1); CHECK({name}(y, 3, NULL, SHMEM_CMP_NE, want) == 0);",
    "test_any_vector": _any("{name}(y, 3, status, SHMEM_CMP_EQ, want)", "== 1"),
    "test_some_vector": _any("{name}(y, 3, index, status, SHMEM_CMP_EQ, want)", "== 1 && index[0] == 1"),
}
CALLS.update({f"{op}_reduce": _COLLECTIVE for op in ("and", "or", "xor", "max", "min", "sum", "prod")})

_START = """#include <shmem.h>
%s
static int bad;
static const char *at;
#define CHECK(x) do { if (!(x)) { bad++; printf("%%s: not true: %%s\\n", at, #x); } } while (0)
#define IS(a, b) do { if (!((a) == (T)(b))) { bad++; printf("%%s: wrong value, line %%d\\n", at, __LINE__); } } while (0)
#ifdef __cplusplus
#include <type_traits>
#define TYPE_IS(e, T) static_assert(std::is_same<decltype(e), T>::value, "type of " #e)
#else
#define TYPE_IS(e, T) _Static_assert(__builtin_types_compatible_p(__typeof__(e), T), "type of " #e)
#endif
#define FLUSH shmem_ctx_quiet(ctx); shmem_quiet()
static uint64_t *sig;
static void *dest, *symmetric;
static shmem_ctx_t ctx;
static long psync[SHMEM_SYNC_SIZE];
static int me;
"""

_FUNCTION = """static void call{i}(void)
{{
    typedef {ctype} T;
    T *d = (T *)dest, *y = (T *)symmetric, f = 0;
    T want[3] = {{ 1, 2, 3 }};
    size_t index[3] = {{ 0, 0, 0 }};
    int status[3] = {{ 1, 0, 1 }};
    at = "{what}";
    *sig = 0;
    for (int i = 0; i < 8; i++) {{
        y[i] = (T)(i + 1);
        d[i] = (T)0;
    }}
    (void)f, (void)want, (void)index, (void)status;
    {{
        {body}
    }}
}}
"""

_MAIN = """int main(void)
{
    shmem_init();
    me = shmem_my_pe();
    sig = (uint64_t *)shmem_malloc(sizeof *sig);
    dest = shmem_malloc(8 * sizeof(long double));
    symmetric = shmem_malloc(8 * sizeof(long double));
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        psync[i] = SHMEM_SYNC_VALUE;
    if (!sig || !dest || !symmetric || shmem_ctx_create(0, &ctx) != 0) {
        printf("set-up failed\\n");
        return 1;
    }
    for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++)
        calls[i]();
    shmem_ctx_destroy(ctx);
    shmem_finalize();
    return bad != 0;
}
"""


def _group(op):
    if "wait" in op or "test" in op:
        return "sync"
    if op.endswith(("_reduce", "scan")) or op in ("alltoall", "alltoalls", "broadcast", "collect", "fcollect", "sync"):
        return "collectives"
    return "atomics" if op.startswith("atomic") or op in ("fetch", "set", "swap", "cswap", "finc", "inc", "fadd", "add") else "rma"


def generate(all_generics, prelude):
    """[(name, source, number of calls)]"""
    groups = {}
    for g in all_generics:
        op = g.name[len("shmem_"):]
        for typename in g.types or ["long"]:
            groups.setdefault(_group(op), []).append((g, op, typename))
    parts = []
    for name, calls in groups.items():
        text = [_START % prelude]
        for i, (g, op, typename) in enumerate(calls):
            body = CALLS[op].format(name=g.name)
            body = _put_context(body, "ctx, " if g.context else "")
            what = f"{g.name}({'ctx, ' if g.context else ''}{typename})"
            text.append(_FUNCTION.format(i=i, ctype=api.C_TYPES[typename], what=what, body=body))
        text.append("static void (*const calls[])(void) = {\n" +
                    "".join(f"    call{i},\n" for i in range(len(calls))) + "};\n")
        text.append(_MAIN)
        parts.append((name, "".join(text), len(calls)))
    return parts


def _put_context(body, context):
    return body.replace("(C ", "(" + context)

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Point-to-point synchronisation, OpenSHMEM 1.6 section 9.10, for the 12 standard types.
 *
 * ivar and ivars are symmetric objects of this PE. cmp is SHMEM_CMP_*. status, where not NULL, excludes the elements
 * with a nonzero entry. A wait or test that succeeds is an acquire: what the writer ordered before its update is
 * visible. A wait that takes longer than GIN_SHMEM_TIMEOUT ends the job with a report.
 */
#ifndef GIN_SHMEM_WAIT_H
#define GIN_SHMEM_WAIT_H

#include "addr.h"
#include "types.h"

namespace gin_shmem_impl
{

template <class T>
GIN_SHMEM_FN bool compare(T seen, int cmp, T wanted)
{
    switch (cmp) {
    case SHMEM_CMP_EQ:
        return seen == wanted;
    case SHMEM_CMP_NE:
        return seen != wanted;
    case SHMEM_CMP_GT:
        return seen > wanted;
    case SHMEM_CMP_LE:
        return seen <= wanted;
    case SHMEM_CMP_LT:
        return seen < wanted;
    case SHMEM_CMP_GE:
        return seen >= wanted;
    }
    return false;
}

GIN_SHMEM_FN void check_cmp(int cmp, uint32_t fn)
{
    if ((uint32_t)cmp > SHMEM_CMP_GE)
        fail(GIN_SHMEM_REPORT_ARGUMENT, fn, -1, cmp, nullptr, 0, (uint64_t)cmp, 0);
}

template <class T>
GIN_SHMEM_FN T load_word(const T *p)
{
    return (T)load_acquire((const typename bits_of<sizeof(T)>::type *)p);
}

/* The value that satisfied. Each poll is an acquire load: no more than a load and an invalidation of the L1 cache. */
template <class T>
GIN_SHMEM_FN T wait_word(const T *ivar, int cmp, T value, uint32_t fn)
{
    check_cmp(cmp, fn);
    check(ivar, sizeof(T), -1, fn);
    T seen;
    for (watchdog dog; seen = load_word(ivar), !compare(seen, cmp, value);)
        if (dog.late())
            fail_timeout(fn, ivar, sizeof(T), cmp, (uint64_t)value, (uint64_t)seen);
    return seen;
}

/* One value for all, or one for each. */
template <class T>
struct all_equal {
    T value;
    GIN_SHMEM_METHOD T at(size_t) const { return value; }
};
template <class T>
struct by_element {
    const T *values;
    GIN_SHMEM_METHOD T at(size_t i) const { return values[i]; }
};

template <class G, class T, class C>
GIN_SHMEM_FN void wait_all(const T *ivars, size_t nelems, const int *status, int cmp, C value, uint32_t fn)
{
    G::sync();
    for (size_t i = G::rank(); i < nelems; i += G::size())
        if (!status || !status[i])
            wait_word(ivars + i, cmp, value.at(i), fn | G::tag);
    G::sync();
}

template <class T, class C>
GIN_SHMEM_FN int test_all(const T *ivars, size_t nelems, const int *status, int cmp, C value, uint32_t fn)
{
    check_cmp(cmp, fn);
    check(ivars, nelems * sizeof(T), -1, fn);
    for (size_t i = 0; i < nelems; i++)
        if ((!status || !status[i]) && !compare(load_word(ivars + i), cmp, value.at(i)))
            return 0;
    return 1;
}

/* Index of a satisfied element, nelems when there is none yet, SIZE_MAX when all are excluded. Begins somewhere else
 * every time, so that no element is always served first. */
template <class T, class C>
GIN_SHMEM_FN size_t find_any(const T *ivars, size_t nelems, const int *status, int cmp, C value)
{
    size_t first = nelems ? (size_t)(clock_ns() >> 5) % nelems : 0;
    bool some = false;
    for (size_t k = 0; k < nelems; k++) {
        size_t i = first + k < nelems ? first + k : first + k - nelems;
        if (status && status[i])
            continue;
        some = true;
        if (compare(load_word(ivars + i), cmp, value.at(i)))
            return i;
    }
    return some ? nelems : ~(size_t)0;
}

template <class T, class C>
GIN_SHMEM_FN size_t test_any(const T *ivars, size_t nelems, const int *status, int cmp, C value, uint32_t fn)
{
    check_cmp(cmp, fn);
    check(ivars, nelems * sizeof(T), -1, fn);
    size_t i = find_any(ivars, nelems, status, cmp, value);
    return i == nelems ? ~(size_t)0 : i;
}

template <class T, class C>
GIN_SHMEM_FN size_t wait_any(const T *ivars, size_t nelems, const int *status, int cmp, C value, uint32_t fn)
{
    check_cmp(cmp, fn);
    check(ivars, nelems * sizeof(T), -1, fn);
    size_t i;
    for (watchdog dog; nelems && (i = find_any(ivars, nelems, status, cmp, value)) == nelems;)
        if (dog.late())
            fail_timeout(fn, ivars, nelems * sizeof(T), cmp, (uint64_t)value.at(0), (uint64_t)load_word(ivars));
    return nelems ? i : ~(size_t)0;
}

/* Number of satisfied elements, their indices in indices; SIZE_MAX when all are excluded. */
template <class T, class C>
GIN_SHMEM_FN size_t find_some(const T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, C value)
{
    size_t found = 0;
    bool some = false;
    for (size_t i = 0; i < nelems; i++) {
        if (status && status[i])
            continue;
        some = true;
        if (compare(load_word(ivars + i), cmp, value.at(i)))
            indices[found++] = i;
    }
    return some ? found : ~(size_t)0;
}

template <class T, class C>
GIN_SHMEM_FN size_t test_some(const T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, C value,
                              uint32_t fn)
{
    check_cmp(cmp, fn);
    check(ivars, nelems * sizeof(T), -1, fn);
    size_t n = find_some(ivars, nelems, indices, status, cmp, value);
    return n == ~(size_t)0 ? 0 : n;
}

template <class T, class C>
GIN_SHMEM_FN size_t wait_some(const T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, C value,
                              uint32_t fn)
{
    check_cmp(cmp, fn);
    check(ivars, nelems * sizeof(T), -1, fn);
    size_t n;
    for (watchdog dog; (n = find_some(ivars, nelems, indices, status, cmp, value)) == 0;)
        if (dog.late())
            fail_timeout(fn, ivars, nelems * sizeof(T), cmp, (uint64_t)value.at(0), (uint64_t)load_word(ivars));
    return n == ~(size_t)0 ? 0 : n;
}

/* One thread of the group polls; G::sync hands on what it acquired. */
template <class G, class T>
GIN_SHMEM_FN void wait_group(const T *ivar, int cmp, T value, uint32_t fn)
{
    if (G::rank() == 0)
        wait_word(ivar, cmp, value, fn | G::tag);
    G::sync();
}

/* Every warp polls with one lane and shares the value: a block form needs no memory to hand it round. */
template <class G>
GIN_SHMEM_FN uint64_t wait_signal(const uint64_t *sig_addr, int cmp, uint64_t value)
{
    uint64_t seen = 0;
    if (G::tag == GIN_SHMEM_SCOPE_THREAD || warp_group::rank() == 0)
        seen = wait_word(sig_addr, cmp, value, GIN_SHMEM_FN_signal_wait_until | G::tag);
    if (G::tag != GIN_SHMEM_SCOPE_THREAD)
        seen = shuffle(seen, 0);
    G::sync();
    return seen;
}

} // namespace gin_shmem_impl

/* With _warp and _block: the group waits together. */
#define GIN_SHMEM_WAIT_GROUP_SET(PRE, T, V, HEAD, S, G)                                                             \
    HEAD GIN_SHMEM_FN void PRE##wait_until##S(T *ivar, int cmp, V cmp_value)                                        \
    {                                                                                                               \
        gin_shmem_impl::wait_group<G, T>(ivar, cmp, cmp_value, GIN_SHMEM_FN_wait_until);                            \
    }                                                                                                               \
    HEAD GIN_SHMEM_FN void PRE##wait_until_all##S(T *ivars, size_t nelems, const int *status, int cmp, V cmp_value) \
    {                                                                                                               \
        gin_shmem_impl::all_equal<T> value = {cmp_value};                                                           \
        gin_shmem_impl::wait_all<G>(ivars, nelems, status, cmp, value, GIN_SHMEM_FN_wait_until_all);                \
    }                                                                                                               \
    HEAD GIN_SHMEM_FN void PRE##wait_until_all_vector##S(T *ivars, size_t nelems, const int *status, int cmp,       \
                                                         const T *cmp_values)                                       \
    {                                                                                                               \
        gin_shmem_impl::by_element<T> value = {cmp_values};                                                         \
        gin_shmem_impl::wait_all<G>(ivars, nelems, status, cmp, value, GIN_SHMEM_FN_wait_until_all_vector);         \
    }

/* KIND wait or test; STEM wait_until or test. any gives an index or SIZE_MAX, some the number of indices. */
#define GIN_SHMEM_WAIT_ARRAY_SET(PRE, T, V, HEAD, STEM, KIND)                                                       \
    HEAD GIN_SHMEM_FN size_t PRE##STEM##_any(T *ivars, size_t nelems, const int *status, int cmp, V cmp_value)      \
    {                                                                                                               \
        gin_shmem_impl::all_equal<T> value = {cmp_value};                                                           \
        return gin_shmem_impl::KIND##_any(ivars, nelems, status, cmp, value, GIN_SHMEM_FN_##STEM##_any);            \
    }                                                                                                               \
    HEAD GIN_SHMEM_FN size_t PRE##STEM##_any_vector(T *ivars, size_t nelems, const int *status, int cmp,            \
                                                    const T *cmp_values)                                            \
    {                                                                                                               \
        gin_shmem_impl::by_element<T> value = {cmp_values};                                                         \
        return gin_shmem_impl::KIND##_any(ivars, nelems, status, cmp, value, GIN_SHMEM_FN_##STEM##_any);            \
    }                                                                                                               \
    HEAD GIN_SHMEM_FN size_t PRE##STEM##_some(T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, \
                                              V cmp_value)                                                          \
    {                                                                                                               \
        gin_shmem_impl::all_equal<T> value = {cmp_value};                                                           \
        return gin_shmem_impl::KIND##_some(ivars, nelems, indices, status, cmp, value, GIN_SHMEM_FN_##STEM##_some); \
    }                                                                                                               \
    HEAD GIN_SHMEM_FN size_t PRE##STEM##_some_vector(T *ivars, size_t nelems, size_t *indices, const int *status,   \
                                                     int cmp, const T *cmp_values)                                  \
    {                                                                                                               \
        gin_shmem_impl::by_element<T> value = {cmp_values};                                                         \
        return gin_shmem_impl::KIND##_some(ivars, nelems, indices, status, cmp, value, GIN_SHMEM_FN_##STEM##_some); \
    }
#define GIN_SHMEM_TEST_SET(PRE, T, V, HEAD)                                                               \
    HEAD GIN_SHMEM_FN int PRE##test(T *ivar, int cmp, V cmp_value)                                        \
    {                                                                                                     \
        gin_shmem_impl::all_equal<T> value = {cmp_value};                                                 \
        return gin_shmem_impl::test_all(ivar, 1, nullptr, cmp, value, GIN_SHMEM_FN_test);                 \
    }                                                                                                     \
    HEAD GIN_SHMEM_FN int PRE##test_all(T *ivars, size_t nelems, const int *status, int cmp, V cmp_value) \
    {                                                                                                     \
        gin_shmem_impl::all_equal<T> value = {cmp_value};                                                 \
        return gin_shmem_impl::test_all(ivars, nelems, status, cmp, value, GIN_SHMEM_FN_test_all);        \
    }                                                                                                     \
    HEAD GIN_SHMEM_FN int PRE##test_all_vector(T *ivars, size_t nelems, const int *status, int cmp,       \
                                               const T *cmp_values)                                       \
    {                                                                                                     \
        gin_shmem_impl::by_element<T> value = {cmp_values};                                               \
        return gin_shmem_impl::test_all(ivars, nelems, status, cmp, value, GIN_SHMEM_FN_test_all);        \
    }
#define GIN_SHMEM_WAIT_SET(PRE, T, V, HEAD)                     \
    GIN_SHMEM_SCOPES(GIN_SHMEM_WAIT_GROUP_SET, PRE, T, V, HEAD) \
    GIN_SHMEM_WAIT_ARRAY_SET(PRE, T, V, HEAD, wait_until, wait) \
    GIN_SHMEM_WAIT_ARRAY_SET(PRE, T, V, HEAD, test, test)       \
    GIN_SHMEM_TEST_SET(PRE, T, V, HEAD)

#define GIN_SHMEM_WAIT_TYPED(A, N, T) GIN_SHMEM_WAIT_SET(gin_shmem_##N##_, T, T, GIN_SHMEM_LAZY)
SHMEMI_AMO_TYPES(GIN_SHMEM_WAIT_TYPED, )
/* C++: gin_shmem_wait_until(ivar, cmp, value) and so on. */
GIN_SHMEM_WAIT_SET(gin_shmem_, T, typename gin_shmem_impl::just<T>::type, template <class T>)

/* Returns a value of own signal word sig_addr that satisfied; threads of different warps may be given different
 * ones. */
#define GIN_SHMEM_SIGNAL_WAIT_SET(A, S, G)                                                                \
    GIN_SHMEM_FN uint64_t gin_shmem_signal_wait_until##S(uint64_t *sig_addr, int cmp, uint64_t cmp_value) \
    {                                                                                                     \
        return gin_shmem_impl::wait_signal<G>(sig_addr, cmp, cmp_value);                                  \
    }
GIN_SHMEM_SCOPES(GIN_SHMEM_SIGNAL_WAIT_SET, )

#endif

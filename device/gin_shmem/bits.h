/* SPDX-License-Identifier: BSD-3-Clause */
/* Bits of a value: part of both sides of port.h, which have defined GIN_SHMEM_FN and unit16. */
#ifndef GIN_SHMEM_BITS_H
#define GIN_SHMEM_BITS_H

namespace gin_shmem_impl
{

template <int BYTES>
struct bits_of;
template <>
struct bits_of<1> {
    typedef uint8_t type;
};
template <>
struct bits_of<2> {
    typedef uint16_t type;
};
template <>
struct bits_of<4> {
    typedef uint32_t type;
};
template <>
struct bits_of<8> {
    typedef uint64_t type;
};
template <>
struct bits_of<16> {
    typedef unit16 type;
};

template <class To, class From>
GIN_SHMEM_FN To cast_bits(const From &v)
{
    static_assert(sizeof(To) == sizeof(From), "a cast of bits keeps the size");
    To t;
    memcpy(&t, &v, sizeof t);
    return t;
}

} // namespace gin_shmem_impl

#endif

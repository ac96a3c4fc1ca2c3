/* SPDX-License-Identifier: BSD-3-Clause */
/* __half and __nv_bfloat16 for kernels on the CPU: storage types; arithmetic is float's, rounded when it is stored. */
#ifndef GIN_SHMEM_CPU_HALF_H
#define GIN_SHMEM_CPU_HALF_H

#include <stdint.h>
#include <string.h>

#include <type_traits>

namespace gin_shmem_cpu
{

inline uint32_t bits_of_float(float v)
{
    uint32_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}
inline float float_of_bits(uint32_t b)
{
    float v;
    memcpy(&v, &b, sizeof v);
    return v;
}

/* Rounds to nearest, ties to even; NaN stays NaN. */
inline uint16_t half_of(float v)
{
    const uint32_t b = bits_of_float(v), sign = b >> 16 & 0x8000, a = b & 0x7fffffff;
    if (a > 0x7f800000)
        return (uint16_t)(sign | 0x7fff);
    if (a >= 0x47800000) /* 65536 and more; below, a carry gives infinity by itself */
        return (uint16_t)(sign | 0x7c00);
    if (a < 0x38800000) /* subnormal: adding 0.5 leaves the value, in units of 2^-24, in the low bits */
        return (uint16_t)(sign | (bits_of_float(float_of_bits(a) + 0.5f) - 0x3f000000));
    return (uint16_t)(sign | ((a + 0xc8000fff + (a >> 13 & 1)) >> 13));
}
inline float float_of_half(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 0x3ff;
    if (e == 0)
        return float_of_bits(sign | bits_of_float((float)m * 0x1p-24f));
    return float_of_bits(sign | (e == 31 ? 0x7f800000 : (e + 112) << 23) | m << 13);
}
inline uint16_t bfloat_of(float v)
{
    const uint32_t b = bits_of_float(v);
    if ((b & 0x7fffffff) > 0x7f800000)
        return 0x7fff;
    return (uint16_t)((b + 0x7fff + (b >> 16 & 1)) >> 16);
}
inline float float_of_bfloat(uint16_t h)
{
    return float_of_bits((uint32_t)h << 16);
}

/* Converts from every number and to float, as CUDA's types do; so comparisons and arithmetic are float's. */
template <uint16_t (*FROM)(float), float (*TO)(uint16_t)>
struct short_float {
    uint16_t bits;

    short_float() = default;
    template <class N, class = typename std::enable_if<std::is_arithmetic<N>::value>::type>
    short_float(N v) : bits(FROM((float)v))
    {
    }
    operator float() const { return TO(bits); }
    short_float &operator+=(short_float v) { return *this = short_float((float)*this + (float)v); }
    short_float &operator-=(short_float v) { return *this = short_float((float)*this - (float)v); }
    short_float &operator*=(short_float v) { return *this = short_float((float)*this * (float)v); }
    short_float &operator/=(short_float v) { return *this = short_float((float)*this / (float)v); }
};

} // namespace gin_shmem_cpu

typedef gin_shmem_cpu::short_float<gin_shmem_cpu::half_of, gin_shmem_cpu::float_of_half> __half;
typedef gin_shmem_cpu::short_float<gin_shmem_cpu::bfloat_of, gin_shmem_cpu::float_of_bfloat> __nv_bfloat16;
typedef __half half;
typedef __nv_bfloat16 nv_bfloat16;

inline __half __float2half(float v)
{
    return __half(v);
}
inline __half __float2half_rn(float v)
{
    return __half(v);
}
inline float __half2float(__half v)
{
    return v;
}
inline __nv_bfloat16 __float2bfloat16(float v)
{
    return __nv_bfloat16(v);
}
inline __nv_bfloat16 __float2bfloat16_rn(float v)
{
    return __nv_bfloat16(v);
}
inline float __bfloat162float(__nv_bfloat16 v)
{
    return v;
}

#endif

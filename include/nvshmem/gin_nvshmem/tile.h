/* SPDX-License-Identifier: BSD-3-Clause */
/* Tile operations (C++, namespace nvshmemx), which are not there: each name says so where it is called. */
#ifndef GIN_NVSHMEM_TILE_H
#define GIN_NVSHMEM_TILE_H

#include "config.h"

#if GIN_NV_DEVICE && defined(__cplusplus)
namespace nvshmemx
{

typedef enum {
    NVLS_ONE_SHOT_PUSH_NBI = 0,
    NVLS_ONE_SHOT_PULL_NBI = 1,
    NVLS_TWO_SHOT_PUSH_NBI = 2,
    NVLS_TWO_SHOT_PULL_NBI = 3
} tile_coll_algo_t;
typedef enum { PEER_PUSH_NBI = 0, PEER_PULL_NBI = 0, REMOTE_PUSH_NBI = 1, REMOTE_PULL_NBI = 1 } tile_algo_t;

/* Behind the names: the template arguments that programs give. */
#define GIN_NV_TILE(OP, S, ...)                                                                                        \
    template <__VA_ARGS__, class... A>                                                                                 \
    GIN_NV_INLINE int tile_##OP##S(A...)                                                                               \
    {                                                                                                                  \
        static_assert(sizeof...(A) == ~0u, "gin_shmem: nvshmemx::tile_" #OP #S " is not there, as no tile operation "  \
                                           "is: call the operation on whole buffers");                                 \
        return 0;                                                                                                      \
    }
#define GIN_NV_TILE_SET(OP, ...)                                                                                       \
    GIN_NV_TILE(OP, , __VA_ARGS__) GIN_NV_TILE(OP, _warp, __VA_ARGS__)                                                 \
    GIN_NV_TILE(OP, _warpgroup, __VA_ARGS__) GIN_NV_TILE(OP, _block, __VA_ARGS__)
#define GIN_NV_TILE_MOVE(OP, ALGO) GIN_NV_TILE_SET(OP, class Source, class Dest, class Place, ALGO)
GIN_NV_TILE_MOVE(sum_reduce, tile_coll_algo_t)
GIN_NV_TILE_MOVE(max_reduce, tile_coll_algo_t)
GIN_NV_TILE_MOVE(min_reduce, tile_coll_algo_t)
GIN_NV_TILE_MOVE(sum_rooted_reduce, tile_coll_algo_t)
GIN_NV_TILE_MOVE(max_rooted_reduce, tile_coll_algo_t)
GIN_NV_TILE_MOVE(min_rooted_reduce, tile_coll_algo_t)
GIN_NV_TILE_MOVE(allgather, tile_coll_algo_t)
GIN_NV_TILE_MOVE(broadcast, tile_coll_algo_t)
GIN_NV_TILE_MOVE(put, tile_algo_t)
GIN_NV_TILE_MOVE(get, tile_algo_t)
GIN_NV_TILE_SET(collective_wait, tile_coll_algo_t)

} // namespace nvshmemx
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares every function of the standard under the name SHMEMI_NAME(f): included by shmem.h and by pshmem.h, each with
 * its own SHMEMI_NAME. No include guard, on purpose. */
#define SHMEMI_DECL_PLAIN(NAME, RET, PROTO) RET SHMEMI_NAME(NAME) PROTO;
#define SHMEMI_DECL(N, OP, RET, PROTO, ARGS) RET SHMEMI_NAME(shmem_##N##_##OP) PROTO;
#define SHMEMI_DECL_CTX(N, OP, RET, PROTO, ARGS)                                                                       \
    RET SHMEMI_NAME(shmem_##N##_##OP) PROTO;                                                                           \
    RET SHMEMI_NAME(shmem_ctx_##N##_##OP) SHMEMI_CTX_PROTO PROTO;
#define SHMEMI_DECL_SIZED(BITS, NAME, KIND, RET, PROTO, ARGS)                                                          \
    RET SHMEMI_NAME(shmem_##NAME) PROTO;                                                                               \
    RET SHMEMI_NAME(shmem_ctx_##NAME) SHMEMI_CTX_PROTO PROTO;
#define SHMEMI_DECL_OLD_COLL(S, OP, PROTO) void SHMEMI_NAME(shmem_##OP##S) PROTO;

SHMEMI_PLAIN_FUNCTIONS(SHMEMI_DECL_PLAIN)
SHMEMI_NORETURN void SHMEMI_NAME(shmem_global_exit)(int status);
SHMEMI_RMA_FUNCTIONS(SHMEMI_DECL_CTX)
SHMEMI_SIZED_FUNCTIONS(SHMEMI_DECL_SIZED)
SHMEMI_AMO_FUNCTIONS(SHMEMI_DECL_CTX)
SHMEMI_OLD_AMO_FUNCTIONS(SHMEMI_DECL)
SHMEMI_SYNC_FUNCTIONS(SHMEMI_DECL)
SHMEMI_COLL_FUNCTIONS(SHMEMI_DECL)
SHMEMI_REDUCE_FUNCTIONS(SHMEMI_DECL)
SHMEMI_TO_ALL_FUNCTIONS(SHMEMI_DECL)
SHMEMI_OLD_COLL_FUNCTIONS(SHMEMI_DECL_OLD_COLL)

#undef SHMEMI_DECL_PLAIN
#undef SHMEMI_DECL
#undef SHMEMI_DECL_CTX
#undef SHMEMI_DECL_SIZED
#undef SHMEMI_DECL_OLD_COLL

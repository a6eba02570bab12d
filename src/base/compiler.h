/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_BASE_COMPILER_H
#define CUZK_BASE_COMPILER_H

/* gcc: a (void) cast does not silence this, by design. clang also takes it on the type, which
 * catches a function that forgot the annotation. */
#define CUZK_NODISCARD __attribute__((warn_unused_result))
#ifdef __clang__
#    define CUZK_NODISCARD_TYPE __attribute__((warn_unused_result))
#else
#    define CUZK_NODISCARD_TYPE
#endif
#define CUZK_COLD         __attribute__((cold, noinline))
#define CUZK_PRINTF(f, a) __attribute__((format(printf, f, a)))

#ifdef __cplusplus
#    define CUZK_STATIC_ASSERT(c, m) static_assert(c, m)
#    define CUZK_RESTRICT            __restrict__
#else
#    define CUZK_STATIC_ASSERT(c, m) _Static_assert(c, m)
#    define CUZK_RESTRICT            restrict
#endif

#ifdef __CUDACC__
#    define CUZK_HD        __host__ __device__
#    define CUZK_HD_INLINE static __host__ __device__ __forceinline__
#else
#    define CUZK_HD
#    define CUZK_HD_INLINE static inline __attribute__((always_inline, unused))
#endif

#endif /* CUZK_BASE_COMPILER_H */

// SPDX-License-Identifier: Apache-2.0
// What librdkafka's configure would have found, as far as its example programs ask.
#pragma once
#define SOLIB_EXT ".so"
#define BUILT_WITH ""
#define HAVE_ATOMICS_32 1
#define HAVE_ATOMICS_64 1
#define ATOMIC_OP32(OP1, OP2, PTR, VAL) __atomic_##OP1##_##OP2(PTR, VAL, __ATOMIC_SEQ_CST)
#define ATOMIC_OP64 ATOMIC_OP32

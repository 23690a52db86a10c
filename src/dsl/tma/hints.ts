/** What the L2 cache is to do with the bytes of a transfer: give them up first, last, or as usual. PTX `.L2::cache_hint`. */
export type CacheHint = "evictFirst" | "evictLast" | "evictNormal";
/** What a reducing store does with each element in memory and the one that comes. PTX `cp.reduce.async.bulk.tensor` (9.7.9.27). */
export type ReduceOp = "add" | "min" | "max" | "inc" | "dec" | "and" | "or" | "xor";

/**
 * What a kernel that is compiled for a timeline leaves in device memory. The kernel's parameter for it is the address of the slices, a multiple of
 * 4096, plus two numbers in its low bits: bits 0 to 5, the binary logarithm of the bytes of a slice; bits 6 to 11, that of how many
 * blocks, by their linear index, have slices. Slices of a block follow each other by warp; each begins at a multiple of its size, and all of them lie
 * between two multiples of 2^32. The host clears them before the launch.
 *
 * A slice (u32 words): `present` is 1 once the warp has begun; `multiprocessor` is `%smid`; `beginClock` and `endClock` are `%clock`, `beginTime` and
 * `endTime` (two words each, low first) `%globaltimer` at the same moments, the latter 0 where the warp has not ended; `shared` is
 * where the shared memory of the block begins; `taken` the bytes of records that the warp would have needed. From `records` on records of
 * four words: site + 1, in the upper half the address of the mbarrier / 8 and, in the highest bit, the parity, or the number of a barrier; `%clock`; two
 * values: of a wait when it ended. A first word 0 is
 * no record: it belongs to a branch that was not taken.
 */
export const timelineLayout = {
  present: 0,
  multiprocessor: 1,
  beginClock: 2,
  shared: 3,
  beginTime: 4,
  endClock: 8,
  taken: 9,
  endTime: 10,
  /** Words before the first record. */
  records: 16,
  recordWords: 4,
  recordBytes: 16,
  /** Places at the end of a slice that no record begins behind: what a branch takes at most, ahead of the warp's next place. */
  slack: 64,
  siteBits: 16,
} as const;

/** Words of shared memory for the warp that observes landings: whether it may begin, and how many threads have ended. */
export const observerWords = { started: 0, ended: 4, bytes: 8 } as const;

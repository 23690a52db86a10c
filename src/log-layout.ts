/**
 * How `console.log` and `assert` travel from a kernel to the host. The kernel's last parameter is the address of a header in
 * device memory; records go to memory of the host that stays readable when the kernel has trapped. Everything is little-endian;
 * offsets and sizes of records are in words of 4 bytes. Both `lower` and the host read this file and nothing else of each other.
 */
export const logHeader = {
  /** Bytes of the header. */
  bytes: 32,
  /** u32, counts words of records asked for: an atomic add of a record's size gives its place. Goes on counting when full. */
  next: 0,
  /** u32, words that the record area holds beyond its first 16 (`assertArea.words`). A record that does not fit wholly is not written. */
  capacity: 4,
  /** u64, address of the record area. */
  records: 8,
  /** u32, 0 until a thread's assertion has failed; the thread that makes it 1 writes the assert area. */
  asserted: 16,
} as const;

/**
 * A record: the site's number plus one (a first word of 0 is memory that nobody wrote: the end), the block, the thread, then each value in one word (32 bits or less, extended) or two (64 bits, low
 * word first).
 */
export const logRecord = {
  site: 0,
  block: 1,
  thread: 4,
  values: 7,
} as const;

/**
 * The first words of the record area: the record of the assertion that failed, with `asserted` set to 1 after it; `dropped` is
 * set to 1 by a thread whose record did not fit. Log records follow, packed; `next` counts from the end of this area.
 */
export const assertArea = { words: 16, record: 0, asserted: 8, dropped: 9 } as const;

/** Words that a value of so many bits takes. */
export const valueWords = (bits: number): number => (bits > 32 ? 2 : 1);

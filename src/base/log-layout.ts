/**
 * How `console.log` and `assert` in a kernel reach the host. The kernel's last parameter is the address of a header in device
 * memory; the records lie in host memory that is mapped into the device, so that they can be read after a trap.
 *
 * Header (bytes): `next` u32, the index of the next free word; `capacity` u32, words of the record area; `records` u64, the
 * device address of the record area; `assertFlag` u32: 0, 1 once a thread writes the assertion's record, 2 once it stands.
 * The host sets next to `firstRecord`, fills in capacity and records, and clears the rest and the record area.
 *
 * Record area (u32 words): from word 0 the record of the failed assertion, where there is one, from `firstRecord` on the log
 * records, one after the other. A record: site + 1 (0: no record here), block x, y, z, thread x, y, z, then the values:
 * one word each (8- and 16-bit values in the low bits, bool 0 or 1), two words (low first) for 64-bit values. The record of an
 * assertion has room for three values, two words each whatever their type, from word `assertValues` on.
 * A record that does not fit is dropped: `next` still counts its words, and word `dropped` of the record area becomes 1.
 */
export const logLayout = {
  headerBytes: 32,
  next: 0,
  capacity: 4,
  records: 8,
  assertFlag: 16,
  /** Words. */
  firstRecord: 16,
  /** Word of the record area that is 1 where lines were lost. */
  dropped: 8,
  /** Word of the record area where the values of the failed assertion begin: two words each. */
  assertValues: 9,
  /** Words before a record's values. */
  prefix: 7,
} as const;

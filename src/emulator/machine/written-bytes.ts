/** Which bytes of a memory have been written: a bit for each, 32 to a word. Offsets are below 2 ** 32. */
export type WrittenBytes = Int32Array;

export const nothingWritten = (size: number): WrittenBytes => new Int32Array(Math.ceil(size / 32));

/** Bits of a word from one on; `count` of them stay in it. */
const bits = (from: number, count: number): number => (count >= 32 ? -1 : ((1 << count) - 1) << from);

/** Calls `visit` with each word that a range has a part in, and its bits there, until that gives false. */
function overWords(offset: number, bytes: number, visit: (word: number, mask: number) => boolean): void {
  const end = offset + bytes;
  for (let at = offset; at < end; ) {
    const from = at & 31;
    const count = Math.min(32 - from, end - at);
    if (!visit(at >>> 5, bits(from, count))) return;
    at += count;
  }
}

export function markWritten(written: WrittenBytes, offset: number, bytes: number): void {
  const from = offset & 31;
  if (from + bytes <= 32) {
    written[offset >>> 5] = (written[offset >>> 5] ?? 0) | bits(from, bytes);
    return;
  }
  const [first, end] = [Math.ceil(offset / 32), Math.floor((offset + bytes) / 32)];
  if (first < end) written.fill(-1, first, end);
  const mark = (word: number, mask: number): boolean => {
    written[word] = (written[word] ?? 0) | mask;
    return true;
  };
  overWords(offset, Math.min(bytes, 32 * first - offset), mark);
  const rest = Math.max(32 * end, 32 * first);
  overWords(rest, Math.max(0, offset + bytes - rest), mark);
}

/** As if nobody had written them. */
export function forgetWritten(written: WrittenBytes, offset: number, bytes: number): void {
  overWords(offset, bytes, (word, mask) => {
    written[word] = (written[word] ?? 0) & ~mask;
    return true;
  });
}

/** How many bytes of a range have not been written. */
export function countUnwritten(written: WrittenBytes, offset: number, bytes: number): number {
  let count = 0;
  overWords(offset, bytes, (word, mask) => {
    for (let missing = ~(written[word] ?? 0) & mask; missing !== 0; missing &= missing - 1) count++;
    return true;
  });
  return count;
}

/** The offset of the first byte of a range that has not been written; -1 where all have. */
export function firstUnwritten(written: WrittenBytes, offset: number, bytes: number): number {
  const from = offset & 31;
  if (from + bytes <= 32) {
    const missing = ~(written[offset >>> 5] ?? 0) & bits(from, bytes);
    return missing === 0 ? -1 : lowest(offset >>> 5, missing);
  }
  let first = -1;
  overWords(offset, bytes, (word, mask) => {
    const missing = ~(written[word] ?? 0) & mask;
    if (missing !== 0) first = lowest(word, missing);
    return missing === 0;
  });
  return first;
}

/** What is known of some bytes holds for others: they have been moved. */
export function moveWritten(from: WrittenBytes, offset: number, to: WrittenBytes, target: number, bytes: number): void {
  for (let i = 0; i < bytes; i++) {
    if (((from[(offset + i) >>> 5] ?? 0) >>> ((offset + i) & 31)) & 1) markWritten(to, target + i, 1);
  }
}

const lowest = (word: number, missing: number): number => 32 * word + 31 - Math.clz32(missing & -missing);

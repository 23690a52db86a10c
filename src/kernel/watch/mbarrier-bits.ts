/**
 * The 64 bits of an mbarrier in shared memory, as an H100 and an H200 keep them. The PTX ISA calls them opaque: what is here was asked of the
 * hardware (test/tools/mbarrier-bits.ts, docs/hardware.md), and is not believed where it contradicts what the kernel says.
 */
export interface MbarrierState {
  /** Of the phase that runs. */
  readonly parity: 0 | 1;
  /** Arrivals that it still waits for, of so many. */
  readonly pending: number;
  readonly expected: number;
  /** Bytes that are expected and not there; negative where more have come. */
  readonly bytes: number;
}

/** Where the fields lie. Counts are kept as what they are below zero. */
const fields = { expected: 1n, bytes: 21n, pending: 43n, parity: 63n } as const;
const countBits = 20n;
const bytesBits = 22n;

const field = (bits: bigint, from: bigint, width: bigint): bigint => (bits >> from) & ((1n << width) - 1n);
const counted = (bits: bigint, from: bigint): number => Number((1n << countBits) - field(bits, from, countBits)) % 2 ** 20;

/** Undefined where it cannot be an mbarrier in use: the layout is another one, or nobody has initialised it. */
export function decodeMbarrier(bits: bigint): MbarrierState | undefined {
  const [expected, pending] = [counted(bits, fields.expected), counted(bits, fields.pending)];
  const bytes = Number(BigInt.asIntN(Number(bytesBits), field(bits, fields.bytes, bytesBits)));
  if (expected === 0 || pending > expected || (bits & 1n) !== 0n) return undefined;
  return { parity: bits >> fields.parity === 1n ? 1 : 0, pending, expected, bytes };
}

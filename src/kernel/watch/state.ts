/** The state of an mbarrier as an H200 writes it to shared memory (test/tools/mbarrier-bits.ts, decision 30). */

export interface MbarrierState {
  /** Of the phase that runs. */
  readonly parity: number;
  /** Arrivals that the phase lacks, and those that each phase has. */
  readonly pending: number;
  readonly expected: number;
  /** Bytes that the phase lacks; below 0 where more than expected have come. */
  readonly bytes: number;
}

/** Bits 1 to 20 are the arrivals of each phase, negated; 21 to 41 the bytes, negated; 43 to 62 the pending arrivals, negated; 63 is the parity. */
export function decodeState(state: bigint): MbarrierState {
  return {
    parity: Number(BigInt.asUintN(1, state >> 63n)),
    pending: Number(BigInt.asUintN(20, -(state >> 43n))),
    expected: Number(BigInt.asUintN(20, -(state >> 1n))),
    bytes: -Number(BigInt.asIntN(21, state >> 21n)),
  };
}

/** "1 of 2 arrivals and 4096 bytes". */
export function describeState({ pending, expected, bytes }: MbarrierState): string {
  const arrivals = `${pending} of ${expected} ${expected === 1 ? "arrival" : "arrivals"}`;
  if (bytes < 0) return `${arrivals}, and ${-bytes} bytes more than expected have come`;
  if (bytes === 0) return arrivals;
  return pending === 0 ? `${bytes} bytes` : `${arrivals} and ${bytes} bytes`;
}

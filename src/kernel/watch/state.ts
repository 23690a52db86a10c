/** The state of an mbarrier as `mbarrier.arrive` gives it on an H200 (test/tools/mbarrier-bits.ts, decision 30). */

export interface MbarrierState {
  /** Of the phase that runs. */
  readonly parity: number;
  /** Arrivals that the phase lacks. */
  readonly pending: number;
  /** Bytes that the phase lacks, at least and at most; below 0 where more than expected have come. */
  readonly least: number;
  readonly most: number;
}

/** The lower 11 bits of the bytes are not there. */
const bytesApart = 2048;

/** Bit 63 is the parity; 43 to 62 are the pending arrivals, negated; 32 to 41 the bytes, negated, in units of 2048. */
export function decodeState(state: bigint): MbarrierState {
  const pending = Number(BigInt.asUintN(20, -(state >> 43n)));
  const units = -Number(BigInt.asIntN(10, state >> 32n));
  const most = units * bytesApart;
  return { parity: Number(BigInt.asUintN(1, state >> 63n)), pending, least: most - bytesApart + 1, most };
}

/** "1 arrival and 2049 to 4096 bytes". */
export function describeState({ pending, least, most }: MbarrierState): string {
  const arrivals = `${pending} ${pending === 1 ? "arrival" : "arrivals"}`;
  if (most > 0) {
    const bytes = `${least} to ${most} bytes`;
    return pending === 0 ? bytes : `${arrivals} and ${bytes}`;
  }
  return most < 0 ? `${arrivals}, and ${-most} to ${-least} bytes more than expected have come` : arrivals;
}

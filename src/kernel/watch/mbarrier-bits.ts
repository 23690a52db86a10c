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

export function decodeMbarrier(_bits: bigint): MbarrierState | undefined {
  return undefined;
}

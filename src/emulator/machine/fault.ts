/** Bytes that a lane cannot use: none of its memory, or not aligned. */
export interface BadBytes {
  readonly space: string;
  readonly address: number;
  readonly bytes: number;
  readonly aligned: boolean;
}

/** What a kernel did that the machine refuses. The reason is a clause: "it …". The place is added on the way up. */
export class KernelFault extends Error {
  override readonly name = "KernelFault";
  readonly reason: string;

  readonly bad: BadBytes | undefined;

  constructor(reason: string, bad?: BadBytes) {
    super(reason);
    this.reason = reason;
    this.bad = bad;
  }
}

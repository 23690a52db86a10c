/** What a kernel did that the machine refuses. The reason is a clause: "it …". The place is added on the way up. */
export class KernelFault extends Error {
  override readonly name = "KernelFault";
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** Why something is not what it is compared with: thrown by `no`, caught by who compares. */
export class Mismatch {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}
export const no = (why: string): never => {
  throw new Mismatch(why);
};

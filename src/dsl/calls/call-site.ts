/** A call as the author wrote it. */
export interface CallSite {
  readonly f: unknown;
  readonly receiver: unknown;
  readonly args: readonly unknown[];
  readonly text: string;
  /** `new f(…)`. */
  readonly construct: boolean;
  /** It is a getter: what it answers is noted, in place of what it may have looked at. */
  readonly reads?: boolean;
}

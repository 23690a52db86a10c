/** What came of a warp's turn. */
export interface Progress {
  /** Something ran. */
  ran: boolean;
  /** Something ran that others can notice, and so may end their waiting. */
  effect: boolean;
  /** Something ran that leaves more behind than registers show, though others do not notice it. */
  hidden: boolean;
  /** Instructions of segments and branches that warps have run; whatever takes longer counts for more. */
  spent: number;
  /** Stores count as an effect only where they change memory. */
  readonly careful: boolean;
}

export const noProgress = (careful = false): Progress => ({ ran: false, effect: false, hidden: false, spent: 0, careful });

/** How the threads of a launch share rows. */
export interface RowPlan {
  /** Threads of a block: whole warps, at most 1024. */
  readonly threads: number;
  /** Who has a row together: each warp its own, or all threads of the block. */
  readonly group: "warp" | "block";
  /** Blocks that have a row together, through each other's shared memory: 1, 2, 4 or 8. Of warps 1. */
  readonly cluster?: number;
  /** Whether a row stays in registers from its first use to its last one, or is read again for each. */
  readonly keep?: boolean;
  /** Loads of a thread under way at a time, where a row does not stay in registers: 1 to 16. */
  readonly depth?: number;
  /** Blocks that have to fit a multiprocessor: fewer registers for each thread. */
  readonly blocksPerSM?: number;
  /** How what is read once is loaded: "noAllocate" passes the L1 cache by. */
  readonly evict?: "noAllocate" | "first";
}

/** Rows that threads share: how long they are, and how. */
export interface RowShape {
  readonly plan: RowPlan;
  /** Elements of a row. */
  readonly columns: number;
  /** Neighbours that a thread loads at a time; they divide a row. */
  readonly vector: number;
}

export const clusterOf = ({ cluster = 1 }: RowPlan): number => cluster;

/** Threads that have a row together. */
export const threadsOf = (plan: RowPlan): number => (plan.group === "warp" ? 32 : plan.threads * clusterOf(plan));

/** Rows that a block has at a time. */
export const rowsOfBlock = ({ group, threads }: RowPlan): number => (group === "warp" ? threads / 32 : 1);

/** Loads of a thread in a row. */
export const loadsOf = ({ plan, columns, vector }: RowShape): number => Math.ceil(columns / (threadsOf(plan) * vector));

/** The options of a kernel that has such rows. */
export const launchOf = (plan: RowPlan) => ({
  ...(plan.blocksPerSM === undefined ? {} : { blocksPerSM: plan.blocksPerSM }),
  block: plan.threads,
  cluster: clusterOf(plan),
  grid: ({ shape: [rows = 0] }: { readonly shape: readonly number[] }): number => {
    "use kernel"; // so that a build can follow what it computes
    return Math.ceil(rows / rowsOfBlock(plan)) * clusterOf(plan);
  },
});

/** What `warpsmith tune` can tune: help and completions say it without loading the kernels. */
export const tunable = ["matmul", "gatedMatmul"] as const;
export type Tunable = (typeof tunable)[number];

import { type Shape, shape } from "./plan.ts";

/** At the power limit: not the fastest launch by itself, but the fastest back to back (docs/decisions/0006). */
const large = shape([256, 192], { cluster: [2, 1], stages: 3, splitTail: true, promotion: "256B" });
/**
 * Sizes at which plans were timed in turns on an H200, with a cold L2 cache: 3 to 20 plans each, in f16 with A and B along K, some of them in
 * bf16 and with B along N. The fastest, or one that could not be told from it.
 */
const table: readonly (readonly [size: readonly [m: number, n: number, k: number], of: Shape])[] = [
  [[512, 512, 512], shape([64, 64], { consumers: 1, stores: "warp" })],
  [[1024, 1024, 1024], shape([64, 128], { consumers: 1, stages: 8, stores: "warp" })],
  [[1536, 1536, 1536], shape([128, 144], { stores: "warp" })],
  [[2048, 2048, 2048], shape([128, 256], { group: 4, wait: 0, leftFirst: 2, stores: "warp" })],
  [[3072, 3072, 3072], shape([128, 192], { schedule: "pingpong", cluster: [2, 1] })],
  [[4096, 4096, 4096], shape([128, 256], { group: 16, wait: 0, leftFirst: 2 })],
  [[8192, 8192, 8192], large],
  [[16384, 16384, 16384], large],
  [[512, 14336, 4096], shape([128, 224], { group: 4, wait: 0, leftFirst: 2, stores: "warp" })],
  [[2048, 4096, 14336], shape([128, 256], { wait: 0, leftFirst: 2, stores: "warp" })],
  [[1024, 4096, 4096], shape([128, 256], { group: 4, wait: 0, leftFirst: 2, stores: "warp" })],
  [[1024, 14336, 4096], shape([128, 224], { wait: 0, leftFirst: 2, stores: "warp" })],
  [[4096, 14336, 4096], shape([128, 160], { schedule: "pingpong", cluster: [2, 1] })],
  [[8192, 4096, 4096], shape([128, 256], { group: 16, wait: 0, leftFirst: 2 })],
  [[4096, 11008, 4096], shape([128, 128], { schedule: "pingpong" })],
  [[16384, 16384, 512], shape([128, 128], { schedule: "pingpong" })],
  [[1000, 776, 1032], shape([64, 128], { consumers: 1, cluster: [2, 1], stores: "warp" })],
  [[4000, 4104, 4072], shape([256, 128], { cluster: [2, 1] })],
  [[100, 100, 8192], shape([64, 128], { consumers: 1, splits: 8, stores: "warp", promotion: "none" })],
];

const few = (columns: number, rest: Partial<Shape>): Shape => shape([64, columns], { consumers: 1, stores: "warp", ...rest });
const halves = { splits: 2, promotion: "none" } as const;
/** So few rows of a second tile of 64 that TMA takes longer for what lies beside A than for A. */
const beyond = (columns: number, rest: Partial<Shape>): Shape => shape([128, columns], rest);
/**
 * Weights of layers, with up to that many rows: 15 to 40 plans each were timed in turns on an H200, with a cold L2 cache, in bf16 with A and B along K, for
 * 1, 16, 32, 64, 72, 80, 96, 104, 112, 120 and 128 rows.
 */
const layers: readonly (readonly [most: readonly [m: number, n: number, k: number], of: Shape])[] = [
  [[64, 4096, 4096], few(64, halves)],
  [[64, 11008, 4096], few(96, { promotion: "256B" })],
  [[64, 4096, 11008], few(64, halves)],
  [[64, 14336, 4096], few(112, { promotion: "256B" })],
  [[64, 4096, 14336], few(64, halves)],
  [[16, 128256, 4096], few(128, halves)],
  [[64, 128256, 4096], few(256, { promotion: "256B" })],
  [[96, 4096, 4096], beyond(32, { stores: "warp", promotion: "256B" })],
  [[104, 4096, 11008], beyond(64, halves)],
  [[104, 4096, 14336], beyond(64, halves)],
  [[128, 4096, 4096], few(64, {})],
  [[128, 11008, 4096], shape([128, 96], { stores: "warp", promotion: "256B" })],
  [[128, 4096, 11008], few(64, {})],
  [[128, 14336, 4096], shape([128, 128], { stores: "warp", promotion: "256B" })],
  [[128, 4096, 14336], few(64, {})],
  [[128, 128256, 4096], shape([128, 256], { stores: "warp", promotion: "256B" })],
];

/** The plan for just this size, in every layout and type; bench/results has what it gives in NN and in bf16. */
export const measured = ({ m, n, k }: { readonly m: number; readonly n: number; readonly k: number }): Shape | undefined =>
  (table.find(([size]) => size[0] === m && size[1] === n && size[2] === k) ??
    layers.find(([most]) => m <= most[0] && (m > 64 || most[0] <= 64) && most[1] === n && most[2] === k))?.[1];

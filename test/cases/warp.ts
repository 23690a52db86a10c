// Votes of a warp.
import { kernel, type Tensor, threadIdx, warp } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";

const n = 128;

/** Every lane gets the votes of its own warp, and only of its own. */
const ballot = kernel(
  { block: n, grid: 1 },
  function ballot(x: Tensor<"i32", 1>, votes: Tensor<"u32", 1>, lanes: Tensor<"i32", 2>) {
    const t = threadIdx.x;
    votes[t] = warp.ballot(x[t]! > 0);
    lanes.at(0, t).store(warp.lane);
    lanes.at(1, t).store(warp.index);
  },
);

/** The warp's number is there wherever a thread asks for it: in a branch, after others have ended. */
const indexAnywhere = kernel({ block: n, grid: 1 }, function indexAnywhere(x: Tensor<"i32", 1>, seen: Tensor<"i32", 2>) {
  const t = threadIdx.x;
  if (x[t]! > 2) seen.at(0, t).store(warp.index);
  if (x[t]! < -2) return;
  seen.at(1, t).store(warp.index);
});

export const warpCases: readonly Case[] = [
  defineCase("warp/ballot", ballot, () => {
    const x = integers(n, -5, 5, 7);
    const votes = x.map((_, t) => {
      const first = t - (t % 32);
      return x.slice(first, first + 32).reduce((bits, v, lane) => (v > 0 ? (bits | (1 << lane)) >>> 0 : bits), 0);
    });
    const lanes = [...x.map((_, t) => t % 32), ...x.map((_, t) => Math.floor(t / 32))];
    return { args: [input("i32", [n], x), output("u32", [n], votes), output("i32", [2, n], lanes)] };
  }),
  defineCase("warp/indexAnywhere", indexAnywhere, () => {
    const x = integers(n, -5, 5, 7);
    const none = Array.from({ length: 2 * n }, () => -1);
    const index = (t: number): number => Math.floor(t / 32);
    const seen = [...x.map((v, t) => (v > 2 ? index(t) : -1)), ...x.map((v, t) => (v < -2 ? -1 : index(t)))];
    return { args: [input("i32", [n], x), output("i32", [2, n], seen, { initial: none })] };
  }),
];

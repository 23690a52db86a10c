import { blockIdx, gridDependency, kernel, type Tensor, threadIdx } from "warpsmith";
import { type Case, defineCase, output } from "./case.ts";

const blocks = 64;
const threads = 128;
const elements = blocks * threads;

/** Each thread takes the sum of an element and one that another block has written in the launch before. */
const shifted = kernel({ block: threads, grid: blocks }, function shifted(from: Tensor<"i32", 1>, to: Tensor<"i32", 1>) {
  const i = blockIdx.x * threads + threadIdx.x;
  gridDependency.launchDependents();
  gridDependency.wait();
  to[i] = (from[(i + 129) % elements]! + from[i]!) & 0xffff;
});

const step = (x: readonly number[]): number[] => x.map((e, i) => ((x[(i + 129) % elements] ?? 0) + e) & 0xffff);

export const launchCases: readonly Case[] = [
  defineCase("launch/overlapped", shifted, () => {
    const steps = [Array.from({ length: elements }, (_, i) => (i * 37) % 1009)];
    for (let k = 0; k < 9; k++) steps.push(step(steps[k] ?? []));
    const [odd, even] = [
      output("i32", [elements], steps[9] ?? []),
      output("i32", [elements], steps[8] ?? [], { initial: steps[0] ?? [] }),
    ];
    const then = [1, 2, 3, 4, 5, 6, 7, 8].map((k) => ({
      config: { overlapPrevious: true },
      args: k % 2 === 0 ? [even, odd] : [odd, even],
    }));
    return { args: [even, odd], then };
  }),
];

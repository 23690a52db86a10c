/** Launches that overlap the one before them (programmatic dependent launch). Each kernel runs more than once: the last launch has the bug. */
import { gridDependency, kernel, type Static, sharedMemory, syncThreads, type Tensor, type TMA, threadIdx } from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { type Hazard, type KernelHazard, kernelHazard } from "./hazard.ts";
import { count, oneBarrier } from "./parts.ts";

const file = import.meta.filename;
const threads = 128;

const readsTooEarly = kernel(
  { block: threads, grid: 1 },
  function readsTooEarly(from: Tensor<"i32", 1>, to: Tensor<"i32", 1>, broken: Static<boolean>) {
    if (!broken) gridDependency.wait();
    const value = from.at(threadIdx.x).load(); // reported: W9225
    gridDependency.wait();
    to[threadIdx.x] = value + 1; // the other side
  },
);

const overwritesTooEarly = kernel(
  { block: threads, grid: 1 },
  function overwritesTooEarly(from: Tensor<"i32", 1>, to: Tensor<"i32", 1>, broken: Static<boolean>) {
    const value = from.at(threadIdx.x).load(); // the other side
    if (!broken) gridDependency.wait();
    to[threadIdx.x] = value + 1; // reported: W9225
    gridDependency.wait();
  },
);

/** One thread waits for all; the others do not wait for it. */
const oneWaitsForAll = kernel(
  { block: threads, grid: 1 },
  function oneWaitsForAll(from: Tensor<"i32", 1>, to: Tensor<"i32", 1>, broken: Static<boolean>) {
    if (threadIdx.x === 0) gridDependency.wait();
    if (!broken) syncThreads();
    const value = from.at(threadIdx.x).load(); // reported: W9225
    to[threadIdx.x] = value + 1; // the other side
  },
);

const copiesTooEarly = kernel(
  { block: threads, grid: 1 },
  function copiesTooEarly(from: TMA<"i32", 2>, to: Tensor<"i32", 2>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, threads], { align: 128 });
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      if (!broken) gridDependency.wait();
      bar.arrive({ tx: row.bytes });
      from.load(row, bar, [0, 0]); // reported: W9225
    }
    bar.wait(false);
    gridDependency.wait();
    to.at(0, threadIdx.x).store(row.at(0, threadIdx.x).load() + 1); // the other side
  },
);

/** The launch between lets the last one begin before it has waited for the first: all three may be at work. */
const threeAtWork = kernel(
  { block: threads, grid: 1 },
  function threeAtWork(
    early: Tensor<"i32", 1>,
    from: Tensor<"i32", 1>,
    to: Tensor<"i32", 1>,
    last: Static<boolean>,
    broken: Static<boolean>,
  ) {
    if (!broken && !last) gridDependency.wait();
    gridDependency.launchDependents();
    const value = early.at(threadIdx.x).load(); // reported: W9225
    gridDependency.wait();
    to[threadIdx.x] = value + from.at(threadIdx.x).load(); // the other side
  },
);

type Launches = Required<Pick<KernelHazard, "behind">> & { readonly args: readonly unknown[] };

const config = { overlapPrevious: true };
const row = count(threads);
const plus = (by: number) => row.map((i) => i + by);
const first = input("i32", [threads], row);

/** The second launch takes what the first has made. */
const inTurn = (): Launches => {
  const [between, end] = [output("i32", [threads], plus(1)), output("i32", [threads], plus(2))];
  return { args: [first, between], behind: [{ config, args: [between, end] }] };
};
const backwards = (): Launches => {
  const source = output("i32", [threads], plus(8), { initial: row });
  return {
    args: [source, output("i32", [threads], plus(1))],
    behind: [{ config, args: [input("i32", [threads], plus(7)), source] }],
  };
};
const copied = (): Launches => {
  const shape = [1, threads];
  const options = { box: [1, threads] };
  const [between, end] = [output("i32", shape, plus(1)), output("i32", shape, plus(2))];
  const start = mapOf(input("i32", shape, row), options);
  return { args: [start, between], behind: [{ config, args: [mapOf(between, options), end] }] };
};
const three = (): Launches => {
  const sums = [2, 3, 5].map((by) =>
    output(
      "i32",
      [threads],
      row.map((i) => by * i),
    ),
  );
  const [a, b, c] = sums;
  return {
    args: [first, first, a, false],
    behind: [
      { config, args: [first, a, b, false] },
      { config, args: [a, b, c, true] },
    ],
  };
};

const of = (name: string, kernel: KernelHazard["kernel"], setup: () => Launches): Hazard => {
  const all = setup();
  return kernelHazard({ name: `overlap/${name}`, classes: [64], file, kernel, args: () => all.args, behind: all.behind });
};

export const overlapHazards: readonly Hazard[] = [
  of("reads-too-early", readsTooEarly, inTurn),
  of("overwrites-too-early", overwritesTooEarly, backwards),
  of("one-waits-for-all", oneWaitsForAll, inTurn),
  of("copies-too-early", copiesTooEarly, copied),
  of("three-at-work", threeAtWork, three),
];

import { type Gpu, type GpuName, gpus, type PlainRate, type TensorRate } from "./gpus.ts";
import type { Roofline, Work } from "./types.ts";

const tensorRates: Readonly<Record<string, TensorRate>> = {
  f16: "f16",
  bf16: "f16",
  tf32: "tf32",
  e4m3: "f8",
  e5m2: "f8",
  i8: "i8",
  u8: "i8",
  f64: "f64",
};
const plainRates: Readonly<Record<string, PlainRate>> = { f16: "f16", bf16: "f16", f32: "f32", f64: "f64" };

const micro = 1e6;
const tera = 1e12;
const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((all, n) => all + n, 0);

/** Microseconds of so many operations at the rates of their types. */
function timeOf<R extends string>(
  counts: Readonly<Record<string, number>>,
  rateOf: Readonly<Record<string, R>>,
  rates: Readonly<Record<R, number>>,
): number {
  return Object.entries(counts).reduce((us, [type, n]) => {
    const rate = rateOf[type];
    return rate === undefined ? us : us + (n / rates[rate]) * micro;
  }, 0);
}

/** The rate of what a kernel mostly does, for the place where its roof bends. */
function peakOf({ tensorOperations, operations }: Work, gpu: Gpu): number {
  const [kind] = Object.entries(tensorOperations).sort(([, a], [, b]) => b - a)[0] ?? [];
  const [plain] = Object.entries(operations).sort(([, a], [, b]) => b - a)[0] ?? [];
  const tensorRate = kind === undefined ? undefined : tensorRates[kind];
  const plainRate = plain === undefined ? undefined : plainRates[plain];
  return tensorRate ? gpu.tensor[tensorRate] : gpu.plain[plainRate ?? "f32"];
}

/** Where a launch stands under the roof of a GPU. */
export function rooflineOf(work: Work, blocks: number, name: GpuName, us?: number): Roofline {
  const gpu = gpus[name];
  const times = {
    memory: (work.leastBytes / gpu.memory) * micro,
    "tensor cores": timeOf(work.tensorOperations, tensorRates, gpu.tensor),
    arithmetic: timeOf(work.operations, plainRates, gpu.plain),
  };
  const leastUs = Math.max(...Object.values(times));
  const boundBy = (Object.keys(times) as (keyof typeof times)[]).find((kind) => times[kind] === leastUs) ?? "memory";
  const perSecond = (amount: number, time: number): number => amount / (time / micro) / tera;
  const { measured } = gpu;
  return {
    gpu: name,
    source: gpu.source,
    memoryUs: times.memory,
    tensorUs: times["tensor cores"],
    arithmeticUs: times.arithmetic,
    leastUs,
    boundBy,
    ridge: peakOf(work, gpu) / gpu.memory,
    multiprocessors: { used: Math.min(blocks, gpu.multiprocessors), all: gpu.multiprocessors },
    ...(us === undefined
      ? {}
      : {
          measured: {
            us,
            tensorTflops: perSecond(sum(work.tensorOperations), us),
            tflops: perSecond(sum(work.operations), us),
            terabytes: perSecond(work.leastBytes, us),
            share: leastUs / us,
          },
        }),
    ...(measured && {
      reached: { terabytes: measured.memory / tera, tflops: measured.f16 / tera, source: measured.source },
    }),
  };
}

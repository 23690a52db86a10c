// Kernels whose time is compared with and without `watch`, on a GPU.
import { type Device, type LaunchConfig, type Timing, TMA } from "warpsmith";
import { attentionKernel, kernelOf, layerNorm, matmulKernel, softmax } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { gemmWarpSpecialized } from "../../examples/ch5/kernel.ts";
import * as persistent from "../../examples/gemm/05-persistent.ts";
import * as pair from "../../examples/gemm/11-cluster.ts";
import * as leftFirst from "../../examples/gemm/14-left-first.ts";

/** Times it, as often as the configuration says. */
type Bench = (config: LaunchConfig & { readonly repeat: number }) => Promise<Timing>;

export interface Cost {
  readonly name: string;
  /** Its tensors live as long as the device. */
  make(gpu: Device): Bench;
}

const size = 4096;
const half = (gpu: Device, rows: number, columns: number, seed: number) =>
  gpu.tensor("f16", [rows, columns], randn(rows * columns, seed));

interface StepModule<A extends readonly unknown[]> {
  readonly gemm: { bench(config: LaunchConfig & { readonly repeat: number }, ...args: A): Promise<Timing> };
  args(...given: Parameters<typeof leftFirst.args>): A;
}

const step = <A extends readonly unknown[]>(name: string, { gemm, args }: StepModule<A>): Cost => ({
  name: `gemm/${name}, ${size}³`,
  make(gpu) {
    const given = args(half(gpu, size, size, 1), half(gpu, size, size, 2), gpu.empty("f16", [size, size]), gpu.multiprocessors);
    return (config) => gemm.bench(config, ...given);
  },
});

const product = (n: number): Cost => ({
  name: `matmul, ${n}³`,
  make(gpu) {
    const { kernel, args } = matmulKernel(half(gpu, n, n, 1), half(gpu, n, n, 2));
    return (config) => kernel.bench(config, ...args);
  },
});

export const costs: readonly Cost[] = [
  {
    name: `ch5, ${size}³`,
    make(gpu) {
      const [a, b] = [half(gpu, size, size, 1), half(gpu, size, size, 2)];
      const maps = [new TMA(a, { box: [128, 64], swizzle: "128B" }), new TMA(b, { box: [64, 64], swizzle: "128B" })] as const;
      const d = gpu.empty("f32", [size, size]);
      return (config) => gemmWarpSpecialized.bench(config, ...maps, d, 7);
    },
  },
  step("05-persistent", persistent),
  step("11-cluster", pair),
  step("14-left-first", leftFirst),
  product(4096),
  product(512),
  {
    name: "attention, 2 x 16 x 4096 x 128",
    make(gpu) {
      const heads = (seed: number) => gpu.tensor("f16", [2, 16, 4096, 128], randn(2 * 16 * 4096 * 128, seed));
      const { kernel, args, grid } = attentionKernel(heads(1), heads(2), heads(3));
      return (config) => kernel.bench({ ...config, grid }, ...args);
    },
  },
  {
    name: "softmax, 4096 x 8192",
    make(gpu) {
      const { kernel, args } = kernelOf(softmax, half(gpu, 4096, 8192, 1));
      return (config) => kernel.bench(config, ...args);
    },
  },
  {
    name: "layerNorm, 4096 x 8192",
    make(gpu) {
      const weight = gpu.tensor("f32", [8192], randn(8192, 2));
      const { kernel, args } = kernelOf(layerNorm, half(gpu, 4096, 8192, 1), weight);
      return (config) => kernel.bench(config, ...args);
    },
  },
];

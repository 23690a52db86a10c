import { type Compiled, type DeviceTensor, type LaunchConfig, type Timing, tensorSpec } from "warpsmith";
import type { Matrix } from "./matrix.ts";
import * as specialized from "./01-specialized.ts";
import * as wideTile from "./02-wide-tile.ts";
import * as registers from "./03-registers.ts";
import * as order from "./04-order.ts";
import * as persistent from "./05-persistent.ts";
import * as arrivals from "./06-arrivals.ts";
import * as scaleD from "./07-scale-d.ts";
import * as waitDepth from "./08-wait-depth.ts";
import * as tmaStore from "./09-tma-store.ts";
import * as overlappedStore from "./10-overlapped-store.ts";
import * as clusters from "./11-cluster.ts";
import * as pingPong from "./12-ping-pong.ts";
import * as splitTail from "./13-split-tail.ts";
import * as leftFirst from "./14-left-first.ts";

type HalfTensor = DeviceTensor<"f16", 2>;

/** A step's kernel for one size. */
export interface Product {
  /** D = A @ Bᵀ. a: [M, K], b: [N, K], d: [M, N]. The same matrices again cost no more than the launch. */
  launch(a: HalfTensor, b: HalfTensor, d: HalfTensor, config?: LaunchConfig): void;
  /** Times it, on a GPU, with nothing of the matrices in the L2 cache. */
  bench(a: HalfTensor, b: HalfTensor, d: HalfTensor): Promise<Timing>;
  /** Needs no GPU. */
  compile(): Compiled;
}

/** A kernel that differs by one idea from the step before, or from the one that it is made `from`. */
export interface Step {
  /** "05-persistent", as its file. */
  readonly name: string;
  readonly from?: string;
  /** In one sentence. */
  readonly idea: string;
  /** For matrices of this size, which must fit the tiles; `multiprocessors`: how many blocks stay, where blocks do. */
  make(M: number, N: number, K: number, multiprocessors: number): Product;
}

/** What a step's file exports: a kernel, and what it takes. */
interface StepModule<Args extends readonly unknown[]> {
  readonly gemm: {
    launch(config: LaunchConfig, ...args: Args): void;
    bench(config: LaunchConfig, ...args: Args): Promise<Timing>;
    compile(...args: Args): Compiled;
  };
  args(a: Matrix, b: Matrix, d: Matrix, multiprocessors: number): Args;
}

/** Of what M, N and K are multiples. */
type Multiples = readonly [m: number, n: number, k: number];

function step<Args extends readonly unknown[]>(
  name: string, multiples: Multiples, { gemm, args }: StepModule<Args>, idea: string, from?: string,
): Step {
  return { name, idea, ...(from === undefined ? {} : { from }), make: (M, N, K, multiprocessors) => {
    const wrong = [M, N, K].findIndex((size, i) => size % (multiples[i] ?? 1) !== 0);
    if (wrong >= 0) throw new Error(`${name} takes ${"MNK"[wrong]} in multiples of ${multiples[wrong]}, not ${[M, N, K][wrong]}`);
    let latest: { readonly of: readonly HalfTensor[]; readonly args: Args } | undefined;
    const argsFor = (...of: [HalfTensor, HalfTensor, HalfTensor]): Args => {
      if (!latest || of.some((matrix, i) => matrix !== latest?.of[i])) latest = { of, args: args(...of, multiprocessors) };
      return latest.args;
    };
    return {
      launch: (a, b, d, config = {}) => gemm.launch(config, ...argsFor(a, b, d)),
      bench: (a, b, d) => gemm.bench({}, ...argsFor(a, b, d)),
      compile: () => {
        const [a, b, d] = [tensorSpec("f16", [M, K]), tensorSpec("f16", [N, K]), tensorSpec("f16", [M, N])];
        return gemm.compile(...args(a, b, d, multiprocessors));
      },
    };
  } };
}

const small = [128, 128, 64] as const, wide = [128, 256, 64] as const, any = [1, 8, 64] as const;

/** From chapter 5's kernel to the fastest shapes. */
export const ladder: readonly Step[] = [
  step("01-specialized", small, specialized, "Chapter 5's shape: one warpgroup loads, one multiplies, a tile of 128 x 128 for each block."),
  step("02-wide-tile", wide, wideTile, "A tile of 128 x 256, shared by two consumers: three loaded bytes where there were four."),
  step("03-registers", wide, registers, "The producer gives the registers that it does not need to the consumers."),
  step("04-order", wide, order, "Blocks that run together compute neighbouring tiles, and share what the L2 cache holds."),
  step("05-persistent", wide, persistent, "Blocks stay, and load their next tile while they store the last."),
  step("06-arrivals", wide, arrivals, "One thread of each warp hands a stage back in place of all."),
  step("07-scale-d", wide, scaleD, "The first product of a tile overwrites the accumulators in place of adding to zeros."),
  step("08-wait-depth", wide, waitDepth, "Each consumer waits for its product at once: the other's is running."),
  step("09-tma-store", wide, tmaStore, "D goes through shared memory (stmatrix) and leaves in whole lines, by TMA."),
  step("10-overlapped-store", wide, overlappedStore, "Two buffers for D: stores run on beneath the next panel and the next tile."),
  step("11-cluster", wide, clusters, "Two blocks load half of B's tile each and multicast it to both."),
  step("12-ping-pong", any, pingPong, "Each consumer has a tile of its own: one multiplies while the other stores."),
  step("13-split-tail", any, splitTail, "From step 11: tiles of 256 x 192, halved in a last round that would leave blocks idle.", "11-cluster"),
  step("14-left-first", wide, leftFirst, "From step 10: left columns are stored while the right ones are multiplied.", "10-overlapped-store"),
];

// What the function given to `map` and `zip` may do: choose, load, store, call, count in variables that are older than its call.
import { f16, f32, i32, kernel, range, sharedMemory, syncThreads, type Tensor, threadIdx, tile, WGMMAMatrix } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { count, integers } from "./numbers.ts";

const [M, N] = [64, 32];
/** A matrix of the tile's shape, row-major, from its places. */
const matrix = (f: (r: number, c: number) => number): number[] => count(M * N).map((i) => f(Math.floor(i / N), i % N));
const x = integers(M * N, -20, 21, 9);
const at = (r: number, c: number): number => x[r * N + c] ?? 0;
/** The number of an element among those of its thread. PTX ISA 9.7.15.5.2.3. */
const register = (r: number, c: number): number => (c >> 3) * 4 + ((r >> 3) & 1) * 2 + (c & 1);

/** Branches, loads of both memories, a store, a loop. */
const reads = kernel(
  { block: 128, grid: 1 },
  function reads(x: Tensor<"f32", 2>, bias: Tensor<"f32", 1>, y: Tensor<"f32", 2>, z: Tensor<"i32", 2>, limit: f32) {
    const table = sharedMemory.alloc("f32", [64]);
    if (threadIdx.x < 64) table[threadIdx.x] = f32(threadIdx.x) * 2;
    syncThreads();
    const D = WGMMAMatrix.load(x).map((v, row, col) => {
      let sum = v + bias[col]!;
      if (v > limit) {
        sum = v > 3 * limit ? -1 : sum * 2;
        z[row]![col] = row - col;
      } else for (const i of range(row % 3)) sum += f32(i) + table[row]!;
      return sum;
    });
    D.store(y);
  },
);

const readsCase: Case = defineCase("wgmma/map-reads", reads, () => {
  const bias = integers(N, -4, 5, 2);
  const limit = 4;
  const summed = (r: number, c: number): number => {
    const v = at(r, c);
    const sum = v + (bias[c] ?? 0);
    if (v > limit) return v > 3 * limit ? -1 : sum * 2;
    return count(r % 3).reduce((total, i) => total + i + 2 * r, sum);
  };
  return {
    args: [
      input("f32", [M, N], x),
      input("f32", [N], bias),
      output("f32", [M, N], matrix(summed)),
      output(
        "i32",
        [M, N],
        matrix((r, c) => (at(r, c) > limit ? r - c : 7)),
        { initial: matrix(() => 7) },
      ),
      limit,
    ],
  };
});

/** Each call sees what the one before has left: a number, a value of the GPU, an array, the greatest so far. */
const counts = kernel(
  { block: 128, grid: 1 },
  function counts(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>, z: Tensor<"i32", 2>, greatest: Tensor<"f32", 1>) {
    const X = WGMMAMatrix.load(x);
    let calls = 0;
    const numbered = X.map((v) => {
      calls += 1;
      return v * calls;
    });
    let most = f32(-100);
    const seen = { sum: i32(0), last: [i32(0), i32(0)] };
    const running = numbered.zip(X, (v, own, row) => {
      most = Math.max(most, own);
      seen.sum += i32(own);
      seen.last = [seen.last[1]!, row];
      return v + f32(seen.last[0]!);
    });
    running.store(y);
    X.map((v) => i32(v) * 0 + seen.sum + calls).store(z);
    greatest[threadIdx.x] = most;
  },
);

const countsCase: Case = defineCase("wgmma/map-counts", counts, () => {
  /** The places of the thread that holds one, in the order of its registers. */
  const owned = (r: number, c: number): readonly (readonly [number, number])[] => {
    const [row, col] = [r & ~8, c & 7 & ~1];
    return count(N / 2).map((i) => [row + ((i >> 1) & 1) * 8, col + (i >> 2) * 8 + (i & 1)] as const);
  };
  const sum = (r: number, c: number): number => owned(r, c).reduce((total, [i, j]) => total + at(i, j), 0);
  const rowBefore = (r: number, c: number): number => owned(r, c)[register(r, c) - 1]?.[0] ?? 0;
  const ofThread = (t: number): readonly [number, number] => [(t >> 5) * 16 + ((t & 31) >> 2), (t & 3) * 2];
  return {
    args: [
      input("f32", [M, N], x),
      output(
        "f32",
        [M, N],
        matrix((r, c) => at(r, c) * (register(r, c) + 1) + rowBefore(r, c)),
      ),
      output(
        "i32",
        [M, N],
        matrix((r, c) => sum(r, c) + N / 2),
      ),
      output(
        "f32",
        [128],
        count(128).map((t) => Math.max(...owned(...ofThread(t)).map(([i, j]) => at(i, j)))),
      ),
    ],
  };
});

/** Types that the function gives, and tiles beside. */
const types = kernel(
  { block: 128, grid: 1 },
  function types(x: Tensor<"f32", 2>, y: Tensor<"f16", 2>, z: Tensor<"i32", 2>, w: Tensor<"u8", 2>) {
    const X = WGMMAMatrix.load(x);
    X.map((v, row) => f16(v + f32(row))).store(y);
    const rows = tile.sum(X, 1);
    X.zip(tile.expand(rows, 1), (v, sum, row, col) => i32(v) + i32(sum) * (row > col ? 1 : 0)).store(z);
    X.map((v) => (v > 0 ? 3 : 0))
      .convert("u8")
      .store(w);
  },
);

const typesCase: Case = defineCase("wgmma/map-types", types, () => {
  const row = (r: number): number => count(N).reduce((total, c) => total + at(r, c), 0);
  return {
    args: [
      input("f32", [M, N], x),
      output(
        "f16",
        [M, N],
        matrix((r, c) => at(r, c) + r),
      ),
      output(
        "i32",
        [M, N],
        matrix((r, c) => at(r, c) + (r > c ? row(r) : 0)),
      ),
      output(
        "u8",
        [M, N],
        matrix((r, c) => (at(r, c) > 0 ? 3 : 0)),
      ),
    ],
  };
});

export const wgmmaMapCases: readonly Case[] = [readsCase, countsCase, typesCase];

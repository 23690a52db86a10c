import type { Compiled, Device, Tensor, u32 } from "warpsmith";
import {
  fence,
  i32,
  i64,
  kernel,
  Mbarriers,
  sharedMemory,
  syncThreads,
  TMA,
  tensorSpec,
  threadIdx,
  u8,
  WGMMAMatrix,
} from "warpsmith";
import type { Case } from "./case.ts";

/** Bytes of a row: rows and columns are i32s, elements of the whole are not. */
const width = 2 ** 20;
const one = { block: 1, grid: 1 } as const;

type Flat = Tensor<"u8", 1>;
type Matrix = Tensor<"u8", 2>;
interface Element {
  value: number;
}
/** Ways to one element, by its number among all and by its row and column. */
type Way = (flat: Flat, matrix: Matrix, at: i64, row: i32, col: i32) => Element;

const ways: Readonly<Record<string, Way>> = {
  number(flat, _matrix, at) {
    "use kernel";
    return flat.at(at);
  },
  "row and column"(_flat, matrix, _at, row, col) {
    "use kernel";
    return matrix.at(row, col);
  },
  "chain of a transpose"(_flat, matrix, _at, row, col) {
    "use kernel";
    return matrix.transpose(1, 0).at(col).at(row);
  },
  "part of a part"(_flat, matrix, _at, row, col) {
    "use kernel";
    return matrix.subview([row, 0], [1, width]).subview([0, col], [1, 1]).at(0, 0);
  },
  "part before it"(flat, _matrix, at) {
    "use kernel";
    return flat.subview([at - 7n], [16]).at(7);
  },
  "element of a part that begins late"(flat, _matrix, at, _row, col) {
    "use kernel";
    return flat.subview([at - i64(col)], [width]).at(col);
  },
};

const touching = (way: Way, dynamic: boolean) =>
  kernel(
    { ...one, ...(dynamic ? { dynamic: { matrix: [0, 1] } } : {}) },
    function touch(flat: Flat, matrix: Matrix, seen: Tensor<"i32", 1>, at: i64, row: i32, col: i32, value: i32) {
      const element = way(flat, matrix, at, row, col);
      seen[0] = i32(element.value);
      element.value = u8(value);
    },
  );

/** The number of an element that an u32 holds, and an i32 does not. */
const unsigned = kernel(one, function unsigned(flat: Flat, seen: Tensor<"i32", 1>, at: u32, value: i32) {
  seen[0] = i32(flat.at(at).value);
  flat[at] = u8(value);
});

const literal = (at: number) =>
  kernel(one, function literal(flat: Flat, seen: Tensor<"i32", 1>, value: i32) {
    seen[0] = i32(flat.at(at).value);
    flat[at] = u8(value);
  });

/** A tile goes to rows from `at` on: what lies outside of the tensor is not written. */
const tile = kernel({ block: 128, grid: 1 }, function tile(x: Tensor<"f16", 2>, at: i64) {
  const T = WGMMAMatrix.load(x.subview([0, 0], [64, 16]));
  T.store(x.subview([at, 0], [64, 16]));
});

const box = kernel({ block: 128, grid: 1 }, function box(map: TMA<"u8", 2>, seen: Tensor<"i32", 1>, row: i64, col: i32) {
  const bytes = sharedMemory.alloc("u8", [1, 128], { align: 128 });
  const bar = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    bar.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  if (threadIdx.x === 0) {
    bar.arrive({ tx: bytes.bytes });
    map.load(bytes, bar, [col, row], { outside: true }); // innermost first
  }
  bar.wait(false);
  seen[threadIdx.x] = i32(bytes.at(0, threadIdx.x).value);
});

function expectSame(what: string, got: ArrayLike<number | bigint>, wanted: readonly number[]): void {
  const text = Array.from(got, Number).join(" ");
  if (text !== wanted.join(" ")) throw new Error(`${what}: ${text} instead of ${wanted.join(" ")}`);
}

/** Elements of u8 in so many rows, each of them reached in every way, one after the other, at places around 2^31 and 2^32 and at both ends. */
async function runElements(gpu: Device, rows: number): Promise<void> {
  const count = rows * width;
  using matrix = gpu.empty("u8", [rows, width]);
  using seen = gpu.zeros("i32", [1]);
  const flat = matrix.reshape(count);
  const edges = [2 ** 31, 2 ** 32].filter((n) => n < count).flatMap((n) => [n - 1, n, n + 1]);
  for (const at of [7, 1.5 * 2 ** 30, ...edges, count - 9]) {
    const around = flat.slice([at - 2, at + 3]);
    around.fill(9);
    const [row, col] = [Math.floor(at / width), at % width];
    let last = 9;
    const step = async (what: string, run: (next: number) => void): Promise<void> => {
      run(last + 1);
      expectSame(`${what}, element ${at}`, await seen.read(), [last]);
      last++;
      expectSame(`${what}, around element ${at}`, await around.read(), [9, 9, last, 9, 9]);
    };
    // A part without its end in the tensor is a mistake that `debug` reports.
    for (const [what, way] of Object.entries(ways))
      for (const dynamic of [false, true])
        if (!what.includes("begins late") || row < rows - 1)
          await step(what, (next) =>
            touching(way, dynamic).launch({ device: gpu }, flat, matrix, seen, BigInt(at), row, col, next),
          );
    await step("a literal", (next) => literal(at).launch({ device: gpu }, flat, seen, next));
    if (at < 2 ** 32) await step("an u32", (next) => unsigned.launch({ device: gpu }, flat, seen, at, next));
  }
}

/** Tiles at the beginning, across the end and far outside of a tensor of f16 in so many rows of 16. */
async function runTiles(gpu: Device, rows: number): Promise<void> {
  using x = gpu.empty("f16", [rows, 16]);
  const part = (from: number, to: number) => x.slice([from, to]);
  const numbers = Array.from({ length: 64 * 16 }, (_, i) => i % 512);
  part(0, 64).write(numbers);
  part(128, 192).fill(3);
  part(rows - 64, rows).fill(3);
  for (const at of [rows - 32, 2 ** 32 + 128, -(2 ** 32) + 128, 2 ** 31 + 2 ** 40]) tile.launch({ device: gpu }, x, BigInt(at));
  expectSame("rows that no tile reached", await part(128, 192).read(), new Array(64 * 16).fill(3));
  expectSame("rows before the tile", await part(rows - 64, rows - 32).read(), new Array(32 * 16).fill(3));
  expectSame("rows of the tile inside", await part(rows - 32, rows).read(), numbers.slice(0, 32 * 16));
}

/** Boxes of so many rows of u8, of which some bytes are not 0. */
async function runBoxes(gpu: Device, rows: number): Promise<void> {
  using matrix = gpu.empty("u8", [rows, width]);
  using seen = gpu.zeros("i32", [128]);
  const map = new TMA(matrix, { box: [1, 128] });
  const bytes = Array.from({ length: 128 }, (_, i) => i + 1);
  for (const row of [0, 2047, 2048, rows - 1]) {
    matrix.slice([row, row + 1], [width - 128, width]).write(bytes);
    box.launch({ device: gpu }, map, seen, BigInt(row), width - 128);
    expectSame(`the box of row ${row}`, await seen.read(), bytes);
  }
  box.launch({ device: gpu }, map, seen, 2n ** 32n, width - 128);
  expectSame("the box of a row far outside", await seen.read(), new Array(128).fill(0));
}

/** Cases over tensors of so many GiB. */
export function largeCases(gib: number): readonly Case[] {
  const rows = gib * 2 ** 10;
  const [u8s, i32s] = [tensorSpec("u8", [rows, width]), tensorSpec("i32", [1])];
  const flat = tensorSpec("u8", [rows * width]);
  const halves = tensorSpec("f16", [rows * (width / 32), 16]);
  const called = (what: string, compile: () => Compiled, run: (gpu: Device) => Promise<void>): Case => ({
    name: `large/${what} of ${gib} GiB`,
    compile,
    run,
  });
  const way = Object.values(ways).at(0) as Way;
  return [
    called(
      "elements",
      () => touching(way, false).compile(flat, u8s, i32s, 0n, 0, 0, 0),
      (gpu) => runElements(gpu, rows),
    ),
    called(
      "tiles",
      () => tile.compile(halves, 0n),
      (gpu) => runTiles(gpu, rows * (width / 32)),
    ),
    called(
      "boxes",
      () => box.compile(new TMA(u8s, { box: [1, 128] }), tensorSpec("i32", [128]), 0n, 0),
      (gpu) => runBoxes(gpu, rows),
    ),
  ];
}

import { beforeAll, describe, expect, it } from "vitest";
import { f32, type i32, kernel, range, sharedMemory, type Tensor, tensorSpec, threadIdx, WGMMAMatrix } from "warpsmith";
import { walkKernel, walks } from "../../../cases/kept-by-loops.ts";

const half = (cols: number) => tensorSpec("f16", [64, cols]);

function ptxOf(name: string, step: number): string {
  const walk = walks[name];
  if (!walk) throw new Error(`no walk ${name}`);
  return walkKernel(walk).compile(half(16), half(72), half(72), 1, 3, step).ptx;
}

/** How the tile is stored: matrices at once, pairs of elements, or one by one. */
function storesOf(ptx: string): string {
  if (/stmatrix/.test(ptx)) return "matrices";
  return /st\.shared\.(b|u)32/.test(ptx) ? "pairs" : "elements";
}

const instructions = (ptx: string): string[] =>
  ptx.split("\n").filter((line) => !/\.(loc|file) /.test(line) && !/^\s*\/\//.test(line));

describe("a view that is only read in a loop", () => {
  let frozen: string;
  beforeAll(() => {
    frozen = ptxOf("read-frozen", 0);
  });

  it.each(["field", "instance", "element"])("in a plain %s is as in a frozen object", (holder) => {
    expect(storesOf(frozen)).toBe("matrices");
    expect(instructions(ptxOf(`read-${holder}`, 0))).toEqual(instructions(frozen));
  });

  it("may be in an object in an object, and two loops further in", () => {
    expect(storesOf(ptxOf("read-nested", 0))).toBe("matrices");
  });
});

describe("a place that every iteration moves on", () => {
  const names = Object.keys(walks).filter((name) => !name.startsWith("read-"));

  it.each(names)("%s: what divides it and the step is known", (name) => {
    expect([16, 8, 2, 1].map((step) => storesOf(ptxOf(name, step)))).toEqual(["matrices", "matrices", "pairs", "elements"]);
  });
});

/** One place keeps to its multiples, the other does not. */
const twoPlaces = kernel({ block: 128, grid: 1 }, function twoPlaces(x: Tensor<"f16", 2>, first: i32) {
  const room = sharedMemory.alloc("f16", [64, 128]);
  const tile = WGMMAMatrix.load(room.subview([0, 0], [64, 16]));
  const even = { at: first * 16 };
  const odd = { at: first * 16 };
  for (const t of range(3)) {
    const own = sharedMemory.alloc("f16", [64, 16]);
    tile.store(own);
    tile.store(room.subview([0, even.at], [64, 16]));
    tile.store(room.subview([0, odd.at], [64, 16]));
    if (threadIdx.x === 0) console.log("iteration", t);
    even.at += 16;
    odd.at += 1;
  }
  x[0]![0] = room.at(0, 0).load();
});

it("only what strays loses its matrices, and the loop logs and allocates once", () => {
  const graph = twoPlaces.trace(half(16), 1).toString();
  expect(graph.match(/^ {2}log \[/gm)).toHaveLength(1);
  expect(graph.match(/^ {2}shared \d/gm)).toHaveLength(2);
  const { ptx } = twoPlaces.compile(half(16), 1);
  expect(ptx.match(/stmatrix/g)).toHaveLength(2);
});

/** A tile of computed elements is carried as an accumulator: it is packed before the loop, whoever asks for it first inside. */
const fieldOfElements = kernel({ block: 128, grid: 1 }, function fieldOfElements(d: Tensor<"f32", 2>, n: i32) {
  const o = { tile: WGMMAMatrix.accumulator("f32", [64, 16]).map((_, row) => f32(row)) };
  for (const t of range(n)) o.tile = o.tile.map((v) => v + f32(t));
  o.tile.store(d);
});

it("what a field held before a loop is taken apart before it", () => {
  expect(() => fieldOfElements.compile(tensorSpec("f32", [64, 16]), 4)).not.toThrow();
});

/** Products of a warp from the op graph to what the emulator computes, against plain JavaScript: all that an op has to say must reach the PTX. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type DType, openDevice } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";
import {
  inputRegisters,
  sumRegisters,
  type WmmaInput,
  type WmmaShape,
  type WmmaSum,
  wmmaExists,
  wmmaInputs,
  wmmaShapes,
  wmmaSums,
} from "../../../src/ir/fragment-type.ts";
import { parseGraph } from "../../../src/ir/parse.ts";
import { verify } from "../../../src/ir/verify.ts";
import { lowerGraph } from "../../../src/lower/index.ts";
import { printPtx } from "../../../src/ptx/index.ts";

type Line = "row" | "col";
interface Product {
  readonly shape: WmmaShape;
  readonly input: WmmaInput;
  readonly sum: WmmaSum;
  readonly a: Line;
  readonly b: Line;
  readonly d: Line;
}

const gpu = await openDevice("emulator");
const folder = mkdtempSync(join(tmpdir(), "wmma-"));
afterAll(async () => {
  await gpu.dispose();
  rmSync(folder, { recursive: true });
});

const extentsOf = (shape: WmmaShape): [number, number, number] => {
  const [, m, n, k] = /^m(\d+)n(\d+)k(\d+)$/.exec(shape) ?? [];
  return [Number(m), Number(n), Number(k)];
};
/** Elements from one line to the next: 16 more than a line has. */
const strideOf = (line: Line, rows: number, cols: number): number => (line === "row" ? cols : rows) + 16;
const place = (line: Line, stride: number, row: number, col: number): number =>
  line === "row" ? row * stride + col : col * stride + row;

function graphOf({ shape, input, sum, a, b, d }: Product): string {
  const [m, n, k] = extentsOf(shape);
  let next = 6;
  const load = (fragment: "a" | "b" | "c", from: number, layout: Line, type: string) => {
    const types = fragment === "c" ? sumRegisters(shape, sum) : inputRegisters(fragment, shape, input);
    const names = types.map(() => `%${next++}`).join(", ");
    const attrs = `{fragment = "${fragment}", layout = "${layout}", shape = "${shape}", type = "${type}", offset = 0}`;
    return { names, line: `  ${names} = wmma.load %${from}, %${from + 3} ${attrs} : ${types.join(", ")}` };
  };
  const [A, B, C] = [load("a", 0, a, input), load("b", 1, b, input), load("c", 2, d, sum)];
  const types = sumRegisters(shape, sum);
  const D = types.map(() => `%${next++}`).join(", ");
  const attrs = `{shape = "${shape}", aLayout = "${a}", bLayout = "${b}", input = "${input}", sum = "${sum}", saturate = false}`;
  return `kernel @product(tensor "a" %0: ptr.global, tensor "b" %1: ptr.global, tensor "d" %2: ptr.global) block(32, 1, 1) cluster(1, 1, 1) {
  %3 = const {value = ${strideOf(a, m, k)}} : i32
  %4 = const {value = ${strideOf(b, k, n)}} : i32
  %5 = const {value = ${strideOf(d, m, n)}} : i32
${[A, B, C].map(({ line }) => line).join("\n")}
  ${D} = wmma.mma a=[${A.names}], b=[${B.names}], c=[${C.names}] ${attrs} : ${types.join(", ")}
  wmma.store %2, %5, values=[${D}] {layout = "${d}", shape = "${shape}", type = "${sum}", offset = 0}
  yield values=[]
}`;
}

/** Small whole numbers, exact in every type. */
const filled = (line: Line, rows: number, cols: number, seed: number, least: number): number[] =>
  Array.from({ length: strideOf(line, rows, cols) * (line === "row" ? rows : cols) }, (_, i) => ((i * 7 + seed) % 5) + least);

async function check(product: Product): Promise<void> {
  const { shape, input, sum, a, b, d } = product;
  const [m, n, k] = extentsOf(shape);
  const least = input === "u8" ? 0 : -2;
  const [A, B, C] = [filled(a, m, k, 1, least), filled(b, k, n, 3, least), filled(d, m, n, 2, -2)];
  const expected = [...C];
  for (let row = 0; row < m; row += 1)
    for (let col = 0; col < n; col += 1)
      for (let x = 0; x < k; x += 1) {
        const at = place(d, strideOf(d, m, n), row, col);
        const [left, right] = [A[place(a, strideOf(a, m, k), row, x)], B[place(b, strideOf(b, k, n), x, col)]];
        expected[at] = (expected[at] ?? 0) + (left ?? 0) * (right ?? 0);
      }
  const tensor = (dtype: DType, data: readonly number[]) => gpu.tensor(dtype, [data.length], data as never);
  const dtype = input === "tf32" ? "f32" : input;
  const [inA, inB, out] = [tensor(dtype, A), tensor(dtype, B), tensor(sum, C)];
  const graph = parseGraph(graphOf(product));
  verify(graph);
  const file = join(folder, "product.ptx");
  writeFileSync(file, printPtx(lowerGraph(graph)));
  const { entries } = loadPtx({ file });
  entries[0]?.launch({ grid: 1, block: 32, device: gpu }, inA, inB, out);
  expect(Array.from((await out.read()) as ArrayLike<number>)).toEqual(expected.map((v) => (Object.is(v, -0) ? 0 : v)));
}

const all = wmmaInputs.flatMap((input) =>
  wmmaShapes.flatMap((shape) => wmmaSums.flatMap((sum) => (wmmaExists(input, shape, sum) ? [{ input, shape, sum }] : []))),
);

describe("products of a warp", () => {
  for (const product of all)
    it(`${product.input} in ${product.sum}, ${product.shape}`, async () => {
      for (const [a, b, d] of [
        ["row", "col", "row"],
        ["col", "row", "col"],
        ["row", "row", "row"],
      ] as const)
        await check({ ...product, a, b, d });
    });
  it("of as many kinds as PTX has", () => expect(all.length).toBe(17));
});

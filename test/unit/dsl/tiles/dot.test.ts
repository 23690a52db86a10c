import { expect, it } from "vitest";
import {
  DotOperandLayout,
  f16,
  type i32,
  kernel,
  MMALayout,
  range,
  sharedMemory,
  syncThreads,
  type Tensor,
  tensorSpec,
  threadIdx,
  tile,
} from "warpsmith";

const parent = new MMALayout({ warps: [2, 2] });
const left = new DotOperandLayout({ parent, operand: "A", kWidth: 2 });
const right = new DotOperandLayout({ parent, operand: "B", kWidth: 2 });

it("layouts of products of warps are written as in the types of tiles, and say who holds what", () => {
  expect([parent, left, right].map(String)).toEqual(["mma 2x2", "mma A 2 of 2x2", "mma B 2 of 2x2"]);
  const print = (layout: typeof left): string => layout.print([32, 16]).split("\n")[1] ?? "";
  expect(print(left)).toMatch(/^ *d0 0 \| T0:0\|T32:0 +T0:1\|T32:1 +T1:0/);
  expect(print(right)).toMatch(/^ *d0 0 \| T0:0\|T64:0 +T4:0\|T68:0/);
});

const multiply = kernel({ block: 128, grid: 1 }, function multiply(a: Tensor<"f16", 2>, d: Tensor<"f32", 2>) {
  const view = sharedMemory.alloc("f16", [32, 32], { swizzle: "64B" });
  view.store(a.loadTile([0, 0], [32, 32]));
  syncThreads();
  d.storeTile([0, 0], tile.dot(view.load(left), view.transpose().load(right), tile.full([32, 32], 0, parent)));
});

it("takes its operands by ldmatrix, transposed where they lie side by side across K, and makes no word twice", () => {
  const { ptx } = multiply.compile(tensorSpec("f16", [32, 32]), tensorSpec("f32", [32, 32]));
  const count = (text: RegExp): number => ptx.match(text)?.length ?? 0;
  expect(count(/mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.f16\.f16\.f32/g)).toBe(4);
  expect(count(/ldmatrix\.sync\.aligned\.m8n8\.x4\.shared\.b16/g)).toBe(4);
  const between = ptx.slice(ptx.indexOf("ldmatrix"), ptx.lastIndexOf("mma.sync"));
  expect(between).not.toMatch(/prmt|mov\.b32 *\{|mov\.b32 \S+ \{|cvt/);
});

const apart = kernel({ block: 128, grid: 1 }, function apart(d: Tensor<"f16", 2>) {
  const view = sharedMemory.alloc("f16", [32, 32]);
  let t = tile.full([32, 32], f16(0), left);
  if (threadIdx.x < 16) t = view.load(left);
  d.storeTile([0, 0], t);
});

it("a load of a tile needs all of its threads", () => {
  expect(() => apart.compile(tensorSpec("f16", [32, 32]))).toThrow(/W2048.*a load of a tile/);
});

const bytes = kernel({ block: 128, grid: 1 }, function bytes(a: Tensor<"i8", 2>, b: Tensor<"i8", 2>, d: Tensor<"i32", 2>) {
  const A = a.loadTile([0, 0], [32, 32], new DotOperandLayout({ parent, operand: "A", kWidth: 4 }));
  const B = b.transpose().loadTile([0, 0], [32, 32], new DotOperandLayout({ parent, operand: "B", kWidth: 4 }));
  d.storeTile([0, 0], tile.dot(A, B, d.loadTile([0, 0], [32, 32], parent)));
});

it("loads bytes that lie side by side along K as words", () => {
  const { ptx } = bytes.compile(tensorSpec("i8", [32, 32]), tensorSpec("i8", [32, 32]), tensorSpec("i32", [32, 32]));
  expect(ptx.match(/ld\.global\.b32/g)).toHaveLength(8);
  expect(ptx).not.toMatch(/b8|u8\b(?!\.s8)|prmt/);
});

const ahead = kernel({ block: 128, grid: 1 }, function ahead(d: Tensor<"f16", 2>, rounds: i32) {
  const stages = sharedMemory.alloc("f16", [2, 128, 64], { swizzle: "128B" });
  let D = tile.full([128, 32], f16(0), parent);
  let A = stages.at(0).subview([0, 0], [128, 16]).load(left);
  const B = stages.at(0).subview([0, 0], [16, 32]).load(right);
  for (const i of range(rounds)) {
    for (const k of [16, 32, 48]) {
      const next = stages
        .at(i % 2)
        .subview([0, k], [128, 16])
        .load(left);
      D = tile.dot(A, B, D);
      A = next;
    }
  }
  d.storeTile([0, 0], D);
});
const loopOf = (): string => {
  const { ptx } = ahead.compile(tensorSpec("f16", [128, 32]), 4);
  return /\$for_0:[\s\S]*bra \$for_0/.exec(ptx)?.[0] ?? "";
};

it("carries operands, and sums in f16, through loops in the words that products take", () => {
  expect(loopOf().match(/mma\.sync/g)).toHaveLength(3 * 4 * 2);
  expect(loopOf()).not.toMatch(/b16 %|mov\.b32 *\{|\{%rs/);
});

it("reads what lies so far along the rows of a swizzled stage by one exclusive or for all rows", () => {
  expect(loopOf().match(/ldmatrix/g)).toHaveLength(3 * 4);
  // The swizzle of the stage, and one for each place along K.
  expect(loopOf().match(/xor\.b32/g)).toHaveLength(1 + 3);
});

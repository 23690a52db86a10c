import { expect, it } from "vitest";
import {
  type Accumulator,
  type i32,
  kernel,
  range,
  type SharedView,
  type Static,
  sharedMemory,
  type Tensor,
  tensorSpec,
  WGMMAMatrix,
} from "warpsmith";

type Half = SharedView<"f16", 2>;
type Take = (room: Half, wanted: boolean) => { readonly tile: Accumulator } | undefined;

const atTheEnd: Take = (room) => {
  "use kernel";
  return { tile: WGMMAMatrix.load(room) };
};

const early: Take = (room, wanted) => {
  "use kernel";
  if (!wanted) return undefined;
  return { tile: WGMMAMatrix.load(room) };
};

const fromIterations: Take = (room, wanted) => {
  "use kernel";
  for (const more of [false, wanted]) if (more) return { tile: WGMMAMatrix.load(room) };
  return undefined;
};

const copy = (take: Take) =>
  kernel({ block: 128, grid: 1 }, function copy(d: Tensor<"f16", 2>, n: i32, wanted: Static<boolean>) {
    const room = sharedMemory.alloc("f16", [64, 64]);
    for (const t of range(n)) if (t !== 3) take(room, wanted)?.tile.store(d);
  });

const instructions = (take: Take): string[] =>
  copy(take)
    .compile(tensorSpec("f16", [64, 64]), 4, true)
    .ptx.split("\n")
    .filter((line) => !/\.(loc|file) /.test(line));

it.each(Object.entries({ early, fromIterations }))(
  "%s: a return that is decided at trace time leaves a tile whole",
  (_, take) => {
    expect(instructions(take)).toEqual(instructions(atTheEnd));
  },
);

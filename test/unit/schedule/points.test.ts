/** At which points the loops around a block run it, where several loops permute its tiles together. */
import { expect, it } from "vitest";
import { pointsOf } from "../../../src/schedule/facts/points.ts";
import { add, binary, floorDiv, int, less, loop, mod, mul, variable } from "../../../src/schedule/ir/build.ts";
import type { Block, Expr, Program, Var } from "../../../src/schedule/ir/types.ts";
import { loopsOf } from "../../../src/schedule/ir/walk.ts";
import { swizzled } from "../../../src/schedule/primitives/swizzle-blocks.ts";

type Loops = Readonly<Record<"y" | "x" | "i" | "j", Var>>;
/** A block of rows x columns, in loops of 5 x 3 tiles of 4 x 2 elements. */
function points(place: (v: Loops) => readonly [Expr, Expr], [rows, columns] = [20, 6]) {
  const [y, x, i, j] = [variable("y"), variable("x"), variable("i"), variable("j")];
  const axis = (name: string, extent: number) => ({ variable: variable(name), extent: int(extent), type: "spatial" as const });
  const block: Block = {
    kind: "block",
    name: "b",
    axes: [axis("vi", rows), axis("vj", columns)],
    values: place({ y, x, i, j }),
    body: { kind: "seq", body: [] },
    annotations: {},
    span: undefined,
  };
  const body = loop(y, int(5), loop(x, int(3), loop(i, int(4), loop(j, int(2), block))));
  const program: Program = { name: "p", params: [], buffers: [], sizes: [], body, span: undefined };
  return pointsOf(program, block, loopsOf(program));
}
const inTile = (tile: { readonly y: Expr; readonly x: Expr }, { i, j }: Loops): readonly [Expr, Expr] => [
  add(mul(tile.y, int(4)), i),
  add(mul(tile.x, int(2)), j),
];
const number = ({ y, x }: Loops): Expr => add(mul(y, int(3)), x);

it.each([1, 2, 3, 4, 5, 6, 9])("blocks in the order of swizzleBlocks by %i take each tile once", (width) => {
  const found = points((v) => inTile(swizzled(number(v), 5, 3, width), v));
  expect(found).toEqual({ independent: true, covers: true, once: true });
});
it("a tile that is taken twice", () => {
  const found = points((v) => inTile({ y: binary("min", floorDiv(number(v), int(3)), int(3)), x: mod(number(v), int(3)) }, v));
  expect(found.once).toBe(false);
});
it("a choice that leaves a tile out and takes another twice", () => {
  const found = points((v) => {
    const n = number(v);
    const y: Expr = { kind: "select", dtype: "i32", condition: less(n, int(14)), yes: floorDiv(n, int(3)), no: int(0) };
    return inTile({ y, x: mod(n, int(3)) }, v);
  });
  expect(found.once).toBe(false);
});
it("more points than the tiles have", () => {
  const found = points((v) => inTile(swizzled(number(v), 5, 3, 2), v), [21, 6]);
  expect(found).toMatchObject({ covers: false, once: true });
});
it("tiles that overlap", () => {
  const found = points((v) => {
    const { y, x } = swizzled(number(v), 5, 3, 2);
    return [add(mul(y, int(3)), v.i), add(mul(x, int(2)), v.j)];
  });
  expect(found.once).toBe(false);
});

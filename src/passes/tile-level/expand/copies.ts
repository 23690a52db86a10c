import { add, constant } from "../../../ir/arith.ts";
import type { Op, Value } from "../../../ir/index.ts";
import { shapeOf } from "../../../layout/modes.ts";
import { elementBytes } from "../../../tensor-map.ts";
import { pointer, tensorAddress, viewPointer } from "./addresses.ts";
import { boxesOf, checkAlignment } from "./boxes.ts";
import { type Expand, type Expansion, refuse, sharedOf, tensorOf } from "./expansion.ts";

/** What a transfer of that view does, box by box: the place of each, and its coordinates, innermost first. */
function eachBox(
  x: Expansion,
  { attrs, operands: { coords } }: Op<"copy.load"> | Op<"copy.store"> | Op<"copy.reduce">,
  view: Value,
  run: (ptr: Value, coords: Value[]) => void,
): void {
  const side = sharedOf(x, view);
  const boxes = boxesOf(x, attrs, side);
  const base = viewPointer(x.w, side);
  for (const { offset, at } of boxes)
    run(
      pointer(x.w, base, offset),
      coords.map((c, i) => add(x.w, c, at.at(-1 - i) ?? 0)),
    );
}

const loads: Expand<"copy.load"> = (x, op) => {
  const { map, bar, offsets, multicast, pred, dst } = op.operands;
  const { cacheHint } = op.attrs;
  eachBox(x, op, dst, (ptr, coords) => {
    x.w.emit("tma.load", { dst: ptr, map, bar, coords, offsets, multicast, pred }, { cacheHint });
  });
};

const stores: Expand<"copy.store"> = (x, op) => {
  const { map, pred, src } = op.operands;
  const { cacheHint } = op.attrs;
  eachBox(x, op, src, (ptr, coords) => {
    x.w.emit("tma.store", { src: ptr, map, coords, pred }, { cacheHint });
  });
};

const reductions: Expand<"copy.reduce"> = (x, raw) => {
  const { map, pred, src } = raw.operands;
  const { op } = raw.attrs;
  eachBox(x, raw, src, (ptr, coords) => {
    x.w.emit("tma.reduce", { src: ptr, map, coords, pred }, { op });
  });
};

const bulk: Expand<"copy.bulk"> = (x, op) => {
  const { w } = x;
  const [to, from] = [sharedOf(x, op.operands.dst), tensorOf(x, op.operands.src)];
  if (!from.offset.staged && from.offset.fixed % 16 !== 0) refuse(x, "W3005", { bytes: 16, offset: from.offset.fixed });
  checkAlignment(x, to, 16, "");
  const { ptr, offset } = tensorAddress(w, from, from.offset);
  const bytes = shapeOf(to.type.layout).reduce((n, extent) => n * extent, elementBytes[to.type.dtype]);
  const operands = {
    dst: viewPointer(w, to),
    src: pointer(w, ptr, offset),
    bytes: constant(w, bytes, "i32"),
    bar: op.operands.bar,
  };
  w.emit("bulk.load", { ...operands, pred: undefined }, {});
};

/** Copies of views become copies of boxes. */
export const copyRules = {
  "copy.load": loads,
  "copy.store": stores,
  "copy.reduce": reductions,
  "copy.bulk": bulk,
} as const;

import { elementBytes } from "../../../base/element-types.ts";
import type { DType } from "../../../base/types.ts";
import { add, constant } from "../../../ir/arith.ts";
import type { Op, Value } from "../../../ir/index.ts";
import { memoryType } from "../../../ir/index.ts";
import { shapeOf } from "../../../layout/modes/index.ts";
import { pointer, tensorAddress, viewPointer } from "./addresses.ts";
import { boxesOf, checkAlignment } from "./boxes.ts";
import { checkInside, type Expand, type Expansion, giveResults, refuse, sharedOf, tensorOf } from "./expansion.ts";

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
  const { cacheHint, outside } = op.attrs;
  eachBox(x, op, dst, (ptr, coords) => {
    x.w.emit("tma.load", { dst: ptr, map, bar, coords, offsets, multicast, pred }, { cacheHint, outside });
  });
};

const stores: Expand<"copy.store"> = (x, op) => {
  const { map, pred, src } = op.operands;
  const { cacheHint, outside } = op.attrs;
  eachBox(x, op, src, (ptr, coords) => {
    x.w.emit("tma.store", { src: ptr, map, coords, pred }, { cacheHint, outside });
  });
};

const reductions: Expand<"copy.reduce"> = (x, raw) => {
  const { map, pred, src } = raw.operands;
  const { op, cacheHint, outside } = raw.attrs;
  eachBox(x, raw, src, (ptr, coords) => {
    x.w.emit("tma.reduce", { src: ptr, map, coords, pred }, { op, cacheHint, outside });
  });
};

/** An address in global memory that begins at a multiple of so many bytes, as far as it is static. W3005. */
function addressAt(x: Expansion, view: Value, bytes: number): Value {
  const part = tensorOf(x, view);
  if (!part.offset.staged && part.offset.fixed % bytes !== 0) refuse(x, "W3005", { bytes, offset: part.offset.fixed });
  const { ptr, offset } = tensorAddress(x.w, part, part.offset);
  return pointer(x.w, ptr, offset);
}

/** The address of a part of a tensor, which a bulk copy begins at a multiple of 16 bytes. W3005; W3011 where it is copied in any case. */
function bulkTensor(x: Expansion, view: Value, pred: Value | undefined): Value {
  const { dims } = tensorOf(x, view);
  if (!pred)
    checkInside(
      x,
      dims,
      dims.map((d) => d.extent),
    );
  return addressAt(x, view, 16);
}

/** The address of shared memory, which a bulk copy begins at a multiple of 16 bytes. W4507. */
function bulkShared(x: Expansion, view: Value): Value {
  const part = sharedOf(x, view);
  checkAlignment(x, part, 16, "");
  return viewPointer(x.w, part);
}

const sizeOf = (shape: readonly number[], dtype: DType): number => shape.reduce((n, extent) => n * extent, elementBytes[dtype]);

/** Bytes of a view of shared memory. */
function bulkBytes(x: Expansion, view: Value): Value {
  const { layout, dtype } = sharedOf(x, view).type;
  return constant(x.w, sizeOf(shapeOf(layout), dtype), "i32");
}

const bulkLoads: Expand<"copy.bulk"> = (x, op) => {
  const { dst, src, bar, multicast, pred } = op.operands;
  const [from, to] = [bulkTensor(x, src, pred), bulkShared(x, dst)];
  x.w.emit("bulk.load", { dst: to, src: from, bytes: bulkBytes(x, dst), bar, multicast, pred }, op.attrs);
};

const bulkPeers: Expand<"copy.bulk_peer"> = (x, op) => {
  const { dst, src, bar, pred } = op.operands;
  const [from, to] = [bulkShared(x, src), bulkShared(x, dst)];
  x.w.emit("bulk.peer", { dst: to, src: from, bytes: bulkBytes(x, src), bar, pred }, {});
};

const bulkStores: Expand<"copy.bulk_store"> = (x, op) => {
  const { dst, src, pred } = op.operands;
  const [to, from] = [bulkTensor(x, dst, pred), bulkShared(x, src)];
  x.w.emit("bulk.store", { dst: to, src: from, bytes: bulkBytes(x, src), pred }, op.attrs);
};

const bulkReductions: Expand<"copy.bulk_reduce"> = (x, raw) => {
  const { dst, src, pred } = raw.operands;
  const [to, from] = [bulkTensor(x, dst, pred), bulkShared(x, src)];
  const type = memoryType(sharedOf(x, src).type.dtype);
  x.w.emit("bulk.reduce", { dst: to, src: from, bytes: bulkBytes(x, src), pred }, { ...raw.attrs, type });
};

const bulkPrefetches: Expand<"copy.bulk_prefetch"> = (x, op) => {
  const { dims, dtype } = tensorOf(x, op.operands.src);
  const bytes = sizeOf(
    dims.map((d) => (typeof d.extent === "number" ? d.extent : 1)),
    dtype,
  );
  const src = bulkTensor(x, op.operands.src, op.operands.pred);
  x.w.emit("bulk.prefetch", { src, bytes: constant(x.w, bytes, "i32"), pred: op.operands.pred }, {});
};

const maps: Expand<"map.at"> = (x, op) => {
  const ptr = addressAt(x, op.operands.view, 128);
  giveResults(x, op, x.w.emit("tensormap.at", { ptr }, {}, { types: ["tensormap"] }).results);
};

const replacements: Expand<"map.replace"> = (x, op) => {
  const { address, ...rest } = op.operands;
  x.w.emit("tensormap.make", { ...rest, address: address && addressAt(x, address, 16) }, {});
};

/** Copies of views become copies of boxes. */
export const copyRules = {
  "map.at": maps,
  "map.replace": replacements,
  "copy.load": loads,
  "copy.store": stores,
  "copy.reduce": reductions,
  "copy.bulk": bulkLoads,
  "copy.bulk_peer": bulkPeers,
  "copy.bulk_store": bulkStores,
  "copy.bulk_reduce": bulkReductions,
  "copy.bulk_prefetch": bulkPrefetches,
} as const;

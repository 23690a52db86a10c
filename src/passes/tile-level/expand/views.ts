import { add, constant, mul, toInt } from "../../../ir/arith.ts";
import {
  isView,
  type Op,
  type SharedViewType,
  type TensorDim,
  type TensorViewType,
  type Type,
  typeName,
  type Value,
  type ViewType,
} from "../../../ir/index.ts";
import { extentOf, shapeOf } from "../../../layout/modes/index.ts";
import { movedDimension, pointer, sharedAddress, tensorAddress, tensorStep } from "./addresses.ts";
import { type Expand, type Expansion, giveResults, indexOf, partsOf, refuse, sharedOf, standFor, viewOf } from "./expansion.ts";
import { type IndexValue, indexOffset, noOffset, plus } from "./offset.ts";
import type { SharedParts, TensorDimension, TensorParts } from "./parts.ts";

/** The type of the view that an op gives. */
function viewType(op: Op): ViewType {
  const type: Type | undefined = op.results[0]?.type;
  if (!type || !isView(type)) throw new TypeError(`${op.name} gives no view`);
  return type;
}
const sharedType = (op: Op): SharedViewType => {
  const type = viewType(op);
  if (type.space === "global") throw new TypeError(`${op.name} gives ${typeName(type)}`);
  return type;
};
const tensorType = (op: Op): TensorViewType => {
  const type = viewType(op);
  if (type.space !== "global") throw new TypeError(`${op.name} gives ${typeName(type)}`);
  return type;
};

/** The author's words for a view of shared memory. */
function described(x: Expansion, value: Value, { dtype, layout }: SharedViewType): string {
  const type = `SharedView<${dtype}> [${shapeOf(layout).join(", ")}]`;
  let op = x.w.definition(value);
  let name = value.name;
  for (let from = value; name === undefined && op && "view" in op.operands; op = x.w.definition(from)) {
    from = op.operands.view as Value;
    name = from.name;
  }
  if (name === undefined) return `a ${type}`;
  return value.name === undefined ? `a part of \`${name}\` (${type})` : `\`${name}\` (${type})`;
}

const tensor: Expand<"view.tensor"> = (x, raw) => {
  const op = raw as Op as Op<"view.tensor">;
  const type = tensorType(raw as Op);
  const [extents, strides] = [[...op.operands.extents], [...op.operands.strides]];
  const dims = type.dims.map((dim): TensorDimension => {
    const extent = dim.extent ?? extents.shift() ?? 1;
    return { extent, stride: dim.stride ?? strides.shift() ?? 0, begin: noOffset, limit: extent };
  });
  const { dtype, align, wide } = type;
  const parts: TensorParts = {
    kind: "global",
    dtype,
    base: op.operands.ptr,
    dims,
    offset: noOffset,
    offsetType: wide ? "i64" : "i32",
    align,
  };
  standFor(x, op, parts);
};

const shared: Expand<"view.shared"> = (x, op) =>
  standFor(x, op, {
    kind: "shared",
    type: sharedType(op as Op),
    base: op.operands.ptr,
    offset: { fixed: op.attrs.offset, staged: undefined },
  });

const peer: Expand<"view.peer"> = (x, op) => {
  const parts = sharedOf(x, op.operands.view);
  const base = x.w.once("mapa", { ptr: parts.base, rank: op.operands.rank }, {});
  standFor(x, op, { ...parts, base, type: sharedType(op as Op) });
};

const at: Expand<"view.at"> = (x, op) => {
  const parts = viewOf(x, op.operands.view);
  const indices = op.operands.indices.map((i) => indexOf(x, i));
  let { offset } = parts;
  if (parts.kind === "shared") {
    const { layout } = parts.type;
    indices.forEach((i, d) => {
      offset = plus(x.w, offset, indexOffset(x.w, layout[d] ?? [], i, "i32"));
    });
    standFor(x, op, { ...parts, type: sharedType(op as Op), offset });
    return;
  }
  indices.forEach((i, d) => {
    offset = plus(x.w, offset, tensorStep(x.w, parts, d, i));
  });
  standFor(x, op, { ...parts, dims: parts.dims.slice(indices.length), offset });
};

/** A staged offset into panels moves whole panels, or the part stays within one. W3012. */
function checkCut(x: Expansion, view: Value, parts: SharedParts, d: number, start: Value, count: number): void {
  const dimension = parts.type.layout[d] ?? [];
  const panel = dimension.at(-1)?.extent ?? 1;
  const panels = extentOf(dimension.slice(1));
  const isMultipleOf = (n: number): boolean => x.facts.divisor(start, n) === n;
  const regular = dimension.length === 1 || count === 1 || isMultipleOf(panels) || (panel % count === 0 && isMultipleOf(count));
  if (!regular) refuse(x, "W3012", { dimension: d, panel, what: described(x, view, parts.type) });
}

function cutShared(x: Expansion, op: Op<"view.subview">, parts: SharedParts, starts: readonly IndexValue[]): SharedParts {
  const type = sharedType(op as Op);
  const shape = shapeOf(type.layout);
  let { offset } = parts;
  starts.forEach((start, d) => {
    if (typeof start !== "number") checkCut(x, op.operands.view, parts, d, start, shape[d] ?? 1);
    offset = plus(x.w, offset, indexOffset(x.w, parts.type.layout[d] ?? [], start, "i32"));
  });
  return { ...parts, type, offset };
}

const subview: Expand<"view.subview"> = (x, op) => {
  const parts = viewOf(x, op.operands.view);
  const starts = op.operands.offsets.map((o) => indexOf(x, o));
  if (parts.kind === "shared") {
    standFor(x, op, cutShared(x, op, parts, starts));
    return;
  }
  const type = tensorType(op as Op);
  let { offset } = parts;
  const dims = parts.dims.map((dim, d): TensorDimension => {
    const start = starts[d] ?? 0;
    offset = plus(x.w, offset, tensorStep(x.w, parts, d, start));
    return { ...movedDimension(x.w, dim, start), extent: type.dims[d]?.extent ?? 1 };
  });
  standFor(x, op, { ...parts, dims, offset });
};

const transpose: Expand<"view.transpose"> = (x, op) => {
  const parts = viewOf(x, op.operands.view);
  if (parts.kind === "shared") standFor(x, op, { ...parts, type: sharedType(op as Op) });
  else standFor(x, op, { ...parts, dims: op.attrs.permutation.flatMap((d) => parts.dims[d] ?? []) });
};

const whole = ({ extent, stride, limit }: TensorDim): TensorDimension => ({
  extent: extent ?? 1,
  stride: stride ?? 0,
  begin: noOffset,
  limit: limit ?? extent ?? 1,
});

const reshape: Expand<"view.reshape"> = (x, op) => {
  const parts = viewOf(x, op.operands.view);
  if (parts.kind === "shared") standFor(x, op, { ...parts, type: sharedType(op as Op) });
  else standFor(x, op, { ...parts, dims: tensorType(op as Op).dims.map(whole) });
};

const undef: Expand<"view.undef"> = (x, op) => standFor(x, op, { kind: "nothing" });

const offset: Expand<"view.offset"> = (x, op) => {
  const parts = partsOf(x, op.operands.view);
  if (parts.kind !== "shared" && parts.kind !== "global") throw new TypeError("no view");
  const { fixed, staged } = parts.offset;
  const type = parts.kind === "global" ? parts.offsetType : "i32";
  const zero = constant(x.w, type === "i64" ? BigInt(fixed) : fixed, type);
  giveResults(x, op, [staged ? add(x.w, staged, fixed) : zero]);
};

const address: Expand<"view.address"> = (x, op) => {
  const parts = viewOf(x, op.operands.view);
  const { ptr, offset: by } =
    parts.kind === "global" ? tensorAddress(x.w, parts, parts.offset) : sharedAddress(x.w, parts, parts.offset);
  giveResults(x, op, [pointer(x.w, ptr, by)]);
};

const barrierBytes = 8;

const barrier: Expand<"mbarrier.at"> = (x, op) => {
  const { base, index } = op.operands;
  const i = indexOf(x, index);
  const by = typeof i === "number" ? i * barrierBytes : mul(x.w, toInt(x.w, i, "i32"), barrierBytes);
  giveResults(x, op, [pointer(x.w, base, by)]);
};

/** Views: what stands for each is where it begins and how far its first element is from there. */
export const viewRules = {
  "view.tensor": tensor,
  "view.shared": shared,
  "view.peer": peer,
  "view.at": at,
  "view.subview": subview,
  "view.transpose": transpose,
  "view.reshape": reshape,
  "view.undef": undef,
  "view.offset": offset,
  "view.address": address,
  "mbarrier.at": barrier,
} as const;

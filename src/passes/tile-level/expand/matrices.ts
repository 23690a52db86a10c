import { elementBytes } from "../../../base/element-types.ts";
import { constant, toInt } from "../../../ir/arith.ts";
import {
  type FragmentType,
  fragmentExtents,
  fragmentRegisters,
  isFragment,
  isWmmaInput,
  isWmmaSum,
  type Op,
  type Value,
} from "../../../ir/index.ts";
import { type Address, sharedAddress, tensorAddress } from "./addresses.ts";
import { applied } from "./combination.ts";
import { checkInside, type Expand, type Expansion, fragmentOf, refuse, standFor, viewOf } from "./expansion.ts";
import { convertMatrix } from "./matrix-conversions.ts";
import { alignmentAt } from "./operands.ts";
import type { FragmentParts, SharedParts, TensorParts } from "./parts.ts";

/** The matrix that an op gives. */
function fragmentType(op: { readonly name: string; readonly results: readonly Value[] }): FragmentType {
  const type = op.results[0]?.type;
  if (!type || !isFragment(type)) throw new TypeError(`${op.name} gives no matrix of a warp`);
  return type;
}

function registersOf({ use, shape, dtype }: FragmentType) {
  const registers = fragmentRegisters(use, shape, dtype);
  if (!registers) throw new TypeError(`there is no ${use} of ${dtype} of shape ${shape}`);
  return registers;
}

/** Bytes that divide where a matrix begins: those of a thread's registers. PTX ISA 9.7.14.4.2 "Address Alignment". */
const alignOf = (type: FragmentType): number => registersOf(type).reduce((n, r) => n + (r === "f64" ? 8 : 4), 0);

const nameOf = ({ use }: FragmentType): string => (use === "c" ? "this matrix" : use.toUpperCase());

/** How a matrix lies in memory, as the instructions are told. */
interface Placed extends Address {
  readonly layout: "row" | "col";
  readonly stride: Value;
}

/** Bytes that divide the distance of rows, or columns: those of a unit that the hardware reads. See docs/decisions/0019. */
const distanceAlignOf = (type: FragmentType): number => Math.min(16, alignOf(type));

/** Refuses rows whose distance, in elements, is known to be a wrong one. W6303. */
function checkDistance(x: Expansion, type: FragmentType, layout: "row" | "col", stride: number): void {
  const [align, bytes] = [distanceAlignOf(type), stride * elementBytes[type.dtype]];
  const lines = layout === "row" ? "rows" : "columns";
  const [rows, cols] = fragmentExtents(type);
  const least = layout === "row" ? cols : rows;
  if (stride < least) refuse(x, "W6303", { what: nameOf(type), why: `its ${lines} overlap` });
  if (bytes % align !== 0)
    refuse(x, "W6303", { what: nameOf(type), why: `its ${lines} are ${bytes} bytes apart, and not a multiple of ${align}` });
}

/** Refuses a beginning that is known to be a wrong one. W6303. */
function checkBegin(x: Expansion, type: FragmentType, at: number, align = alignOf(type)): void {
  if (at % alignOf(type) !== 0 || align < alignOf(type))
    refuse(x, "W6303", {
      what: nameOf(type),
      why: `it begins at a multiple of ${Math.min(align, at === 0 ? align : at & -at)} bytes, and not of ${alignOf(type)}`,
    });
}

function inShared(x: Expansion, type: FragmentType, view: SharedParts): Placed {
  const { layout: dims, dtype, swizzle } = view.type;
  if (swizzle !== "none") refuse(x, "W6303", { what: nameOf(type), why: `its memory is swizzled, "${swizzle}"` });
  const strides = dims.map((d) => (d.length === 1 ? (d[0]?.stride ?? 0) / elementBytes[dtype] : undefined));
  const layout = strides[1] === 1 ? "row" : strides[0] === 1 ? "col" : undefined;
  const stride = layout === "row" ? strides[0] : strides[1];
  if (!layout || stride === undefined)
    return refuse(x, "W6303", { what: nameOf(type), why: "neither its rows nor its columns lie in one piece each" });
  checkDistance(x, type, layout, stride);
  const { fixed, staged } = view.offset;
  if (!staged) checkBegin(x, type, fixed, alignmentAt(view.type, 0));
  else if (view.type.align < alignOf(type)) checkBegin(x, type, 0, view.type.align);
  return { ...sharedAddress(x.w, view, view.offset), layout, stride: constant(x.w, stride, "i32") };
}

/**
 * Refuses a matrix that surely begins at a wrong place, because its tensor does and it is whole steps away from where that begins. An offset
 * that only the GPU knows, and that may make up for it, is trusted. W6303.
 */
function checkTensorBegin(x: Expansion, type: FragmentType, value: Value, { align }: TensorParts): void {
  const needed = alignOf(type);
  const offset = x.facts.view(value)[1];
  if (align >= needed || !offset || offset.divisor % needed !== 0) return;
  refuse(x, "W6303", {
    what: nameOf(type),
    why: `the tensor begins at a multiple of ${align} bytes, and the matrix has to at one of ${needed}`,
  });
}

function inTensor(x: Expansion, type: FragmentType, value: Value, view: TensorParts): Placed {
  const [rows, cols] = view.dims;
  const layout = cols?.stride === 1 ? "row" : rows?.stride === 1 ? "col" : undefined;
  const stride = layout === "row" ? rows?.stride : cols?.stride;
  if (!layout || stride === undefined)
    return refuse(x, "W6303", { what: nameOf(type), why: "neither its rows nor its columns are known to lie in one piece each" });
  checkInside(x, view.dims, fragmentExtents(type));
  checkTensorBegin(x, type, value, view);
  if (typeof stride === "number") {
    checkDistance(x, type, layout, stride);
    if (!view.offset.staged) checkBegin(x, type, view.offset.fixed);
  }
  return {
    ...tensorAddress(x.w, view, view.offset),
    layout,
    stride: typeof stride === "number" ? constant(x.w, stride, "i32") : toInt(x.w, stride, "i32"),
  };
}

function placed(x: Expansion, type: FragmentType, value: Value): Placed {
  const view = viewOf(x, value);
  return view.kind === "global" ? inTensor(x, type, value, view) : inShared(x, type, view);
}

type Stored = Op<"wmma.store">["attrs"]["type"];
type Input = Op<"wmma.mma">["attrs"]["input"];
type Sum = Op<"wmma.mma">["attrs"]["sum"];

const loads: Expand<"fragment.load"> = (x, op) => {
  const type = fragmentType(op);
  const { ptr, stride, offset, layout } = placed(x, type, op.operands.view);
  const attrs = { fragment: type.use, layout, shape: type.shape, type: type.dtype as Input | Stored, offset };
  const { results } = x.w.emit("wmma.load", { ptr, stride }, attrs, { types: [...registersOf(type)] });
  standFor(x, op, { kind: "fragment", type, registers: results });
};

const stores: Expand<"fragment.store"> = (x, op) => {
  const { type, registers } = fragmentOf(x, op.operands.fragment);
  const { ptr, stride, offset, layout } = placed(x, type, op.operands.view);
  x.w.emit("wmma.store", { ptr, stride, values: registers }, { layout, shape: type.shape, type: type.dtype as Stored, offset });
};

/** The elements that this thread holds. */
function elementsOf(x: Expansion, { type, registers }: FragmentParts): readonly Value[] {
  if (type.dtype !== "f16") return registers;
  return registers.flatMap((pair) => x.w.emit("pair.unpack", { pair }, {}, { types: ["f16", "f16"] }).results);
}

/** The matrix of which this thread holds these elements. */
function fromElements(x: Expansion, type: FragmentType, elements: readonly Value[]): FragmentParts {
  if (type.dtype !== "f16") return { kind: "fragment", type, registers: elements };
  const pair = (i: number): Value =>
    x.w.once("pair.pack", { low: elements[2 * i] as Value, high: elements[2 * i + 1] as Value }, { type: "f16" });
  return { kind: "fragment", type, registers: Array.from({ length: elements.length / 2 }, (_, i) => pair(i)) };
}

const fills: Expand<"fragment.fill"> = (x, op) => {
  const type = fragmentType(op);
  const count = registersOf(type).length * (type.dtype === "f16" ? 2 : 1);
  standFor(
    x,
    op,
    fromElements(
      x,
      type,
      Array.from({ length: count }, () => op.operands.value),
    ),
  );
};

const maps: Expand<"fragment.map"> = (x, op) => {
  const type = fragmentType(op);
  const lists = op.operands.fragments.map((f) => elementsOf(x, fragmentOf(x, f)));
  const { to } = applied(x, op);
  const made = (lists[0] ?? []).map((_, i) => to(lists.map((list) => list[i] as Value))[0] as Value);
  standFor(x, op, fromElements(x, type, made));
};

const products: Expand<"fragment.mma"> = (x, op) => {
  const [a, b, c] = [op.operands.a, op.operands.b, op.operands.c].map((f) => fragmentOf(x, f)) as [
    FragmentParts,
    FragmentParts,
    FragmentParts,
  ];
  const { shape, dtype } = c.type;
  if (!isWmmaInput(a.type.dtype) || !isWmmaSum(dtype)) throw new TypeError("the tracer refuses other types");
  const layouts = { aLayout: a.type.major ?? "row", bLayout: b.type.major ?? "row" } as const;
  const attrs = { shape, ...layouts, input: a.type.dtype, sum: dtype satisfies Sum, saturate: false };
  const operands = { a: a.registers, b: b.registers, c: c.registers };
  const { results } = x.w.emit("wmma.mma", operands, attrs, { types: [...registersOf(c.type)] });
  standFor(x, op, { kind: "fragment", type: c.type, registers: results });
};

const conversions: Expand<"fragment.convert"> = (x, op) => {
  const { type: from, registers: values } = fragmentOf(x, op.operands.fragment);
  const to = fragmentType(op);
  const stride = constant(x.w, fragmentExtents(to)[1], "i32");
  const registers = convertMatrix(x, from, to, {
    stores: (ptr) => {
      const attrs = { layout: "row", shape: from.shape, type: from.dtype as Stored, offset: 0 } as const;
      x.w.emit("wmma.store", { ptr, stride, values }, attrs);
    },
    loads: (ptr, offset) => {
      const attrs = { fragment: "c", layout: "row", shape: to.shape, type: to.dtype as Stored, offset } as const;
      return x.w.emit("wmma.load", { ptr, stride }, attrs, { types: [...registersOf(to)] }).results;
    },
  });
  standFor(x, op, { kind: "fragment", type: to, registers });
};

/** Matrices of a warp: what stands for each is the registers of its fragment. */
export const matrixRules = {
  "fragment.load": loads,
  "fragment.fill": fills,
  "fragment.map": maps,
  "fragment.convert": conversions,
  "fragment.mma": products,
  "fragment.store": stores,
} as const;

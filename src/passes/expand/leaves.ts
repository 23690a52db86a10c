import { add, constant, type IntType } from "../../ir/arith.ts";
import type { ScalarType, Value } from "../../ir/index.ts";
import { isProblem } from "../../layout/wgmma-walk.ts";
import type { IndexValue, Offset } from "./offset.ts";
import type { Parts, Role, SharedOperand, TensorDimension, TensorParts, TileParts } from "./parts.ts";
import { accumulatorOf, elementsOf, isAccumulatorType } from "./tiles.ts";
import type { Writer } from "./writer.ts";

/** A part of what stands for a value of the tile level: a value of the machine level, or a literal of that type. */
export type Leaf = Value | { readonly literal: number; readonly type: ScalarType };

export const isLiteral = (leaf: Leaf): leaf is Exclude<Leaf, Value> => "literal" in leaf;
export const sameLeaf = (a: Leaf, b: Leaf): boolean =>
  isLiteral(a) || isLiteral(b) ? isLiteral(a) && isLiteral(b) && a.literal === b.literal : a.id === b.id;

/** The leaf as a value. */
export const asValue = (w: Writer, leaf: Leaf): Value =>
  isLiteral(leaf) ? constant(w, leaf.type === "i64" ? BigInt(leaf.literal) : leaf.literal, leaf.type) : leaf;

function ofOffset(w: Writer, { fixed, staged }: Offset, type: IntType): Leaf {
  return staged ? add(w, staged, fixed) : { literal: fixed, type };
}
const toOffset = (leaf: Leaf | undefined): Offset =>
  leaf && isLiteral(leaf) ? { fixed: leaf.literal, staged: undefined } : { fixed: 0, staged: leaf };

const ofIndex = (i: IndexValue): Leaf => (typeof i === "number" ? { literal: i, type: "i32" } : i);
const toIndex = (leaf: Leaf | undefined): IndexValue => (leaf && !isLiteral(leaf) ? leaf : (leaf?.literal ?? 0));

const ofDimension = (w: Writer, { extent, stride, begin, limit }: TensorDimension): readonly Leaf[] => [
  ofOffset(w, begin, "i32"),
  ofIndex(extent),
  ofIndex(stride),
  ofIndex(limit),
];

function toDimension([begin, extent, stride, limit]: readonly Leaf[]): TensorDimension {
  return { begin: toOffset(begin), extent: toIndex(extent), stride: toIndex(stride), limit: toIndex(limit) };
}

/** Computed elements of a type that wgmma adds are handed on as an accumulator, so that a product's result can join them. */
function ofTile(w: Writer, tile: TileParts): readonly Leaf[] {
  return isAccumulatorType(tile.type.dtype) ? [accumulatorOf(w, tile)] : elementsOf(w, tile);
}

const isRole = (role: SharedOperand["roles"]["A"]): role is Role => !isProblem(role as never);

/** What stands for a value of the tile level, leaf by leaf. */
export function leavesOf(w: Writer, parts: Parts): readonly Leaf[] {
  switch (parts.kind) {
    case "shared":
      return [parts.base, ofOffset(w, parts.offset, "i32")];
    case "global":
      return [parts.base, ofOffset(w, parts.offset, parts.offsetType), ...parts.dims.flatMap((d) => ofDimension(w, d))];
    case "tile":
      return ofTile(w, parts);
    case "operand": {
      const { A, B } = parts.roles;
      return [ofOffset(w, parts.advance, "i32"), ...(isRole(A) ? [A.desc] : []), ...(isRole(B) ? [B.desc] : [])];
    }
    case "registers":
      return parts.registers;
    case "nothing":
      return [];
  }
}

/** The same value made of other leaves. */
export function withLeaves(parts: Parts, leaves: readonly Leaf[]): Parts {
  const values = leaves as readonly Value[];
  switch (parts.kind) {
    case "shared":
      return { ...parts, base: values[0] ?? parts.base, offset: toOffset(leaves[1]) };
    case "global":
      return withTensorLeaves(parts, leaves);
    case "tile": {
      const [value] = values;
      const whole = isAccumulatorType(parts.type.dtype) && value;
      return { ...parts, contents: whole ? { kind: "acc", value } : { kind: "elements", values } };
    }
    case "operand": {
      const rest = values.slice(1);
      const renew = (role: SharedOperand["roles"]["A"]) => (isRole(role) ? { ...role, desc: rest.shift() ?? role.desc } : role);
      const A = renew(parts.roles.A);
      return { ...parts, roles: { A, B: renew(parts.roles.B) }, advance: toOffset(leaves[0]) };
    }
    case "registers":
      return { ...parts, registers: values };
    case "nothing":
      return parts;
  }
}

function withTensorLeaves(parts: TensorParts, leaves: readonly Leaf[]): TensorParts {
  const [base, offset, ...rest] = leaves;
  const dims = parts.dims.map((_, d) => toDimension(rest.slice(4 * d, 4 * d + 4)));
  return { ...parts, base: base as Value, offset: toOffset(offset), dims };
}

/** Is a leaf of such a value another one in every iteration? Registers that products add to are. */
export const alwaysChanges = (parts: Parts): boolean => parts.kind === "tile";

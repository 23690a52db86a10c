import { elementBytes } from "../../../base/element-types.ts";
import { add, constant, countType, type IntType } from "../../../ir/arith.ts";
import {
  isFragment,
  isOperand,
  isTile,
  isView,
  type OperandType,
  type ScalarType,
  type TensorViewType,
  type Type,
  type Value,
} from "../../../ir/index.ts";
import { isProblem, type MatrixStrides, type Problem, stridesAs } from "../../../layout/index.ts";
import { hardwareSwizzle } from "../../../layout/modes/index.ts";
import { dimensionParts } from "../../facts/index.ts";
import type { IndexValue, Offset } from "./offset.ts";
import type { Parts, Role, RoleName, SharedOperand, TensorDimension, TileParts } from "./parts.ts";
import { accumulatorOf, allWords, elementsOf, isAccumulated, isInWords } from "./tiles.ts";
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
  ofOffset(w, begin, countType(limit)),
  ofIndex(extent),
  ofIndex(stride),
  ofIndex(limit),
];

function toDimension([begin, extent, stride, limit]: readonly Leaf[]): TensorDimension {
  return { begin: toOffset(begin), extent: toIndex(extent), stride: toIndex(stride), limit: toIndex(limit) };
}

/**
 * Computed elements of a type that wgmma adds are carried as an accumulator, so that a product's result can join them; what products of
 * warps take and give in words is carried in words.
 */
function ofTile(w: Writer, tile: TileParts): readonly Leaf[] {
  if (isAccumulated(tile.type)) return [accumulatorOf(w, tile)];
  return isInWords(tile.type) ? allWords(w, tile) : elementsOf(w, tile);
}

const isRole = (role: SharedOperand["roles"]["A"]): role is Role => !isProblem(role);

/** What stands for a value of the tile level, leaf by leaf. Views and operands of shared memory are in the order of the facts' `ViewParts`. */
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
      return [ofOffset(w, parts.advance(), "i32"), ...(isRole(A) ? [A.desc] : []), ...(isRole(B) ? [B.desc] : [])];
    }
    case "registers":
    case "fragment":
      return parts.registers;
    case "nothing":
      return [];
  }
}

/** How a matrix of that type serves as each side of a product, with what makes the descriptor of each. */
export function rolesOf(
  { dtype, view, major }: OperandType,
  describe: (strides: MatrixStrides) => Value,
): SharedOperand["roles"] {
  if (!view) throw new TypeError("an operand in registers has no descriptor");
  const matrix = { layout: view.layout, swizzle: hardwareSwizzle(view.swizzle), bytes: elementBytes[dtype], major };
  const role = (name: RoleName): Role | Problem => {
    const strides = stridesAs(name, matrix);
    return isProblem(strides) ? strides : { strides, desc: describe(strides) };
  };
  return { A: role("A"), B: role("B") };
}

function toTensor({ dtype, align, wide, dims }: TensorViewType, [base, offset, ...rest]: readonly Leaf[]): Parts {
  const { count } = dimensionParts;
  return {
    kind: "global",
    dtype,
    base: base as Value,
    dims: dims.map((_, d) => toDimension(rest.slice(count * d, count * (d + 1)))),
    offset: toOffset(offset),
    offsetType: wide ? "i64" : "i32",
    align,
  };
}

/** What stands for a value of that type, made of its leaves; nothing where there are none. */
export function partsOfLeaves(type: Type, leaves: readonly Leaf[]): Parts {
  const [head, ...rest] = leaves as readonly Value[];
  if (!head) return { kind: "nothing" };
  if (isView(type)) {
    if (type.space === "global") return toTensor(type, leaves);
    return { kind: "shared", type, base: head, offset: toOffset(leaves[1]) };
  }
  if (isTile(type)) {
    if (isAccumulated(type)) return { kind: "tile", type, contents: { kind: "acc", value: head } };
    const kind = isInWords(type) ? "words" : "elements";
    return { kind: "tile", type, contents: { kind, values: leaves as readonly Value[] } };
  }
  if (isFragment(type)) return { kind: "fragment", type, registers: leaves as readonly Value[] };
  if (!isOperand(type)) throw new TypeError("a value of the machine level has no parts");
  if (!type.view) return { kind: "registers", type, registers: leaves as readonly Value[] };
  const descriptors = rest.values();
  const roles = rolesOf(type, () => descriptors.next().value ?? head);
  const advance = toOffset(leaves[0]);
  return { kind: "operand", type, roles, advance: () => advance };
}

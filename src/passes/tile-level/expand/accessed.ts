import type { Op, TileType } from "../../../ir/index.ts";
import { gcd, sumOf, type ViewParts } from "../../facts/index.ts";
import { type Expansion, viewOf } from "./expansion.ts";
import type { SharedParts, TensorParts } from "./parts.ts";
import type { PlacedView } from "./shared-places.ts";
import type { Vector } from "./vectors.ts";

type Running = Op<"tile.load">["attrs"]["warpgroups"];
type Access = Op<"tile.load">["attrs"]["access"];

/** A view, what is known of where it lies, and how its elements move. */
export interface Accessed {
  readonly view: SharedParts | TensorParts;
  readonly known: ViewParts;
  readonly access: Access;
  readonly vector: Vector;
  readonly running: Running;
  /** No element lies outside, the author says. */
  readonly unmasked: boolean;
}

/** How many of a thread's elements move at once. */
const counts = { elements: 1, pairs: 2, fours: 4, eights: 8, sixteens: 16, matrices: 1 } as const;

export function accessed(x: Expansion, op: Op<"tile.load"> | Op<"tile.store"> | Op<"tile.combine">, type: TileType): Accessed {
  const {
    operands: { view },
    attrs: { access, along = type.shape.length - 1, warpgroups, unmasked = false },
  } = op;
  if (access === "") throw new TypeError("no pass has chosen how the elements move");
  const vector = { count: counts[access], dim: along };
  return { view: viewOf(x, view), known: x.facts.view(view), access, vector, running: warpgroups, unmasked };
}

/** A view of shared memory with what is known of where it begins. */
export function placed(view: SharedParts, [, start]: ViewParts): PlacedView {
  if (!start) return { view, divisor: 1 };
  const { literal, restDivisor } = sumOf(start);
  const { fixed } = view.offset;
  // What a loop carries has become one staged offset, and what was found to be a literal is none of the staged part.
  return { view, divisor: literal === fixed ? restDivisor : gcd(start.divisor, fixed) };
}

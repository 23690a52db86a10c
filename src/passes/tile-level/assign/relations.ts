/** How layouts of tiles go through the ops that take and give them. */
import { type AnyOp, isTile, type Op, type TileType, type Value } from "../../../ir/index.ts";
import { expandedAxis, linearLayout, type Spread, sliceOf, type TileLayout } from "../../../layout/index.ts";
import { bitsLayout, joinedLayout, reshapedLayout, splitLayout, transposedLayout } from "../../../layout/modes/index.ts";

/** The layout that one side of an op has where the other has this one; undefined where there is none. */
export type Relation = (layout: TileLayout) => TileLayout | undefined;

/** A tile of the op's, what it becomes, and the layouts of the one by the other's. `key` names both functions. */
export interface Link {
  readonly key: string;
  readonly from: Value;
  readonly to: Value;
  readonly there: Relation;
  readonly back: Relation;
}

export const tileType = ({ type }: Value): TileType => {
  if (!isTile(type)) throw new TypeError("no tile");
  return type;
};

const same: Relation = (layout) => layout;
const text = ({ shape }: Spread): string => shape.join("x");

/** The layout of which a slice is that one: its parent, or with a dimension more of which each thread has all. */
function unsliced(layout: TileLayout, shape: readonly number[], axis: number): TileLayout {
  if (layout.kind === "slice" && layout.axis === axis) return layout.of;
  if (layout.kind === "blocked") {
    const longer = (list: readonly number[]): readonly number[] => list.toSpliced(axis, 0, 1);
    const { perThread, threads, warps, order } = layout;
    const moved = order.map((d) => (d < axis ? d : d + 1));
    return {
      kind: "blocked",
      perThread: longer(perThread),
      threads: longer(threads),
      warps: longer(warps),
      order: [...moved, axis],
    };
  }
  const { register, lane, warp, extents } = bitsLayout(linearLayout({ shape, layout }));
  const longer = (bases: readonly (readonly number[])[]): readonly (readonly number[])[] =>
    bases.map((basis) => basis.toSpliced(axis, 0, 0));
  return {
    kind: "linear",
    register: longer(register),
    lane: longer(lane),
    warp: longer(warp),
    extents: extents.toSpliced(axis, 0, 1),
  };
}

const sliced =
  (axis: number): Relation =>
  (layout) =>
    sliceOf({ shape: [], layout }, axis).layout;

/** A tile with a dimension more, before that axis, beside the tile. */
function expansion(lower: Value, axis: number): Pick<Link, "key" | "there" | "back"> {
  const { shape } = tileType(lower);
  return {
    key: `slice ${axis} ${text(tileType(lower))}`,
    there: (layout) => unsliced(layout, shape, axis),
    back: sliced(axis),
  };
}

const inverseOf = (permutation: readonly number[]): readonly number[] => permutation.map((_, d) => permutation.indexOf(d));

function rearrangement({ operands, attrs, results }: Op<"tile.rearrange">): Link {
  const [from, to] = [operands.tile, results[0] as Value];
  const [{ shape }, { shape: other }] = [tileType(from), tileType(to)];
  const { permutation } = attrs;
  const key = `${text({ shape } as Spread)} ${permutation ? `by ${permutation.join()}` : `as ${other.join("x")}`}`;
  if (permutation)
    return {
      ...{ key, from, to },
      there: (layout) => transposedLayout({ shape, layout }, permutation),
      back: (layout) => transposedLayout({ shape: other, layout }, inverseOf(permutation)),
    };
  return {
    ...{ key, from, to },
    there: (layout) => reshapedLayout({ shape, layout }, other),
    back: (layout) => reshapedLayout({ shape: other, layout }, shape),
  };
}

const alike = (from: Value, to: Value): Link => ({ key: "", from, to, there: same, back: same });

/** The tiles of an op whose layouts go together. Those of regions go together as `channelsOf` says. */
export function linksOf(raw: Op): readonly Link[] {
  const op = raw as AnyOp;
  const result = op.results[0];
  if (!result) return [];
  switch (op.name) {
    case "tile.map":
    case "tile.scan":
      return op.operands.tiles.map((tile) => alike(tile, result));
    case "tile.broadcast":
      return [alike(op.operands.tile, result)];
    case "select":
      return isTile(result.type) ? [alike(op.operands.yes, result), alike(op.operands.no, result)] : [];
    case "tile.gather":
      return [alike(op.operands.indices, result), alike(op.operands.tile, result)];
    case "tile.reduce":
      return op.operands.tiles.map((tile) => {
        const { key, there, back } = expansion(result, op.attrs.axis);
        return { key: `${key} back`, from: tile, to: result, there: back, back: there };
      });
    case "tile.expand": {
      const { tile } = op.operands;
      const axis = expandedAxis(tileType(tile).shape, tileType(result).shape) ?? 0;
      return [{ from: tile, to: result, ...expansion(tile, axis) }];
    }
    case "tile.rearrange":
      return [rearrangement(op)];
    case "tile.join": {
      const { shape } = tileType(op.operands.tiles[0] as Value);
      return op.operands.tiles.map((tile) => ({
        ...{ key: `join ${shape.join("x")}`, from: tile, to: result },
        there: (layout: TileLayout) => joinedLayout({ shape, layout }),
        back: (layout: TileLayout) => splitLayout({ shape: [...shape, 2], layout }),
      }));
    }
    case "tile.split": {
      const { tile } = op.operands;
      const { shape } = tileType(result);
      return [
        {
          ...{ key: `split ${shape.join("x")}`, from: tile, to: result },
          there: (layout) => splitLayout({ shape: [...shape, 2], layout }),
          back: (layout) => joinedLayout({ shape, layout }),
        },
      ];
    }
    default:
      return [];
  }
}

/** What an op asks of its tiles' layouts, and gives, once layouts are chosen. */

import { elementBytes } from "../../../base/element-types.ts";
import { getOrMake } from "../../../base/get-or-make.ts";
import { type AnyOp, isTile, isView, type Op, operandList, opSpec, type TileType, type Value } from "../../../ir/index.ts";
import { coalescedOver, layoutText, sharedRunsOf, type TileLayout } from "../../../layout/index.ts";
import type { Facts } from "../../facts/index.ts";
import { type Access, accessIn, movedBy, placesOf, tensorRunsOf } from "../tile-accesses.ts";
import { costOfAccess, costOfCombining, costOfConversion, costOfMap, stridesOf } from "./costs.ts";
import { tileType } from "./relations.ts";
import { autoOf, isOpen, type Step } from "./survey.ts";

/** The layout that is chosen for an open tile, or the one that a tile has. */
export type Chosen = (value: Value) => TileLayout;

export interface Plan {
  /** Of each operand the layout in which the op takes it; undefined where it is no open tile. */
  readonly takes: readonly (TileLayout | undefined)[];
  /** Of each result the layout in which the op gives it. */
  readonly gives: readonly (TileLayout | undefined)[];
  /** What the op itself costs, once. */
  readonly cost: number;
}

const extentsIn = (shape: readonly number[], order: readonly number[]): readonly number[] => [
  ...order.filter((d) => shape[d] !== 1),
  ...order.filter((d) => shape[d] === 1),
];

/** Dimensions whose elements lie closest first; where nobody knows, the last one first. */
function byStride(strides: readonly (number | undefined)[], shape: readonly number[]): readonly number[] {
  const last = strides.map((_, d) => d).toReversed();
  const stride = (d: number): number => strides[d] ?? Number.POSITIVE_INFINITY;
  return extentsIn(
    shape,
    last.toSorted((a, b) => (stride(a) === stride(b) ? 0 : stride(a) - stride(b))),
  );
}

/** The layouts in which the memory is gone through fastest: neighbouring lanes beside each other, in vectors that one instruction moves. */
function coalescedFor(facts: Facts, op: Access): readonly TileLayout[] {
  const { view } = op.operands;
  const tile = movedBy(op);
  if (!isView(view.type)) return [];
  const { shape, dtype } = tileType(tile);
  const { over } = autoOf(tile);
  const bytes = elementBytes[dtype];
  const each = Math.max(1, shape.reduce((n, extent) => n * extent, 1) / (32 * over));
  const parts = facts.view(view);
  const memory = view.type;
  const runs =
    memory.space === "global" ? tensorRunsOf(memory, parts, (d) => shape[d] ?? 1) : sharedRunsOf(placesOf(memory, parts));
  const strides = memory.space === "global" ? stridesOf(facts, op) : memory.layout.map((modes) => modes.at(-1)?.stride);
  const order = byStride(strides, shape);
  const along = order[0] ?? 0;
  const fits = (count: number): boolean => {
    if (runs.along !== along) return false;
    if ("are" in runs) return runs.are(count);
    return runs.begin(count) && (op.attrs.unmasked === true || runs.together(count));
  };
  const longest = Math.min(16 / bytes, shape[along] ?? 1, each);
  let count = longest;
  while (count > 1 && !fits(count)) count /= 2;
  const walks = [count, longest].flatMap((n) =>
    [false, true].map((rows) => coalescedOver(shape, { count: n, order, rows }, over)),
  );
  return [...new Map(walks.map((layout) => [layoutText(layout), layout])).values()];
}

/** RangeErrors say that a layout has no such thing: then it costs more than any other. */
export function costOf(find: () => number): number {
  try {
    return find();
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

const as = (value: Value, layout: TileLayout): TileType => ({ ...tileType(value), layout });

/** Makes plans, and keeps what takes long to find out. */
export class Planner {
  private readonly facts: Facts;
  private readonly walks = new Map<Access, readonly TileLayout[]>();
  private readonly ways = new Map<Access, Map<string, { readonly layout: TileLayout; readonly cost: number }>>();

  constructor(facts: Facts) {
    this.facts = facts;
  }

  /** The coalesced layouts of an access of an open tile. */
  coalesced(op: Access): readonly TileLayout[] {
    return getOrMake(this.walks, op, () => coalescedFor(this.facts, op));
  }

  /** The layout in which an access moves a tile that lies in `chosen`: that one, or a better one and a conversion. */
  private way(op: Access, chosen: TileLayout): { readonly layout: TileLayout; readonly cost: number } {
    const known = getOrMake(this.ways, op, () => new Map());
    const found = known.get(layoutText(chosen));
    if (found) return found;
    const tile = movedBy(op);
    const [shape, bytes] = [tileType(tile).shape, elementBytes[tileType(tile).dtype]];
    const between = (layout: TileLayout): number =>
      op.name === "tile.load"
        ? costOfConversion({ shape, layout }, { shape, layout: chosen }, bytes)
        : costOfConversion({ shape, layout: chosen }, { shape, layout }, bytes);
    const ways = [chosen, ...this.coalesced(op)].map((layout) => {
      const access = costOf(() => costOfAccess(this.facts, op, as(tile, layout)));
      return { layout, access, cost: access + costOf(() => between(layout)) };
    });
    const best = ways.reduce((a, b) => (b.cost < a.cost ? b : a));
    // The conversion is counted where all are.
    const way = { layout: best.layout, cost: best.access };
    known.set(layoutText(chosen), way);
    return way;
  }

  of({ op: raw, links, becomes }: Step, chosen: Chosen): Plan {
    const op = raw as AnyOp;
    const asChosen = (value: Value): TileLayout | undefined => (isOpen(value) ? chosen(value) : undefined);
    const operands = operandList(raw);
    const gives = op.results.map(asChosen);
    const access = accessIn(raw);
    if (access) {
      const tile = movedBy(access);
      if (!isOpen(tile)) return { takes: operands.map(asChosen), gives, cost: 0 };
      const { layout, cost } = this.way(access, chosen(tile));
      return { takes: operands.map((v) => (isOpen(v) ? layout : undefined)), gives: gives.map(() => layout), cost };
    }
    if (becomes.length > 0)
      return { takes: operands.map((v, i) => (isOpen(v) ? chosen(becomes[i] ?? v) : undefined)), gives, cost: 0 };
    if (op.name === "tile.convert_layout") return conversionPlan(op, chosen);
    if (op.name === "tile.gather") {
      const { tile, indices } = op.operands;
      const lie = (v: Value): TileLayout => chosen(v === indices ? (op.results[0] as Value) : tile);
      return { takes: operands.map((v) => (isOpen(v) ? lie(v) : undefined)), gives, cost: 0 };
    }
    if (links.length === 0) return { takes: operands.map(asChosen), gives, cost: 0 };
    return linkedPlan(raw, links, chosen);
  }
}

/** What the tracer put in may become nothing: its tile comes in the layout that it converts to. */
function conversionPlan({ operands: { tile }, attrs, results }: Op<"tile.convert_layout">, chosen: Chosen): Plan {
  const result = results[0] as Value;
  if (isOpen(tile)) {
    const { shape, dtype, layout } = tileType(result);
    if (attrs.auto) return { takes: [layout], gives: [undefined], cost: 0 };
    const own = chosen(tile);
    return {
      takes: [own],
      gives: [undefined],
      cost: costOf(() => costOfConversion({ shape, layout: own }, { shape, layout }, elementBytes[dtype])),
    };
  }
  const { shape, dtype, layout } = tileType(tile);
  const own = chosen(result);
  const cost = costOf(() => costOfConversion({ shape, layout }, { shape, layout: own }, elementBytes[dtype]));
  return { takes: [undefined], gives: [own], cost };
}

function linkedPlan(raw: Op, links: Step["links"], chosen: Chosen): Plan {
  const op = raw as AnyOp;
  const operands = operandList(raw);
  const [link] = links;
  const result = op.results[0] as Value;
  if (!link || !isTile(result.type)) throw new TypeError("no link");
  const none = Number.POSITIVE_INFINITY;
  const openOr = (value: Value, layout: TileLayout): TileLayout | undefined => (isOpen(value) ? layout : undefined);
  let [from, to, cost] = [chosen(link.from), chosen(link.to), 0];
  if (opSpec(op.name).layoutFrom === "operands") {
    const made = link.there(from);
    if (made) to = made;
    else cost = none;
  } else {
    const made = link.back(to);
    if (made) from = made;
    else cost = none;
  }
  // A split of what a join would make: its halves lie as they are taken out of it.
  if (op.name === "tile.split" && cost === 0) to = link.there(from) ?? to;
  if (cost === 0) cost = costOf(() => workOf(op, as(link.from, from), as(result, to)));
  return { takes: operands.map((v) => openOr(v, from)), gives: op.results.map((v) => openOr(v, to)), cost };
}

function workOf(op: AnyOp, from: TileType, to: TileType): number {
  switch (op.name) {
    case "tile.map":
      return costOfMap(to);
    case "tile.reduce":
      return costOfCombining(from, op.attrs.axis, false);
    case "tile.scan":
      return costOfCombining(from, op.attrs.axis, true);
    default:
      return 0;
  }
}

/**
 * Chooses a layout for each tile whose author named none, and puts a conversion in where two meet that want to lie differently.
 *
 * Requires: the tile level, as it was traced: the tiles of an op that have to lie alike are all open or all of one layout, and a `tile.convert_layout` with `auto` stands where
 * an open tile meets one that has a layout.
 * Ensures: no layout is open. Layouts that authors gave are as they were. A conversion stands right after what makes the tile, once for each layout that it is wanted in;
 * splats and iotas are made again instead. W6201 where an open tile would have to be in warps that do not hold it.
 *
 * Open tiles that ops join (element by element, reductions, transposes, what branches and loops carry, …) are a component. Whatever wants a layout in it is an anchor:
 * a tile whose layout is given, such as the accumulator of a product, and each access of memory, which wants neighbouring lanes beside each other along
 * the dimension whose stride is least. For each anchor, the layout that it wants is carried through the component, nearest first; what it does not reach, the other anchors
 * fill, by the bytes that depend on them. The cheapest of these assignments is taken (at most 16 are compared). Its cost is what accesses, conversions, reductions, scans and the elements
 * of each thread take, in wavefronts of a warp (`assign/costs.ts`), each times 8 for every loop around. An access may be in a layout of its own, with a conversion, where
 * the two together cost less.
 */

import type { Spans } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import {
  type Graph,
  type Ids,
  makeOp,
  makeValue,
  mapOperands,
  type Op,
  operandList,
  opSpec,
  type Region,
  type TileType,
  typeName,
  type Value,
  walkOps,
  withParts,
} from "../../ir/index.ts";
import { conversionCost, layoutText, type TileLayout, warpgroupsOf, warpsOf } from "../../layout/index.ts";
import { fail } from "../errors.ts";
import { factsOf } from "../facts/index.ts";
import { freshIds, withBody } from "../rewrite/rewrite.ts";
import { Chooser } from "./assign/choose.ts";
import type { Chosen, Plan } from "./assign/plans.ts";
import { tileType } from "./assign/relations.ts";
import { autoOf, isOpen, type Step, surveyOf } from "./assign/survey.ts";
import { accessIn } from "./tile-accesses.ts";

/** A layout that a tile is wanted in beside its own, and who wants it first. */
interface Wanted {
  readonly layout: TileLayout;
  readonly by: Op;
}

const closedType = (value: Value, layout: TileLayout): TileType => ({ ...tileType(value), layout });

/** How a tile lies, in the words of its type. */
const lying = (type: TileType): string => typeName(type).replace(/^tile<"\S+ |">$/g, "");

/** W6201. */
function checkWay(from: TileType, to: TileType, spans: Spans): void {
  if (!conversionCost(from, to, elementBytes[from.dtype]))
    fail("W6201", { what: "What is done with this tile", a: lying(from), b: lying(to) }, spans);
}

/** Which warpgroups run matters where several share the tile, or where its warps do not begin at the first one. */
function running(op: Op, layout: TileLayout, open: Value): Op {
  if (!("warpgroups" in op.attrs)) return op;
  const { groups } = autoOf(open);
  const matters = warpgroupsOf({ layout }) > 1 || (warpsOf({ layout }) !== undefined && groups[0] > 0);
  return withParts(op, { attrs: { ...op.attrs, warpgroups: matters ? groups : undefined } as Op["attrs"] });
}

class Assigning {
  private readonly ids: Ids;
  private readonly chosen: Chosen;
  private readonly plans: ReadonlyMap<Op, Plan>;
  /** The layout in which each open tile is made, by its id, and the others that it is wanted in. */
  private readonly made = new Map<number, TileLayout>();
  private readonly wanted = new Map<number, Map<string, Wanted>>();
  /** What stands for an open tile in each layout, and for what a conversion gave that is no more. */
  private readonly values = new Map<number, Map<string, Value>>();
  private readonly names = new Map<number, Value>();

  constructor(ids: Ids, chosen: Chosen, plans: ReadonlyMap<Op, Plan>) {
    this.ids = ids;
    this.chosen = chosen;
    this.plans = plans;
    for (const [op, plan] of plans)
      op.results.forEach(({ id }, i) => {
        const layout = plan.gives[i];
        if (layout) this.made.set(id, layout);
      });
    for (const [op, plan] of plans)
      operandList(op).forEach((value, i) => {
        const layout = plan.takes[i];
        if (!layout || layoutText(layout) === layoutText(this.madeAs(value))) return;
        const known = this.wanted.get(value.id) ?? new Map<string, Wanted>();
        if (!known.has(layoutText(layout))) known.set(layoutText(layout), { layout, by: op });
        this.wanted.set(value.id, known);
      });
  }

  private madeAs(value: Value): TileLayout {
    return this.made.get(value.id) ?? this.chosen(value);
  }

  /** The value in the layout in which it is made. */
  private defined(value: Value): Value {
    if (!isOpen(value)) return value;
    const layout = this.madeAs(value);
    const now = makeValue(this.ids, closedType(value, layout), value.name);
    this.values.set(value.id, new Map([[layoutText(layout), now]]));
    return now;
  }

  /** The others that it is wanted in. `maker`: the op that made it, already with its own result. */
  private others(value: Value, maker: Op | undefined): readonly Op[] {
    const known = this.values.get(value.id);
    const own = known?.get(layoutText(this.madeAs(value)));
    if (!known || !own) return [];
    return [...(this.wanted.get(value.id)?.values() ?? [])].map(({ layout, by }) => {
      const type = closedType(value, layout);
      const op =
        maker && opSpec(maker.name).anyLayout ? this.again(maker, value, type) : this.converted(own, value, type, maker, by);
      known.set(layoutText(layout), op.results[0] as Value);
      return op;
    });
  }

  private again(maker: Op, open: Value, type: TileType): Op {
    return running(withParts(maker, { results: [makeValue(this.ids, type)] }), type.layout, open);
  }

  private converted(own: Value, open: Value, type: TileType, maker: Op | undefined, by: Op): Op {
    const spans = maker && !accessIn(by) ? maker.spans : by.spans;
    checkWay(own.type as TileType, type, spans);
    const attrs = { warpgroups: autoOf(open).groups, auto: true };
    return makeOp(this.ids, "tile.convert_layout", { tile: own }, attrs, { types: [type], spans }) as Op;
  }

  private used(value: Value, layout: TileLayout | undefined): Value {
    const stands = this.names.get(value.id);
    if (stands) return stands;
    if (!isOpen(value)) return value;
    const found = this.values.get(value.id)?.get(layoutText(layout ?? this.madeAs(value)));
    if (!found) throw new TypeError(`tile %${value.id} is not there in the layout that is asked for`);
    return found;
  }

  /** Drops a conversion that nothing is left of; undefined where it stays. */
  private drop(raw: Op, plan: Plan | undefined): boolean {
    if (raw.name !== "tile.convert_layout" || !plan) return false;
    const op = raw as Op as Op<"tile.convert_layout">;
    const [tile, result] = [op.operands.tile, op.results[0] as Value];
    const to = plan.gives[0] ?? tileType(result).layout;
    const from = plan.takes[0] ?? tileType(tile).layout;
    if (isOpen(tile)) checkWay(closedType(tile, from), closedType(tile, to), raw.spans);
    else checkWay(tileType(tile), closedType(tile, to), raw.spans);
    if (!op.attrs.auto || layoutText(from) !== layoutText(to)) return false;
    const stands = this.used(tile, plan.takes[0]);
    if (isOpen(result)) this.values.set(result.id, new Map([[layoutText(to), stands]]));
    else this.names.set(result.id, stands);
    return true;
  }

  private op(raw: Op): readonly Op[] {
    const plan = this.plans.get(raw);
    if (this.drop(raw, plan)) return raw.results.flatMap((result) => this.others(result, undefined).map((op) => op));
    let at = 0;
    const operands = mapOperands(raw, (value) => this.used(value, plan?.takes[at++]));
    const regions = raw.regions.map((region) => this.region(region));
    let op = withParts(raw, { operands, regions, results: raw.results.map((value) => this.defined(value)) });
    const open = [...operandList(raw), ...raw.results].find(isOpen);
    const lies = plan && [...plan.takes, ...plan.gives].find((layout) => layout !== undefined);
    if (open && lies && (accessIn(raw) || raw.name === "tile.iota")) op = running(op, lies, open);
    return [op, ...raw.results.flatMap((result) => this.others(result, op))];
  }

  region(region: Region): Region {
    const params = region.params.map((param) => this.defined(param));
    const first = region.params.flatMap((param) => this.others(param, undefined));
    return { params, ops: [...first, ...region.ops.flatMap((op) => this.op(op))] };
  }
}

function hasOpen({ body }: Graph): boolean {
  let found = false;
  walkOps(body, (op) => {
    found ||= op.results.some(isOpen);
  });
  return found;
}

export function assignLayouts(graph: Graph, ids: Ids = freshIds(graph)): Graph {
  if (!hasOpen(graph)) return graph;
  const survey = surveyOf(graph);
  const { chosen, planner } = new Chooser(survey, factsOf(graph)).choose();
  const plans = new Map<Op, Plan>(survey.steps.map((step: Step) => [step.op, planner.of(step, chosen)]));
  return withBody(graph, new Assigning(ids, chosen, plans).region(graph.body).ops);
}

/** Chooses a layout for each open tile of a component: the cheapest of what its anchors ask for. */

import { elementBytes } from "../../../base/element-types.ts";
import { getOrMake } from "../../../base/get-or-make.ts";
import { type AnyOp, operandList, opSpec, type Value } from "../../../ir/index.ts";
import { coalescedOver, layoutText, type TileLayout } from "../../../layout/index.ts";
import type { Facts } from "../../facts/index.ts";
import { accessIn, movedBy } from "../tile-accesses.ts";
import { costOfConversion } from "./costs.ts";
import { type Chosen, costOf, Planner } from "./plans.ts";
import { type Link, tileType } from "./relations.ts";
import { autoOf, isOpen, type Step, type Survey } from "./survey.ts";

/** A layout that something asks for in a class of tiles, and how much depends on it. */
interface Anchor {
  readonly at: number;
  readonly layout: TileLayout;
  readonly priority: number;
}

/** Of each class its layout. */
type Layouts = Map<number, TileLayout>;

/** Assignments that are compared for one component. */
const most = 16;

const bytesOf = (value: Value): number => {
  const { shape, dtype } = tileType(value);
  return shape.reduce((n, extent) => n * extent, elementBytes[dtype]);
};

/** What layouts become through links, found once. */
class Propagation {
  private readonly known = new Map<string, TileLayout | undefined>();
  private readonly survey: Survey;

  constructor(survey: Survey) {
    this.survey = survey;
  }

  private through({ key, there, back }: Link, forward: boolean, layout: TileLayout): TileLayout | undefined {
    if (key === "") return layout;
    const name = `${key} ${forward} ${layoutText(layout)}`;
    if (!this.known.has(name)) this.known.set(name, this.find(forward ? there : back, layout));
    return this.known.get(name);
  }

  private find(relation: Link["there"], layout: TileLayout): TileLayout | undefined {
    try {
      return relation(layout);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** Gives the class that layout, and what it is joined to what follows of it, nearest first. What has one keeps it. */
  spread(layouts: Layouts, at: number, layout: TileLayout): void {
    if (layouts.has(at)) return;
    layouts.set(at, layout);
    const queue = [at];
    for (let i = 0; i < queue.length; i++) {
      const own = queue[i] as number;
      for (const { to, link, forward } of this.survey.classes[own]?.edges ?? []) {
        if (layouts.has(to)) continue;
        const next = this.through(link, forward, layouts.get(own) as TileLayout);
        if (!next) continue;
        layouts.set(to, next);
        queue.push(to);
      }
    }
  }
}

/** Steps and classes that depend on each other. */
interface Component {
  readonly steps: Step[];
  readonly classes: number[];
}

function componentsOf({ steps, classOf, components }: Survey): readonly Component[] {
  const found = new Map<number, Component>();
  const of = (number: number): Component => {
    return getOrMake(found, number, () => ({ steps: [], classes: [] }));
  };
  components.forEach((number, at) => {
    of(number).classes.push(at);
  });
  for (const step of steps) {
    const numbers = [...operandList(step.op), ...step.op.results].flatMap(({ id }) => {
      const at = classOf.get(id);
      return at === undefined ? [] : [components[at] as number];
    });
    for (const number of new Set(numbers)) of(number).steps.push(step);
  }
  return [...found.values()];
}

/** What the compiler takes where nothing asks for anything: memory's order, one element in each thread before a second one. */
function plainLayout(like: Value): TileLayout {
  const { shape } = tileType(like);
  const order = shape.map((_, d) => d).toReversed();
  return coalescedOver(shape, { count: 1, order }, autoOf(like).over);
}

/** The steps of which a value is made again rather than converted. */
const madeBy = (steps: readonly Step[]): ReadonlySet<number> =>
  new Set(steps.flatMap(({ op }) => (opSpec(op.name).anyLayout ? op.results.map(({ id }) => id) : [])));

export class Chooser {
  private readonly survey: Survey;
  private readonly planner: Planner;
  private readonly propagation: Propagation;

  constructor(survey: Survey, facts: Facts) {
    this.survey = survey;
    this.planner = new Planner(facts);
    this.propagation = new Propagation(survey);
  }

  private classOf(value: Value): number {
    const at = this.survey.classOf.get(value.id);
    if (at === undefined) throw new TypeError("a tile that nobody has seen");
    return at;
  }

  /** What asks for layouts, the most important first: products and what the author gave, then accesses. */
  private anchors({ steps, classes }: Component): readonly Anchor[] {
    const found: Anchor[] = [];
    const own = new Set(classes);
    const put = (value: Value, layout: TileLayout, weight: number): void => {
      const at = this.classOf(value);
      if (own.has(at)) found.push({ at, layout, priority: weight * bytesOf(value) });
    };
    for (const { op: raw, weight } of steps) {
      const op = raw as AnyOp;
      const access = accessIn(raw);
      if (access && isOpen(movedBy(access)))
        for (const layout of this.planner.coalesced(access)) put(movedBy(access), layout, weight);
      if (op.name !== "tile.convert_layout") continue;
      const [from, to] = [op.operands.tile, op.results[0] as Value];
      if (isOpen(from)) put(from, tileType(to).layout, 2 * weight);
      else put(to, tileType(from).layout, 2 * weight);
    }
    return found.toSorted((a, b) => b.priority - a.priority);
  }

  /** What an assignment costs: the ops, and each conversion once, where its tile is made. */
  private cost({ steps, classes }: Component, made: ReadonlySet<number>, layouts: Layouts): number {
    const own = new Set(classes);
    const gives = new Map<number, TileLayout>();
    const converted = new Set<string>();
    const chosen: Chosen = (value) => {
      if (!isOpen(value)) return tileType(value).layout;
      const at = this.classOf(value);
      return layouts.get(at) ?? plainLayout(value);
    };
    let total = 0;
    for (const step of steps) {
      const plan = this.planner.of(step, chosen);
      total += step.weight * plan.cost;
      step.op.results.forEach(({ id }, i) => {
        const layout = plan.gives[i];
        if (layout) gives.set(id, layout);
      });
      operandList(step.op).forEach((value, i) => {
        const wanted = plan.takes[i];
        if (!wanted || made.has(value.id) || !own.has(this.classOf(value))) return;
        total += this.conversion(value, gives.get(value.id) ?? chosen(value), wanted, converted);
      });
      if (!Number.isFinite(total)) return total;
    }
    return total;
  }

  private conversion(value: Value, from: TileLayout, to: TileLayout, converted: Set<string>): number {
    const text = layoutText(to);
    if (layoutText(from) === text) return 0;
    const key = `${value.id} ${text}`;
    if (converted.has(key)) return 0;
    converted.add(key);
    const { shape, dtype } = tileType(value);
    const once = costOf(() => costOfConversion({ shape, layout: from }, { shape, layout: to }, elementBytes[dtype]));
    return (this.survey.weights.get(value.id) ?? 1) * once;
  }

  private component(component: Component): Layouts {
    const made = madeBy(component.steps);
    const anchors = this.anchors(component);
    let best: { readonly layouts: Layouts; readonly cost: number } | undefined;
    const tried: Layouts[] = [];
    const attempt = (first: Anchor | undefined): void => {
      const layouts: Layouts = new Map();
      for (const anchor of first ? [first, ...anchors] : anchors) this.propagation.spread(layouts, anchor.at, anchor.layout);
      for (const at of component.classes) {
        const like = this.survey.classes[at]?.like;
        if (like) this.propagation.spread(layouts, at, plainLayout(like));
      }
      tried.push(layouts);
      const cost = this.cost(component, made, layouts);
      if (!best || cost < best.cost) best = { layouts, cost };
    };
    for (const anchor of anchors) {
      if (tried.length >= most) break;
      const text = layoutText(anchor.layout);
      const known = tried.some((layouts) => layoutText(layouts.get(anchor.at) as TileLayout) === text);
      if (!known) attempt(anchor);
    }
    if (!best || !Number.isFinite(best.cost)) attempt(undefined);
    if (best && Number.isFinite(best.cost)) return best.layouts;
    const plain: Layouts = new Map();
    for (const at of component.classes) {
      const like = this.survey.classes[at]?.like;
      if (like) plain.set(at, plainLayout(like));
    }
    return best && this.cost(component, made, plain) > best.cost ? best.layouts : plain;
  }

  /** The plan of each step, and the layout of each class. */
  choose(): { readonly chosen: Chosen; readonly planner: Planner } {
    const layouts: Layouts = new Map();
    for (const component of componentsOf(this.survey))
      for (const [at, layout] of this.component(component)) layouts.set(at, layout);
    const chosen: Chosen = (value) => (isOpen(value) ? (layouts.get(this.classOf(value)) as TileLayout) : tileType(value).layout);
    return { chosen, planner: this.planner };
  }
}

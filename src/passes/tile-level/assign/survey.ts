/** The tiles of a graph whose layouts are open, and the ops that they go through. */
import { getOrMake } from "../../../base/get-or-make.ts";
import {
  channelsOf,
  type Graph,
  isLoop,
  isTile,
  type Op,
  operandList,
  opSpec,
  type Region,
  type Value,
} from "../../../ir/index.ts";
import { type AutoLayout, isAuto } from "../../../layout/index.ts";
import { type Link, linksOf, tileType } from "./relations.ts";

export const isOpen = ({ type }: Value): boolean => isTile(type) && isAuto(type.layout);

/** An op with open tiles among its operands or results. `weight`: how often it runs, roughly. */
export interface Step {
  readonly op: Op;
  readonly weight: number;
  readonly links: readonly Link[];
  /** Of each operand, in their order, the value whose layout it has to have: what control flow makes of it. */
  readonly becomes: readonly (Value | undefined)[];
}

/** An end of a link between two classes: from the one, the layout of the other. */
export interface Edge {
  readonly to: number;
  readonly link: Link;
  readonly forward: boolean;
}

/** Values that always have one layout: what control flow makes one value, and the results of one op. */
export interface Class {
  readonly like: Value;
  readonly edges: Edge[];
}

export interface Survey {
  readonly steps: readonly Step[];
  readonly classes: readonly Class[];
  readonly classOf: ReadonlyMap<number, number>;
  /** How often the op or region that makes a value runs. */
  readonly weights: ReadonlyMap<number, number>;
  /** For each class its component: classes that links join. */
  readonly components: readonly number[];
}

export const autoOf = (value: Value): AutoLayout => {
  const { layout } = tileType(value);
  if (!isAuto(layout)) throw new TypeError("a tile whose layout is not open");
  return layout;
};

/** A loop runs what is in it so often, as far as anybody knows. */
const perLoop = 8;
const most = perLoop ** 4;

/** Sets that grow together. */
class Sets {
  private readonly parents = new Map<number, number>();
  find(id: number): number {
    let root = id;
    for (let next = this.parents.get(root); next !== undefined && next !== root; next = this.parents.get(root)) root = next;
    for (let at = id; at !== root; ) {
      const next = this.parents.get(at) ?? root;
      this.parents.set(at, root);
      at = next;
    }
    return root;
  }
  join(a: number, b: number): void {
    const [x, y] = [this.find(a), this.find(b)];
    if (x !== y) this.parents.set(x, y);
  }
}

/** Where the list operand of that name begins among all operands. */
function listAt(op: Op, name: string): number {
  let at = 0;
  for (const [key, value] of Object.entries(op.operands as Readonly<Record<string, Value | readonly Value[] | undefined>>)) {
    if (key === name) return at;
    at += value === undefined ? 0 : Array.isArray(value) ? value.length : 1;
  }
  return at;
}

class Surveyor {
  readonly values: Value[] = [];
  readonly weights = new Map<number, number>();
  readonly sets = new Sets();
  readonly steps: { op: Op; weight: number; links: readonly Link[]; becomes: (Value | undefined)[] }[] = [];
  /** What operands of terminators become, before these are come to. */
  private readonly sent = new Map<Op, (Value | undefined)[]>();

  private define(value: Value, weight: number): void {
    if (!isOpen(value)) return;
    this.values.push(value);
    this.weights.set(value.id, weight);
  }

  private joinAll(values: readonly Value[]): void {
    const [like, ...others] = values.filter(isOpen);
    if (like) for (const other of others) this.sets.join(like.id, other.id);
  }

  private flow(op: Op, becomes: (Value | undefined)[]): void {
    for (const { senders, receivers } of channelsOf(op)) {
      const places = receivers[0]?.values.length ?? 0;
      for (let i = 0; i < places; i++) this.joinAll(receivers.flatMap(({ values }) => values[i] ?? []));
      for (const { region, values } of senders) {
        const end = region?.ops.at(-1);
        const at = end ? listAt(end, "values") : listAt(op, "carried");
        const list = end ? (this.sent.get(end) ?? []) : becomes;
        values.forEach((_, i) => {
          const target = receivers[0]?.values[i];
          if (target && isOpen(target)) list[at + i] = target;
        });
        if (end) this.sent.set(end, list);
      }
    }
  }

  region(region: Region, weight: number): void {
    for (const param of region.params) this.define(param, weight);
    for (const op of region.ops) {
      const becomes = this.sent.get(op) ?? [];
      if (op.regions.length > 0) this.flow(op, becomes);
      for (const result of op.results) this.define(result, weight);
      const touches = op.results.some(isOpen) || operandList(op).some(isOpen);
      if (opSpec(op.name).flow !== "function") {
        const inner = isLoop(op) ? Math.min(most, weight * perLoop) : weight;
        for (const within of op.regions) this.region(within, inner);
      } else this.joinAll(op.results);
      if (op.name === "tile.split") this.joinAll(op.results);
      if (touches) this.steps.push({ op, weight, links: linksOf(op), becomes });
    }
  }
}

export function surveyOf(graph: Graph): Survey {
  const s = new Surveyor();
  s.region(graph.body, 1);
  const numbers = new Map<number, number>();
  const classes: Class[] = [];
  const classOf = new Map<number, number>();
  for (const value of s.values) {
    const root = s.sets.find(value.id);
    const number = getOrMake(numbers, root, () => classes.push({ like: value, edges: [] }) - 1);
    classOf.set(value.id, number);
  }
  const joined = new Sets();
  const link = (a: number, b: number, via: Link): void => {
    joined.join(a, b);
    classes[a]?.edges.push({ to: b, link: via, forward: true });
    classes[b]?.edges.push({ to: a, link: via, forward: false });
  };
  for (const { op, links, becomes } of s.steps) {
    for (const via of links) {
      const [a, b] = [classOf.get(via.from.id), classOf.get(via.to.id)];
      if (a !== undefined && b !== undefined && a !== b) link(a, b, via);
    }
    if (becomes.length > 0)
      operandList(op).forEach((value, i) => {
        const target = becomes[i];
        const [a, b] = [classOf.get(value.id), target && classOf.get(target.id)];
        if (target && a !== undefined && b !== undefined && a !== b)
          link(a, b, { key: "", from: value, to: target, there: (l) => l, back: (l) => l });
      });
  }
  return { steps: s.steps, classes, classOf, weights: s.weights, components: classes.map((_, i) => joined.find(i)) };
}

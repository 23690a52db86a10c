import { isView, type SharedViewType, type TensorViewType, typeName, type Value, type ViewType } from "../../src/ir/index.ts";
import { viewRank } from "../../src/ir/view-types.ts";
import { type Dimension, extentOf, regroup, shapeOf, slice } from "../../src/layout/modes/modes.ts";
import { GraphMaker } from "./graph-maker.ts";

/** Does a view go on beyond its edges as it does inside? */
export const goesOn = (type: ViewType): boolean => type.space === "global" || (type.dtype === "f32" && type.swizzle === "none");

const extentsOf = (type: ViewType): number[] =>
  type.space === "global" ? type.dims.map((d) => d.extent ?? 16) : shapeOf(type.layout);

/** What makes a view of a type: one more of the same type, from other indices. */
export type Recipe = () => Value;

export class ViewMaker extends GraphMaker {
  readonly recipes = new Map<string, Recipe>();
  /** Views that nobody may have had so far: they are read all the same, and no one minds what is found. */
  readonly uncertain = new Set<number>();
  /** Views that nobody reads. */
  readonly nothing = new Set<number>();
  sink: Value | undefined;
  private beyond = 1;

  /** Beyond the end of the tape regions still yield something: not always the first that there is. */
  override pick(n: number): number {
    if (!this.done) return super.pick(n);
    this.beyond = (this.beyond * 16807) % (2 ** 31 - 1);
    return this.beyond % n;
  }

  /** A literal that stands for itself: nobody takes it for anything else, so that indices are made of what changes. */
  number(n: number): Value {
    return this.hidden(() => this.constant("i32", BigInt(n)));
  }

  /** What is made here nobody finds afterwards. */
  hidden<T>(run: () => T): T {
    const { length } = this.scope;
    const made = run();
    this.scope.length = length;
    return made;
  }

  /** An i32 that is no literal: of the last few more often, which loops count and carry. */
  integer(): Value {
    const all = this.scope.filter((v) => v.type === "i32");
    return this.from(this.pick(3) ? all.slice(-3) : all);
  }

  views(fits: (type: ViewType) => boolean, uncertain = false): Value[] {
    return this.scope.filter(
      (v) => isView(v.type) && fits(v.type) && !this.nothing.has(v.id) && (uncertain || !this.uncertain.has(v.id)),
    );
  }

  /** A view, of the last few more often. */
  view(fits: (type: ViewType) => boolean = () => true, uncertain = false): Value | undefined {
    const all = this.views(fits, uncertain);
    return all.length === 0 ? undefined : this.from(this.pick(2) ? all.slice(-5) : all);
  }

  /** A view of that type that is there or can be made. */
  viewOfType(type: ViewType, afresh: boolean): Value {
    const name = typeName(type);
    const like = this.view((t) => typeName(t) === name);
    const recipe = this.recipes.get(name);
    if (like && (!afresh || !recipe)) return like;
    if (!recipe) throw new Error(`nothing makes ${name}`);
    return recipe();
  }

  /** A view that an op has just made; `again` makes more of its kind. */
  made(view: Value, of: Value, again: Recipe): Value {
    if (this.uncertain.has(of.id)) this.uncertain.add(view.id);
    const name = typeName(view.type);
    if (!this.recipes.has(name)) this.recipes.set(name, again);
    return view;
  }
}

export const viewType = ({ type }: Value): ViewType => {
  if (!isView(type)) throw new Error("no view");
  return type;
};

/** An i32, or the same as an i64. */
const asIndex = (m: ViewMaker, n: Value): Value => (m.pick(12) === 0 ? m.one("convert", { a: n }, {}, ["i64"]) : n);

/** A multiple below `bound`: a literal, or low bits of a value times a literal. */
function indexBelow(m: ViewMaker, bound: number, multiple: number): Value {
  const count = Math.floor((bound - 1) / multiple) + 1;
  if (m.pick(3) === 0) return m.number(m.pick(count) * multiple);
  const mask = 2 ** Math.floor(Math.log2(count)) - 1;
  const power = multiple & -multiple;
  if (power === multiple && m.pick(2)) return asIndex(m, m.one("and", { a: m.integer(), b: m.number(mask * multiple) }, {}));
  const low = m.one("and", { a: m.integer(), b: m.number(mask) }, {});
  return asIndex(m, m.one("mul", { a: low, b: m.number(multiple) }, {}));
}

/** Somewhere near, on either side. */
function indexNear(m: ViewMaker): Value {
  const multiple = m.from([1, 2, 3, 4, 8, 16]);
  if (m.pick(3) === 0) return m.number((m.pick(6) - 2) * multiple);
  const low = m.one("and", { a: m.integer(), b: m.number(3) }, {});
  const some = m.one("mul", { a: low, b: m.number(multiple) }, {});
  return m.pick(3) ? some : asIndex(m, m.one("sub", { a: some, b: m.number(m.from([1, 2, 8, 16])) }, {}));
}

const indexOf = (m: ViewMaker, type: ViewType, d: number): Value =>
  goesOn(type) && m.pick(2) ? indexNear(m) : indexBelow(m, extentsOf(type)[d] ?? 1, m.from([1, 1, 2, 8, 16]));

export function at(m: ViewMaker, view: Value, count: number): Value {
  const type = viewType(view);
  const indices = Array.from({ length: count }, (_, d) => indexOf(m, type, d));
  const result: ViewType =
    type.space === "global" ? { ...type, dims: type.dims.slice(count) } : { ...type, layout: type.layout.slice(count) };
  const made = m.one("view.at", { view, indices }, {}, [result]);
  return m.made(made, view, () => at(m, m.viewOfType(type, m.pick(4) === 0), count));
}

/** How many elements a part of a dimension of shared memory has. Panels are cut between two, or inside one. */
function countIn(m: ViewMaker, dimension: Dimension): number {
  const extent = extentOf(dimension);
  const panel = dimension.at(-1)?.extent ?? 1;
  const counts = dimension.length > 1 ? [1, panel, panel / 2, panel / 8, 2 * panel] : [1, extent, extent / 2, extent / 4, 2];
  return m.from(counts.filter((n) => Number.isInteger(n) && n >= 1 && n <= extent));
}

/** Where a part of so many elements begins. */
function startIn(m: ViewMaker, type: SharedViewType, dimension: Dimension, count: number): Value {
  const extent = extentOf(dimension);
  if (count === extent && m.pick(3)) return m.number(0);
  if (goesOn(type) && m.pick(2)) return indexNear(m);
  const multiple = dimension.length > 1 ? Math.min(count, dimension.at(-1)?.extent ?? 1) : m.from([1, 1, 2, 8, 16]);
  return indexBelow(m, extent - count + 1, multiple);
}

function subviewOfShared(m: ViewMaker, view: Value, type: SharedViewType): Value {
  const counts = type.layout.map((d) => (m.pick(2) ? extentOf(d) : countIn(m, d)));
  const layout = type.layout.map((d, i) => slice(d, 0, counts[i] ?? 1)?.dimension ?? d);
  const make = (of: Value): Value => {
    const offsets = type.layout.map((d, i) => startIn(m, type, d, counts[i] ?? 1));
    return m.one("view.subview", { view: of, offsets }, {}, [{ ...type, layout }]);
  };
  return m.made(make(view), view, () => make(m.viewOfType(type, m.pick(4) === 0)));
}

function subviewOfTensor(m: ViewMaker, view: Value, type: TensorViewType): Value {
  const dims = type.dims.map((d) => (m.pick(2) && d.extent !== undefined ? d : { ...d, extent: m.from([64, 8, 1, 7, 16]) }));
  const make = (of: Value): Value =>
    m.one("view.subview", { view: of, offsets: dims.map(() => indexNear(m)) }, {}, [{ ...type, dims }]);
  return m.made(make(view), view, () => make(m.viewOfType(type, m.pick(4) === 0)));
}

function subview(m: ViewMaker, view: Value): Value {
  const type = viewType(view);
  return type.space === "global" ? subviewOfTensor(m, view, type) : subviewOfShared(m, view, type);
}

/** The same shape further on. */
export function movedOn(m: ViewMaker, view: Value): Value {
  const type = viewType(view);
  const offsets = extentsOf(type).map(() => (m.pick(2) ? m.number(0) : indexNear(m)));
  const result: ViewType =
    type.space === "global" ? { ...type, dims: type.dims.map((d) => ({ ...d, extent: d.extent ?? 16 })) } : type;
  return m.made(m.one("view.subview", { view, offsets }, {}, [result]), view, () => movedOn(m, m.viewOfType(type, false)));
}

function transposed(m: ViewMaker, view: Value): Value {
  const type = viewType(view);
  const permutation = Array.from({ length: viewRank(type) }, (_, d) => d);
  const [a, b] = [m.pick(permutation.length), m.pick(permutation.length)];
  [permutation[a], permutation[b]] = [permutation[b] ?? 0, permutation[a] ?? 0];
  const result: ViewType =
    type.space === "global"
      ? { ...type, dims: permutation.flatMap((d) => type.dims[d] ?? []) }
      : { ...type, layout: permutation.flatMap((d) => [type.layout[d] ?? []]) };
  const make = (of: Value): Value => m.one("view.transpose", { view: of }, { permutation }, [result]);
  return m.made(make(view), view, () => make(m.viewOfType(type, m.pick(4) === 0)));
}

/** Shared memory in another shape. What goes on beyond its edges would do so otherwise afterwards: it is left as it is. */
function reshaped(m: ViewMaker, view: Value): void {
  const type = viewType(view);
  if (type.space === "global" || goesOn(type)) return;
  const shape = shapeOf(type.layout);
  const [first = 1, ...rest] = shape;
  const inner = rest.reduce((n, extent) => n * extent, 1);
  const shapes = [[first * inner], [first, inner], [1, ...shape], [first / 2, 2, ...rest]];
  const to = m.from(shapes.filter((s) => s.every(Number.isInteger)));
  const layout = regroup(type.layout, to);
  if (!layout) return;
  const make = (of: Value): Value => m.one("view.reshape", { view: of }, {}, [{ ...type, layout }]);
  m.made(make(view), view, () => make(m.viewOfType(type, false)));
}

export function part(m: ViewMaker): void {
  const view = m.view((t) => viewRank(t) > 0, m.pick(3) === 0);
  if (!view) return;
  const type = viewType(view);
  const kind = m.pick(9);
  if (kind < 3) at(m, view, 1 + m.pick(viewRank(type)));
  else if (kind < 5) subview(m, view);
  else if (kind < 7) {
    if (goesOn(type)) movedOn(m, view);
    else m.viewOfType(type, true);
  } else if (kind === 7) transposed(m, view);
  else reshaped(m, view);
}

import fc from "fast-check";
import { registerType } from "../../src/ir/element.ts";
import {
  type Graph,
  isView,
  makeValue,
  printGraph,
  type Region,
  type SharedViewType,
  type TensorViewType,
  typeName,
  type Value,
  type ViewType,
} from "../../src/ir/index.ts";
import { readAggregate, viewRank } from "../../src/ir/view-types.ts";
import { type Dimension, extentOf, regroup, shapeOf, slice } from "../../src/layout/modes.ts";
import { GraphMaker } from "./graph-maker.ts";
import { programOptions } from "./program-options.ts";

/**
 * Random graphs of the tile level: views of shared memory and of tensors, parts of them, and loops and branches that carry them, move them,
 * swap them and find them. A tape of numbers decides. An index lies inside its dimension where that is in panels, swizzled or reshaped;
 * elsewhere, where a view goes on evenly beyond its edges, it may lie outside.
 */
const sharedKinds = [
  "shared f16 [64:128, 64:2] swizzle 128B align 1024",
  "shared f16 [64:128, 2:8192+64:2] swizzle 128B align 1024",
  "shared f16 [64:128, 3-48:8192+64:2] swizzle 128B align 1024",
  "shared f16 [4:4096, 64:64, 32:2] swizzle 64B align 512",
  "shared bf16 [3:2064, 64:32, 16:2] align 128",
  "shared f32 [64:32, 8:4] align 128",
  "shared f32 [5:2056, 64:32, 8:4] align 128",
  "shared f32 [64:128, 32:4] swizzle 128B align 1024",
];
const tensorKinds = [
  "global f32 [128:16, 16:1] align 16",
  "global f32 [128:16, 16:1] wide align 16",
  "global f32 [?:?, 16:1] align 16",
  "global f32 [?:24, 21:1] align 16",
  "global f16 [3:1600, 64:25, 25:1] align 16",
  "global f16 [3:1664, 64:26, 26:1] align 16",
];

const viewOf = (text: string): ViewType => {
  const type = readAggregate("view", text);
  if (type?.kind !== "view") throw new Error(`no view: ${text}`);
  return type;
};
const clusterOf = (type: ViewType): ViewType => (type.space === "global" ? type : { ...type, space: "cluster" });

/** Does a view go on beyond its edges as it does inside? */
const goesOn = (type: ViewType): boolean => type.space === "global" || (type.dtype === "f32" && type.swizzle === "none");

const extentsOf = (type: ViewType): number[] =>
  type.space === "global" ? type.dims.map((d) => d.extent ?? 16) : shapeOf(type.layout);

/** What makes a view of a type: one more of the same type, from other indices. */
type Recipe = () => Value;

class ViewMaker extends GraphMaker {
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

const viewType = ({ type }: Value): ViewType => {
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
  goesOn(type) && m.pick(2) ? indexNear(m) : indexBelow(m, extentsOf(type)[d] ?? 1, 1);

function at(m: ViewMaker, view: Value, count: number): Value {
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
function movedOn(m: ViewMaker, view: Value): Value {
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

function part(m: ViewMaker): void {
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

/** Tells where a view begins; sums are made of that, too. */
function tell(m: ViewMaker, view: Value, sink: Value): void {
  const { type } = view;
  const wide = isView(type) && type.space === "global" && type.wide;
  const offset = m.one("view.offset", { view }, {}, [wide ? "i64" : "i32"]);
  m.emit("st.global", { ptr: sink, values: [offset], pred: undefined }, { offset: 0, cache: "" });
}

/** Reads or writes an element. */
function access(m: ViewMaker, view: Value): void {
  const { dtype } = viewType(view);
  const rank = viewRank(viewType(view));
  const place = rank === 0 ? view : at(m, view, rank);
  const element = registerType(dtype);
  if (m.pick(2)) m.emit("view.load", { view: place, pred: undefined, other: undefined }, { cache: "" }, [element]);
  else {
    const value = m.one("const", {}, { value: m.pick(1000) }, [element]);
    m.emit("view.store", { view: place, values: [value], pred: undefined }, { cache: "" });
  }
}

function touch(m: ViewMaker): void {
  const view = m.view(() => true, m.pick(3) === 0);
  const { sink } = m;
  if (!view) return;
  if (sink && m.pick(3) === 0 && !m.uncertain.has(view.id)) {
    if (m.pick(3)) m.hidden(() => tell(m, view, sink));
    else tell(m, view, sink);
  } else m.hidden(() => access(m, view));
}

/** Stores a tile of four elements a thread. */
function tile(m: ViewMaker): void {
  const fits = (t: ViewType): boolean =>
    t.space === "global" ? t.dims.length === 2 : t.space === "shared" && String(shapeOf(t.layout)) === "64,8";
  const view = m.view(fits);
  if (!view) return;
  const { dtype } = viewType(view);
  const type = { kind: "tile", dtype, shape: [64, 8], layout: { kind: "wgmma", warpgroups: 1 } } as const;
  m.hidden(() => {
    const values = [1, 2, 3, 4].map((value) => m.one("const", {}, { value }, [registerType(dtype)]));
    m.emit("tile.store", { tile: m.one("tile.from", { values }, {}, [type]), view }, { access: "", warpgroups: undefined });
  });
}

function number(m: ViewMaker): void {
  m.emit(m.from(["add", "sub", "mul", "and"] as const), { a: m.integer(), b: m.number(m.from([1, 2, 3, 4, 7, 8, 16])) }, {});
}

function condition(m: ViewMaker): Value {
  if (m.pick(3) === 0) return m.value("pred");
  return m.one("cmp", { a: m.integer(), b: m.number(m.pick(4)) }, { is: m.from(["eq", "ne", "lt", "ge"] as const) });
}

function choice(m: ViewMaker): void {
  const yes = m.view(() => true, m.pick(3) === 0);
  if (!yes) return;
  const name = typeName(yes.type);
  const no = m.view((t) => typeName(t) === name, m.uncertain.has(yes.id)) ?? yes;
  const made = m.one("select", { condition: condition(m), yes, no }, {});
  if (m.uncertain.has(yes.id) || m.uncertain.has(no.id)) m.uncertain.add(made.id);
}

/** A view that nobody reads; nobody finds it in the scope either. */
function undef(m: ViewMaker, type: ViewType): Value {
  const made = m.one("view.undef", {}, {}, [type]);
  m.nothing.add(made.id);
  return made;
}

/** What a loop carries at one position. */
interface Slot {
  readonly init: Value;
  readonly uncertain: boolean;
}

function slots(m: ViewMaker): Slot[] {
  return Array.from({ length: 1 + m.pick(3) }, () => {
    const like = m.pick(5) ? m.view(() => true, m.pick(3) === 0) : undefined;
    if (!like) return { init: m.integer(), uncertain: false };
    const kind = m.pick(6);
    if (kind === 0) return { init: undef(m, viewType(like)), uncertain: true };
    return { init: like, uncertain: kind === 1 || m.uncertain.has(like.id) };
  });
}

/** What stands for slots inside a loop, or after it. */
function received(m: ViewMaker, like: readonly Slot[]): Value[] {
  return like.map(({ init, uncertain }) => {
    const value = makeValue(m.ids, init.type);
    if (uncertain) m.uncertain.add(value.id);
    return value;
  });
}

/** What goes on at the position of `slot`: the same, another one, one moved on, one of two. `own`: what came in there. */
function next(m: ViewMaker, slot: Slot, own: Value | undefined): Value {
  const { type } = slot.init;
  if (!isView(type)) return m.pick(2) && own ? m.one("add", { a: own, b: m.number(m.from([1, 2, 8, 16])) }, {}) : m.integer();
  const name = typeName(type);
  const some = (uncertain: boolean): Value => m.view((t) => typeName(t) === name, uncertain) ?? m.viewOfType(type, false);
  const found = (): Value => (m.pick(2) ? m.viewOfType(type, m.pick(2) === 0) : some(false));
  if (m.nothing.has(slot.init.id)) {
    const kind = m.pick(3);
    const yes = found();
    if (kind === 0 || !own) return yes;
    if (kind === 1) return m.one("select", { condition: condition(m), yes, no: own }, {});
    return either(
      m,
      type,
      true,
      () => (m.pick(2) ? found() : yes),
      () => own,
    );
  }
  const kind = m.pick(6);
  if (kind < 2 && own) return own;
  if (kind === 2) return some(slot.uncertain);
  if (kind === 3 && goesOn(type) && own && viewRank(type) > 0 && typeName(movedType(type)) === name) {
    const made = movedOn(m, own);
    return made;
  }
  return found();
}

const movedType = (type: ViewType): ViewType =>
  type.space === "global" ? { ...type, dims: type.dims.map((d) => ({ ...d, extent: d.extent ?? 16 })) } : type;

/** One of two, by a branch. */
function either(m: ViewMaker, type: ViewType, uncertain: boolean, yes: () => Value, no: () => Value): Value {
  const sides = [yes, no].map((side) => m.region([], () => void m.emit("yield", { values: [side()] }, {})));
  const [made] = m.emit("if", { condition: condition(m) }, {}, [type], sides).results;
  if (!made) throw new Error("no result");
  if (uncertain) m.uncertain.add(made.id);
  return made;
}

function branch(m: ViewMaker, depth: number): void {
  const given = condition(m);
  const like = slots(m).map((slot) => ({ ...slot, init: slot.init }));
  const mayEnd = m.pick(10);
  const undefSide = m.pick(6);
  const sides = [0, 1].map((side) =>
    m.region([], () => {
      fill(m, m.pick(4), depth + 1);
      if (mayEnd === side && like.every(({ init }) => !m.nothing.has(init.id))) m.emit("exit", {}, {});
      else {
        const values = like.map((slot) => {
          const { type } = slot.init;
          const none = isView(type) && slot.uncertain && undefSide === side && mayEnd > 1;
          return none
            ? undef(m, type)
            : next(m, m.nothing.has(slot.init.id) ? { ...slot, init: m.viewOfType(type as ViewType, false) } : slot, undefined);
        });
        m.emit("yield", { values }, {});
      }
    }),
  );
  const before = m.scope.length;
  const types = like.map(({ init }) => init.type);
  const { results } = m.emit("if", { condition: given }, {}, types, sides);
  results.forEach((result, i) => {
    if (like[i]?.uncertain) m.uncertain.add(result.id);
  });
  if (before > m.scope.length) throw new Error("a scope that shrinks");
}

function counting(m: ViewMaker, depth: number): void {
  const end = (n: number): Value => (m.pick(3) ? m.number(n) : m.one("and", { a: m.integer(), b: m.number(3) }, {}));
  const operands = { start: end(m.pick(2)), stop: end(m.pick(6)), step: m.number(1 + m.pick(2)) };
  const like = slots(m);
  const params = received(m, like);
  const index = makeValue(m.ids, "i32");
  const body = m.region([index, ...params], () => {
    fill(m, 1 + m.pick(5), depth + 1);
    if (m.pick(14) === 0 && like.every(({ init }) => !m.nothing.has(init.id))) m.emit("exit", {}, {});
    else m.emit("yield", { values: like.map((slot, i) => next(m, slot, params[i])) }, {});
  });
  after(
    m,
    like,
    m.emit(
      "for",
      { ...operands, carried: like.map((s) => s.init) },
      { unroll: undefined },
      like.map((s) => s.init.type),
      [body],
    ).results,
  );
}

function after(m: ViewMaker, like: readonly Slot[], results: readonly Value[]): void {
  results.forEach((result, i) => {
    if (like[i]?.uncertain) m.uncertain.add(result.id);
  });
}

/** Its test passes on what it got, in any order, or some of it twice and some not at all. */
function testing(m: ViewMaker, depth: number): void {
  const like: Slot[] = [{ init: m.number(m.pick(5)), uncertain: false }, ...slots(m)];
  const incoming = received(m, like);
  const order = like.map((_, i) => (i === 0 || m.pick(2) ? i : m.pick(like.length)));
  const passed = order.flatMap((i) => like[i] ?? []);
  const test = m.region(incoming, () => {
    fill(m, m.pick(3), depth + 1);
    const go = m.one("cmp", { a: incoming[0] as Value, b: m.number(0) }, { is: "gt" });
    m.emit("condition", { go, values: order.flatMap((i) => incoming[i] ?? []) }, {});
  });
  const params = received(m, passed);
  const body = m.region(params, () => {
    fill(m, 1 + m.pick(4), depth + 1);
    const left = m.one("add", { a: params[0] as Value, b: m.number(-1) }, {});
    m.emit("yield", { values: [left, ...like.slice(1).map((slot, i) => next(m, slot, params[order.indexOf(i + 1)]))] }, {});
  });
  const regions: Region[] = [test, body];
  after(
    m,
    passed,
    m.emit(
      "while",
      { carried: like.map((s) => s.init) },
      {},
      passed.map((s) => s.init.type),
      regions,
    ).results,
  );
}

function fill(m: ViewMaker, count: number, depth: number): void {
  for (let i = 0; i < count && !m.done; i++) {
    const kind = m.pick(depth < 3 ? 18 : 11);
    if (kind < 2) number(m);
    else if (kind < 5) part(m);
    else if (kind < 8) touch(m);
    else if (kind < 9) tile(m);
    else if (kind < 11) choice(m);
    else if (kind < 13) branch(m, depth);
    else if (kind < 16) counting(m, depth);
    else testing(m, depth);
  }
  touch(m);
}

/** Two views of a buffer of shared memory each, or of another block's; made again, they are the same place by another name. */
function sharedRoots(m: ViewMaker, type: ViewType, buffer: number): void {
  const root = (at: number): Value => {
    const ptr = m.one("shared.buffer", {}, { buffer: at }, ["ptr.shared"]);
    return m.one("view.shared", { ptr }, { offset: 1024 * m.pick(3) }, [type]);
  };
  const again = (): Value => root(buffer + m.pick(2));
  [root(buffer), root(buffer + 1)].forEach((view) => {
    m.made(view, view, again);
  });
  if (m.pick(4)) return;
  const peer = (): Value => m.one("view.peer", { view: m.viewOfType(type, false), rank: m.integer() }, {}, [clusterOf(type)]);
  const other = peer();
  m.made(other, other, peer);
}

/** Two tensors of that type. What the host passes of them is `n` and `stride`, or twice that. */
function tensorRoots(m: ViewMaker, type: TensorViewType, pointers: readonly Value[], n: Value, stride: Value): void {
  const root = (ptr: Value): Value => {
    const given = (v: Value): Value => (m.pick(2) ? v : m.one("add", { a: v, b: v }, {}));
    const extents = type.dims.filter((d) => d.extent === undefined).map(() => given(n));
    const strides = type.dims.filter((d) => d.stride === undefined).map(() => given(stride));
    return m.one("view.tensor", { ptr, extents, strides }, {}, [type]);
  };
  for (const ptr of pointers) m.made(root(ptr), n, () => root(m.from(pointers)));
}

function makeGraph(tape: readonly number[]): Graph {
  const m = new ViewMaker(tape);
  const params = (["ptr.global", "ptr.global", "ptr.global", "i32", "i32", "pred"] as const).map((type) =>
    makeValue(m.ids, type),
  );
  const [x, y, sink, n, stride] = params as [Value, Value, Value, Value, Value];
  m.scope.push(...params.slice(3));
  m.sink = sink;
  sharedRoots(m, viewOf(m.from(sharedKinds)), 0);
  if (m.pick(2)) sharedRoots(m, viewOf(m.from(sharedKinds)), 2);
  tensorRoots(m, viewOf(m.from(tensorKinds)) as TensorViewType, [x, y], n, stride);
  fill(m, 40, 0);
  m.emit("exit", {}, {});
  return {
    ...programOptions({ block: [128, 1, 1] }),
    name: "views",
    body: { params, ops: m.ops },
    params: params.map((value, i) =>
      i < 3 ? { name: `p${i}`, kind: "tensor", value } : { name: `p${i}`, kind: "scalar", value },
    ),
    shared: [0, 1, 2, 3].map((id) => ({ id, name: `b${id}`, bytes: 40960, align: 1024, spans: [] })),
    logs: [],
  };
}

/** A tape of any numbers: were small ones more often, so would be some ops. */
export const viewGraphArbitrary: fc.Arbitrary<Graph> = fc
  .noBias(fc.array(fc.nat({ max: 1000 }), { minLength: 100, maxLength: 900 }))
  .map(makeGraph)
  .map((graph) => Object.defineProperty(graph, fc.toStringMethod, { value: () => printGraph(graph) }));

/** Arguments for such a graph: three pointers, an extent, a stride and a condition. */
export const viewArgumentsArbitrary = fc.tuple(
  fc.constant(0x10000n),
  fc.constant(0x80000n),
  fc.constant(0x100000n),
  fc.integer({ min: 0, max: 140 }),
  fc.integer({ min: 1, max: 40 }),
  fc.boolean(),
);

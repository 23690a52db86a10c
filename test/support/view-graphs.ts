import fc from "fast-check";
import {
  type Graph,
  isView,
  makeValue,
  printGraph,
  type Region,
  type TensorViewType,
  typeName,
  type Value,
  type ViewType,
} from "../../src/ir/index.ts";
import { registerType } from "../../src/ir/types.ts";
import { readAggregate, viewRank } from "../../src/ir/view-types.ts";
import { shapeOf } from "../../src/layout/modes/modes.ts";
import { programOptions } from "./program-options.ts";
import { at, goesOn, movedOn, part, ViewMaker, viewType } from "./view-maker.ts";

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
  "shared f16 [16:48, 3:768+24:2] align 128",
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
    m.emit(
      "tile.store",
      { tile: m.one("tile.from", { values }, {}, [type]), view },
      { access: "", along: undefined, unmasked: undefined, warpgroups: undefined },
    );
  });
}

function number(m: ViewMaker): void {
  m.emit(m.from(["add", "sub", "mul", "and"] as const), { a: m.integer(), b: m.number(m.from([1, 2, 3, 4, 7, 8, 16])) }, {});
}

function condition(m: ViewMaker): Value {
  if (m.pick(3) === 0) return m.value("pred");
  return m.one("cmp", { a: m.integer(), b: m.number(m.pick(4)) }, { is: m.from(["eq", "ne", "lt", "ge"] as const) });
}

function chosen(m: ViewMaker, yes: Value, no: Value): Value {
  const made = m.one("select", { condition: condition(m), yes, no }, {});
  if (m.uncertain.has(yes.id) || m.uncertain.has(no.id)) m.uncertain.add(made.id);
  return made;
}

function choice(m: ViewMaker): void {
  const yes = m.view(() => true, m.pick(3) === 0);
  if (!yes) return;
  const name = typeName(yes.type);
  chosen(m, yes, m.view((t) => typeName(t) === name, m.uncertain.has(yes.id)) ?? yes);
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

/** Often of one type, so that they may go around. */
function slots(m: ViewMaker): Slot[] {
  let before: string | undefined;
  return Array.from({ length: 1 + m.pick(5) }, () => {
    const alike = before !== undefined && m.pick(2) === 1;
    const like = m.pick(5) ? m.view((t) => !alike || typeName(t) === before, m.pick(3) === 0) : undefined;
    if (!like) return { init: m.integer(), uncertain: false };
    before = typeName(like.type);
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

/** The parameter after `own` that may stand for it: where all do so, they go around. */
function neighbour(m: ViewMaker, { uncertain }: Slot, own: Value, params: readonly Value[]): Value {
  const at = params.indexOf(own) + 1;
  const others = [...params.slice(at), ...params.slice(0, at)];
  return others.find((v) => typeName(v.type) === typeName(own.type) && (uncertain || !m.uncertain.has(v.id))) ?? own;
}

/** What goes on at the position of `slot`: the same, another one, one moved on, one of two. `own`: what came in there. */
function next(m: ViewMaker, slot: Slot, own: Value | undefined, params: readonly Value[] = []): Value {
  const { type } = slot.init;
  if (!isView(type)) return m.pick(2) && own ? m.one("add", { a: own, b: m.number(m.from([1, 2, 8, 16])) }, {}) : m.integer();
  const name = typeName(type);
  const some = (uncertain: boolean): Value => m.view((t) => typeName(t) === name, uncertain) ?? m.viewOfType(type, false);
  const found = (): Value => (m.pick(2) ? m.viewOfType(type, m.pick(2) === 0) : some(false));
  if (m.nothing.has(slot.init.id)) {
    const kind = m.pick(3);
    const yes = found();
    if (kind === 0 || !own) return yes;
    if (kind === 1) return chosen(m, yes, own);
    return either(
      m,
      type,
      true,
      () => (m.pick(2) ? found() : yes),
      () => own,
    );
  }
  const kind = m.pick(6);
  if (kind === 0 && own) return own;
  if (kind === 1 && own) return neighbour(m, slot, own, params);
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
    else m.emit("yield", { values: like.map((slot, i) => next(m, slot, params[i], params)) }, {});
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
    m.emit(
      "yield",
      { values: [left, ...like.slice(1).map((slot, i) => next(m, slot, params[order.indexOf(i + 1)], params))] },
      {},
    );
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
  .noBias(fc.array(fc.nat({ max: 1000 }), { minLength: 100, maxLength: 300, size: "max" }))
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

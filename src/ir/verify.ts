/**
 * What holds for every op graph, from tracing to lowering.
 *
 * Ops
 * - Every op has exactly the operands, attributes, results and regions of its entry in the op table. Operands of kind `T`,
 *   `int` or `float` have one type within an op. What the entry's own `verify` says holds.
 * - A `const` holds a literal of its type: integers within their range, 64-bit ones as bigint, predicates as booleans.
 * - `shared.buffer` names a buffer of the graph, `check.holds` an entry of its checks; `log`, `mark` and `assert` name a log site of their kind, and their values
 *   have the types of its site, which in that of a mark stand behind those of the time and the multiprocessor. An `assert` has at most three values.
 * - The graph's target has the instructions that the op's entry needs, which are those of sm_90 where it names none.
 *
 * Values
 * - Each value is defined once, by an op or as a parameter of a region, and has an id of its own.
 * - A definition stands before its uses, in the same region or in one around it. Results of an op are not seen in its regions.
 *
 * Regions
 * - A region ends in its only terminator. `exit` may end any region.
 * - Values go into regions and out of them as src/ir/flow.ts says:
 * - `if`: no parameters; each side yields the types of the results.
 * - `for`: the body's parameters are the index and what is carried; it yields what is carried; so are the results.
 * - `while`: the test's parameters are what is carried; its `condition` passes values to the body and out as the results; the
 *   body yields what is carried.
 * - The kernel's body has the kernel's parameters and yields nothing.
 *
 * Accumulators
 * - Are linear: on every path at most one op updates a value (a product, or being carried or yielded), and nothing uses it
 *   afterwards. A loop updates only accumulators that it carries. `select` and `cmp` do not take them.
 *
 * Levels
 * - A graph of the machine level has no op and no value of the tile level.
 * - Where layouts are closed, from the pass `assign-layouts` on, no tile has an open one.
 *
 * The graph
 * - A tensor is a `ptr.global`, a tensor map a `tensormap`, a log a `ptr.global`, a timeline a `u64`, a scalar a scalar.
 * - Shared buffers have ids of their own, a size, and an alignment that is a power of two and divides their offset.
 */
import { isAuto } from "../layout/index.ts";
import { type Graph, type GraphParam, markTypes, type Op, type Region, type Value } from "./graph.ts";
import type { GraphTable, OpEntry } from "./ops/define-ops.ts";
import { opSpec } from "./ops/index.ts";
import { isAcc, isAggregate, isScalar, isTile, type Type, typeName } from "./types.ts";
import { checkAccumulators } from "./verify/accumulators.ts";
import { breaks } from "./verify/invariant-error.ts";
import { checkOp } from "./verify/op-rules.ts";
import { checkBody, checkRegions } from "./verify/region-rules.ts";
import { eachOperand, usesSome } from "./walk.ts";

export { InvariantError } from "./verify/invariant-error.ts";

const powerOfTwo = (n: number): boolean => Number.isInteger(n) && n > 0 && 2 ** Math.floor(Math.log2(n)) === n;

const paramTypes: Readonly<Record<GraphParam["kind"], (type: Type) => boolean>> = {
  tensor: (t) => t === "ptr.global",
  tma: (t) => t === "tensormap",
  scalar: isScalar,
  log: (t) => t === "ptr.global",
  watch: (t) => t === "ptr.global" || t === "u32",
  timeline: (t) => t === "u64",
};

function checkTables(graph: Graph): void {
  for (const p of graph.params)
    if (!paramTypes[p.kind](p.value.type)) breaks(undefined, `the ${p.kind} '${p.name}' cannot be a ${typeName(p.value.type)}`);
  const same = graph.params.length === graph.body.params.length && graph.params.every((p, i) => p.value === graph.body.params[i]);
  if (!same) breaks(undefined, "the parameters of the kernel and those of its body differ");
  const seen = new Set<number>();
  for (const b of graph.shared) {
    if (seen.has(b.id)) breaks(undefined, `shared buffer ${b.id} stands twice`);
    seen.add(b.id);
    if (!Number.isInteger(b.bytes) || b.bytes <= 0) breaks(undefined, `shared buffer ${b.id} has ${b.bytes} bytes`);
    if (!powerOfTwo(b.align)) breaks(undefined, `shared buffer ${b.id} is aligned to ${b.align}, which is no power of two`);
    if (b.offset !== undefined && b.offset % b.align !== 0)
      breaks(undefined, `shared buffer ${b.id} lies at ${b.offset}, which is not aligned to ${b.align}`);
  }
}

function checkLogSite(op: Op, index: number, graph: Graph): void {
  const site = graph.logs[index];
  if (site?.kind !== op.name) breaks(op, `names log site ${index}, which is not one of its kind`);
  // A mark records the time and the multiprocessor before its values.
  const types = site.kind === "mark" ? site.types.slice(markTypes.length) : site.types;
  const found = ((op.operands as { readonly values?: readonly Value[] }).values ?? []).map((v) => typeName(v.type));
  if (found.join() !== types.join()) breaks(op, `records (${found.join(", ")}) where its site has (${types.join(", ")})`);
}

function checkTarget(op: Op, spec: OpEntry, { target }: Graph): void {
  const needs = spec.target ?? "sm_90";
  if (!target.has.includes(needs)) breaks(op, `needs ${needs}, which the target ${target.name} does not have`);
}

/** What holds for an op and the entry of a table that it names. */
const tables: { readonly [T in GraphTable]: (op: Op, index: number, graph: Graph) => void } = {
  shared: (op, index, graph) => {
    if (!graph.shared.some((b) => b.id === index)) breaks(op, `names shared buffer ${index}, which the kernel does not have`);
  },
  logs: checkLogSite,
  waits: (op, index, graph) => {
    if (!graph.waits?.[index]) breaks(op, `names wait ${index}, which the kernel does not have`);
  },
  checks: (op, index, graph) => {
    if (!graph.checks?.[index]) breaks(op, `names check ${index}, which the kernel does not have`);
  },
};

function checkReferences(op: Op, { references }: OpEntry, graph: Graph): void {
  for (const attr in references) {
    const table = references[attr];
    if (table) tables[table](op, (op.attrs as Readonly<Record<string, number>>)[attr] ?? -1, graph);
  }
}

/**
 * The tile level: what the author said. The machine level: scalars, pointers, registers, descriptors. Mixed: what is on its way from the
 * one to the other.
 */
export type Level = "tile" | "mixed" | "machine";

/** Every value that was ever defined, by its id; null once the region that defined it has ended. */
class Scope {
  readonly #values: (Value | null | undefined)[] = [];
  hasAccumulators = false;

  define(value: Value, op: Op | undefined): void {
    if (this.#values[value.id] !== undefined) breaks(op, `defines %${value.id}, which is already defined`);
    this.#values[value.id] = value;
    if (isAcc(value.type)) this.hasAccumulators = true;
  }

  has(value: Value): boolean {
    return this.#values[value.id] === value;
  }

  leave({ id }: Value): void {
    this.#values[id] = null;
  }
}

/** The machine level has neither ops nor values of the tile level, the tile level no ops of the machine level. */
function checkLevel(op: Op, spec: OpEntry, level: Level): void {
  if (level === "mixed") return;
  const own = spec.level ?? level;
  if (own !== level) breaks(op, `belongs to the ${own} level`);
  if (level === "tile") return;
  const value = op.results.find(({ type }) => isAggregate(type));
  if (value) breaks(op, `gives ${typeName(value.type)}, which belongs to the tile level`);
}

function checkUses(op: Op, scope: Scope): void {
  eachOperand(op, (value) => {
    if (!scope.has(value)) breaks(op, `uses %${value.id}, which no definition before it provides`);
  });
}

/** What holds from some pass on. */
interface Since {
  readonly level: Level;
  /** No layout is open. */
  readonly closed: boolean;
}

function checkClosed({ id, type }: Value, op: Op | undefined, { closed }: Since): void {
  if (closed && isTile(type) && isAuto(type.layout)) breaks(op, `has %${id}, a tile whose layout no pass has chosen`);
}

function checkRegion(region: Region, graph: Graph, scope: Scope, owner: Op | undefined, since: Since): void {
  const isUnknown = (value: Value): boolean => !scope.has(value);
  for (const param of region.params) {
    scope.define(param, owner);
    checkClosed(param, owner, since);
  }
  region.ops.forEach((op) => {
    const spec = opSpec(op.name);
    checkOp(op);
    checkTarget(op, spec, graph);
    checkLevel(op, spec, since.level);
    if (usesSome(op, isUnknown)) checkUses(op, scope);
    if (spec.references) checkReferences(op, spec, graph);
    checkRegions(op);
    op.regions.forEach((inner) => {
      checkRegion(inner, graph, scope, op, since);
    });
    op.results.forEach((result) => {
      scope.define(result, op);
      checkClosed(result, op, since);
    });
  });
  const leave = (value: Value): void => scope.leave(value);
  region.params.forEach(leave);
  region.ops.forEach((op) => {
    op.results.forEach(leave);
  });
}

/**
 * Checks everything above. `closed`: layouts are.
 * @throws InvariantError with the op, a caret under its name, and the author's line where it has one.
 */
export function verify(graph: Graph, level: Level = "mixed", closed = level === "machine"): void {
  checkTables(graph);
  checkBody(graph.body);
  const scope = new Scope();
  checkRegion(graph.body, graph, scope, undefined, { level, closed });
  if (scope.hasAccumulators) checkAccumulators(graph.body);
}

/**
 * What holds for every program, as it was traced and after every rewriting:
 *
 * 1. Blocks have names, each its own.
 * 2. A variable is bound once: as a size, by one loop, or by one axis of one block.
 * 3. A variable is used where it is in scope: sizes everywhere; that of a loop in its body, up to the blocks there, whose axes and condition
 *    may use it and whose statements may not; an axis in its block. So a block says by its axes alone what it depends on.
 * 4. A block has one value for each axis, an i32.
 * 5. Operands have one type, that of the operator: truth values for && || ! and conditions, numbers for the others, integers for floorDiv,
 *    floats for /. Formats of storage (e4m3, e5m2, 8- and 16-bit integers) are converted before anything is computed.
 * 6. An element has as many indices as its buffer has dimensions, each an i32; what is stored has the buffer's type.
 * 7. A buffer is a parameter, which is global, or allocated, once. Its extents are numbers above 0, or computed from sizes. Padding and swizzles
 *    are of shared memory.
 * 8. The extent of a loop, an axis and a region is an i32, above 0 where it is known, and reads no buffer.
 * 9. A loop for an index of threads or blocks stands inside another loop for the same index only where it does not use that one's variable:
 *    then the threads share out what each of them would do.
 * 10. Each size is an extent of a parameter, where a launch finds it.
 */

import type { Span } from "../../base/diag/index.ts";
import { fail } from "../errors/index.ts";
import { intOf } from "./build.ts";
import type { Block, Buffer, Expr, For, Program, Region, Stmt, Var } from "./types.ts";
import { expressions, within } from "./walk.ts";

/** What does not hold, and where. */
export interface Problem {
  readonly what: string;
  readonly instead: string;
  readonly span: Span | undefined;
}

class Broken extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.what);
    this.problem = problem;
  }
}

interface Scope {
  readonly visible: ReadonlySet<Var>;
  /** The variables of the loops for an index of threads or blocks, by that index. */
  readonly tags: ReadonlyMap<string, readonly Var[]>;
  readonly span: Span | undefined;
  /** Loops around the innermost block: named in the error where its statements use their variables. */
  readonly hidden: ReadonlySet<Var>;
  /** The axes of the blocks around: what stands in them may use those, too. */
  readonly axes: ReadonlySet<Var>;
}

interface Facts {
  readonly buffers: ReadonlySet<Buffer>;
  readonly bound: Set<Var>;
  readonly blocks: Set<string>;
  readonly sizes: readonly Var[];
}

const broken = (scope: { span: Span | undefined }, what: string, instead: string): never => {
  throw new Broken({ what, instead, span: scope.span });
};

const integers = new Set(["i32", "u32"]);
const floats = new Set(["f64", "f32", "f16", "bf16"]);
const relations = new Set(["===", "!==", "<", "<=", ">", ">="]);
const mixed = "give both sides one type with a conversion";

function checkVar(v: Var, scope: Scope): void {
  if (scope.visible.has(v)) return;
  if (scope.hidden.has(v))
    broken(
      scope,
      `a block uses the loop variable \`${v.name}\` in its statements`,
      `make it an axis: \`{ v${v.name}: spatial(${v.name}) }\``,
    );
  broken(
    scope,
    `\`${v.name}\` is used outside the loop or block that it belongs to`,
    "use a loop's variable in the loop, and an axis in its block",
  );
}

function checkBinary(e: Expr & { kind: "binary" }, scope: Scope): void {
  const { op, a, b, dtype } = e;
  const wrong = (what: string): never => broken(scope, what, mixed);
  if (a.dtype !== b.dtype) wrong(`\`${op}\` has ${a.dtype} on one side and ${b.dtype} on the other`);
  if (op === "&&" || op === "||") {
    if (a.dtype !== "bool" || dtype !== "bool") wrong(`\`${op}\` joins truth values, not ${a.dtype}`);
  } else if (relations.has(op)) {
    if (dtype !== "bool") wrong(`\`${op}\` gives a bool, not ${dtype}`);
    if (a.dtype === "bool" && op !== "===" && op !== "!==") wrong(`\`${op}\` compares numbers, not truth values`);
  } else {
    if (dtype !== a.dtype) wrong(`\`${op}\` of ${a.dtype} gives ${a.dtype}, not ${dtype}`);
    if (!(integers.has(dtype) || floats.has(dtype))) wrong(`\`${op}\` does not compute with ${dtype}`);
    if (op === "/" && integers.has(dtype)) wrong("`/` divides floats");
    if (op === "floorDiv" && floats.has(dtype)) wrong("floorDiv divides integers");
  }
}

function checkNode(e: Expr, scope: Scope, facts: Facts): void {
  switch (e.kind) {
    case "const":
      if ((typeof e.value === "boolean") !== (e.dtype === "bool")) broken(scope, `${e.value} is no ${e.dtype}`, mixed);
      return;
    case "var":
      checkVar(e, scope);
      return;
    case "binary":
      checkBinary(e, scope);
      return;
    case "unary":
      if (e.op === "!" ? e.a.dtype !== "bool" : !(integers.has(e.a.dtype) || floats.has(e.a.dtype)))
        broken(scope, `\`${e.op}\` does not compute with ${e.a.dtype}`, "convert it first");
      if (e.dtype !== e.a.dtype) broken(scope, `\`${e.op}\` of ${e.a.dtype} gives ${e.a.dtype}, not ${e.dtype}`, mixed);
      return;
    case "select":
      if (e.condition.dtype !== "bool") broken(scope, "the condition of `? :` is no truth value", "compare it: `x !== 0`");
      if (e.yes.dtype !== e.dtype || e.no.dtype !== e.dtype)
        broken(scope, `\`? :\` chooses between ${e.yes.dtype} and ${e.no.dtype}`, mixed);
      return;
    case "load":
      checkElement(e.buffer, e.indices, scope, facts);
      if (e.dtype !== e.buffer.dtype) broken(scope, `an element of ${e.buffer.name} is read as ${e.dtype}`, mixed);
      return;
    case "cast":
      return;
  }
}

function checkExpr(e: Expr, scope: Scope, facts: Facts): void {
  for (const x of within(e)) checkNode(x, scope, facts);
}

function checkWhole(e: Expr, what: string, scope: Scope, facts: Facts): void {
  checkExpr(e, scope, facts);
  if (e.dtype !== "i32") broken(scope, `${what} is ${e.dtype}, and i32 is wanted`, "convert it: `i32(x)`");
}

function checkExtent(e: Expr, what: string, scope: Scope, facts: Facts): void {
  checkWhole(e, what, scope, facts);
  const known = intOf(e);
  if (known !== undefined && !(Number.isInteger(known) && known > 0))
    broken(scope, `${what} is ${known}`, "let it be a whole number above 0");
  for (const x of within(e))
    if (x.kind === "load") broken(scope, `${what} is read from ${x.buffer.name}`, "give a number, or the extent of a parameter");
}

function checkBuffer(buffer: Buffer, scope: Scope, facts: Facts): void {
  if (!facts.buffers.has(buffer))
    broken(
      scope,
      `${buffer.name} is no buffer of this program`,
      "take it as a parameter, or allocate it at the program's top: `alloc(…)`",
    );
}

function checkElement(buffer: Buffer, indices: readonly Expr[], scope: Scope, facts: Facts): void {
  checkBuffer(buffer, scope, facts);
  const rank = buffer.shape.length;
  if (indices.length !== rank)
    broken(scope, `${buffer.name} has ${rank} dimensions, and ${indices.length} indices are given`, "give one for each");
  for (const index of indices)
    if (index.dtype !== "i32") broken(scope, `an index of ${buffer.name} is ${index.dtype}`, "convert it: `i32(x)`");
}

function checkRegion(region: Region, scope: Scope, facts: Facts): void {
  const { buffer, ranges } = region;
  checkBuffer(buffer, scope, facts);
  if (ranges.length !== buffer.shape.length)
    broken(
      scope,
      `a part of ${buffer.name} has ${ranges.length} ranges, and ${buffer.name} has ${buffer.shape.length} dimensions`,
      "give one for each",
    );
  for (const range of ranges) {
    checkWhole(range.min, `where a part of ${buffer.name} begins`, scope, facts);
    checkExtent(range.extent, `the extent of a part of ${buffer.name}`, scope, facts);
  }
}

function bind(v: Var, scope: Scope, facts: Facts): void {
  if (facts.bound.has(v)) broken(scope, `two loops, axes or sizes are one variable, \`${v.name}\``, "give each its own");
  facts.bound.add(v);
}

function uses(s: Stmt, v: Var): boolean {
  for (const e of expressions(s)) if (e === v) return true;
  return false;
}

function checkFor(s: For, scope: Scope, facts: Facts): void {
  checkExtent(s.extent, `the extent of the loop \`${s.variable.name}\``, scope, facts);
  bind(s.variable, scope, facts);
  const outer = s.loop.includes(".") ? (scope.tags.get(s.loop) ?? []) : [];
  const used = outer.find((v) => uses(s.body, v));
  if (used)
    broken(
      scope,
      `a loop for ${s.loop} stands inside \`${used.name}\`, another one for ${s.loop}, and uses its variable`,
      "bind it to another index, or make one loop of both",
    );
  const tags = s.loop.includes(".") ? new Map([...scope.tags, [s.loop, [...outer, s.variable]]]) : scope.tags;
  checkStmt(s.body, { ...scope, tags, visible: new Set([...scope.visible, s.variable]) }, facts);
}

function checkBlock(s: Block, scope: Scope, facts: Facts): void {
  if (s.name === "") broken(scope, "a block has no name", 'give it one: `block("copy", …)`');
  if (facts.blocks.has(s.name)) broken(scope, `two blocks are called "${s.name}"`, "give each its own name");
  facts.blocks.add(s.name);
  if (s.values.length !== s.axes.length)
    broken(scope, `block "${s.name}" has ${s.axes.length} axes and ${s.values.length} values`, "give one value for each axis");
  for (const value of s.values) checkWhole(value, `an axis of block "${s.name}"`, scope, facts);
  for (const axis of s.axes) {
    checkExtent(axis.extent, `the extent of the axis \`${axis.variable.name}\``, scope, facts);
    bind(axis.variable, scope, facts);
  }
  const axes = s.axes.map((a) => a.variable);
  if (s.where) {
    checkExpr(s.where, { ...scope, visible: new Set([...scope.visible, ...axes]) }, facts);
    if (s.where.dtype !== "bool") broken(scope, `the condition of block "${s.name}" is no truth value`, "compare it: `x !== 0`");
  }
  const hidden = new Set([...scope.hidden, ...scope.visible]);
  const all = new Set([...scope.axes, ...axes]);
  const inside: Scope = { ...scope, visible: new Set([...facts.sizes, ...all]), hidden, axes: all };
  if (s.init) checkStmt(s.init, inside, facts);
  checkStmt(s.body, inside, facts);
}

function checkStmt(s: Stmt, outer: Scope, facts: Facts): void {
  const scope: Scope = "span" in s && s.span ? { ...outer, span: s.span } : outer;
  switch (s.kind) {
    case "for":
      checkFor(s, scope, facts);
      return;
    case "block":
      checkBlock(s, scope, facts);
      return;
    case "store":
      checkElement(s.buffer, s.indices, scope, facts);
      for (const e of [...s.indices, s.value]) checkExpr(e, scope, facts);
      if (s.value.dtype !== s.buffer.dtype)
        broken(
          scope,
          `${s.value.dtype} is stored to ${s.buffer.name}, whose elements are ${s.buffer.dtype}`,
          `convert it: \`${s.buffer.dtype}(…)\``,
        );
      return;
    case "if":
      checkExpr(s.condition, scope, facts);
      if (s.condition.dtype !== "bool") broken(scope, "the condition of `if` is no truth value", "compare it: `x !== 0`");
      for (const branch of [s.yes, ...(s.no ? [s.no] : [])]) checkStmt(branch, scope, facts);
      return;
    case "seq":
      for (const x of s.body) checkStmt(x, scope, facts);
      return;
    case "intrinsic":
      for (const region of s.args) checkRegion(region, scope, facts);
      return;
    case "effect":
      for (const e of s.args) checkWhole(e, `an argument of ${s.op}`, scope, facts);
      return;
  }
}

function checkDeclarations(p: Program, scope: Scope, facts: Facts): void {
  for (const size of p.sizes) {
    bind(size, scope, facts);
    if (!p.params.some((b) => b.shape.includes(size)))
      broken(scope, `the size ${size.name} is the extent of no parameter`, "let a parameter have it as an extent");
  }
  const all = [...p.params, ...p.buffers];
  if (facts.buffers.size !== all.length) broken(scope, "a buffer is declared twice", "declare each once");
  for (const b of all) {
    const at = b.span ? { ...scope, span: b.span } : scope;
    if (b.shape.length === 0) broken(at, `${b.name} has no dimensions`, "give it one extent at least");
    for (const extent of b.shape) checkExtent(extent, `an extent of ${b.name}`, at, facts);
    if ((b.padding || b.swizzle) && b.scope !== "shared")
      broken(at, `${b.name} lies in ${b.scope} and has padding or a swizzle`, "leave it out, or let it lie in shared memory");
  }
  const local = p.params.find((b) => b.scope !== "global");
  if (local) broken(scope, `the parameter ${local.name} lies in ${local.scope}`, "parameters lie in global memory");
}

/** The first thing of the list above that does not hold. */
export function problemOf(p: Program): Problem | undefined {
  const facts: Facts = { buffers: new Set([...p.params, ...p.buffers]), bound: new Set(), blocks: new Set(), sizes: p.sizes };
  const scope: Scope = { visible: new Set(p.sizes), tags: new Map(), span: p.span, hidden: new Set(), axes: new Set() };
  try {
    checkDeclarations(p, scope, facts);
    checkStmt(p.body, scope, facts);
  } catch (error) {
    if (error instanceof Broken) return error.problem;
    throw error;
  }
  return undefined;
}

/** Refuses what is no program. W5515, at the author's line. */
export function checkProgram(p: Program): void {
  const problem = problemOf(p);
  if (problem)
    fail("W5515", { program: p.name, what: problem.what, instead: problem.instead }, problem.span ? [problem.span] : []);
}

/** Makes a program that disagrees smaller, as long as it disagrees for the same reason. */
import type { Disagreement } from "./judge.ts";
import { hostText, kernelText } from "./print.ts";
import { type Expr, isFloatType, isWideType, type Program, type Stmt } from "./program.ts";

type Node = Readonly<Record<string, unknown>>;

const isNode = (x: unknown): x is Node => typeof x === "object" && x !== null && !Array.isArray(x);
const isExpr = (x: unknown): x is Expr => isNode(x) && "sure" in x && "kind" in x;
const isStmt = (x: unknown): x is Stmt => isNode(x) && "kind" in x && !("sure" in x);
const isProgram = (x: Node): boolean => "seed" in x;

/** What stands inside a statement, to stand in its place. */
function* inner(s: Stmt): Generator<readonly Stmt[]> {
  if (s.kind === "if") {
    yield s.yes;
    if (s.no) yield s.no;
  }
  if ("body" in s) yield s.body;
  if (s.kind === "switch") for (const c of s.cases) yield c.body;
}

/** The list with fewer statements: halves, then smaller parts, then one by one; and with the inside of one in its place. */
function* fewer(list: readonly Stmt[]): Generator<readonly Stmt[]> {
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < list.length; at += size) yield [...list.slice(0, at), ...list.slice(at + size)];
  for (const [i, s] of list.entries()) for (const body of inner(s)) yield [...list.slice(0, i), ...body, ...list.slice(i + 1)];
}

/** A number on the GPU instead of an expression. */
function literals(e: Expr): readonly Expr[] {
  if (e.kind === "text" || e.kind === "literal") return [];
  const text = e.type === "bool" ? ["true", "false"] : isWideType(e.type) ? ["1n", "0n"] : ["1", "0"];
  const { type } = e;
  return text.map((t): Expr => {
    const number: Expr = { kind: isFloatType(type) ? "literal" : "text", text: t, type, sure: false };
    return { kind: "op", op: type === "bool" ? "toBool" : "convert", type, sure: true, args: [number], range: e.range };
  });
}

function* simpler(e: Expr): Generator<Expr> {
  if (e.kind === "op" && e.op === "convert" && e.args[0]?.kind !== "op") return;
  yield* literals(e);
  if (e.kind === "op" || e.kind === "call") for (const arg of e.args) if (arg.type === e.type && arg.sure) yield arg;
}

/** Every version of a value with one thing made smaller, the greatest changes first. */
function* smaller(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    if (value.some(isStmt)) yield* fewer(value as readonly Stmt[]);
    for (const [i, x] of value.entries()) for (const changed of smaller(x)) yield value.with(i, changed);
    return;
  }
  if (!isNode(value)) return;
  if (isExpr(value)) yield* simpler(value);
  for (const [key, x] of Object.entries(value)) {
    if (isProgram(value) && !["body", "helpers"].includes(key)) continue;
    for (const changed of smaller(x)) yield { ...value, [key]: changed };
  }
}

const mentions = (text: string, name: string): boolean => new RegExp(`\\b${name.replace("[", "\\[")}\\b`).test(text);

/** Parameters, functions and threads that can go. */
function* without(program: Program): Generator<Program> {
  const text = hostText(program);
  const used = <T extends { readonly name: string }>(list: readonly T[]): readonly T[] =>
    list.filter((x) => mentions(text, x.name));
  const helpers = program.helpers.filter((h) => text.split(h.name).length > 2);
  const memories = used(program.memories);
  const scalars = used(program.scalars);
  if (
    helpers.length < program.helpers.length ||
    memories.length < program.memories.length ||
    scalars.length < program.scalars.length
  )
    yield { ...program, helpers, memories, scalars };
  if (program.grid.length > 1 || program.grid[0] !== 1) yield { ...program, grid: [1] };
  for (const block of [[1], [2], [32], [64]])
    if (block[0] !== program.block[0] || program.block.length > 1) yield { ...program, block };
  if (program.debug) yield { ...program, debug: false };
}

function* candidates(program: Program): Generator<Program> {
  yield* without(program);
  yield* smaller(program) as Generator<Program>;
}

/** Greedy: the first smaller program that still disagrees is the next one, until none does or the time is over. */
export async function shrink(
  program: Program,
  like: Disagreement,
  judge: (program: Program) => Promise<Disagreement | undefined>,
  seconds: number,
): Promise<Program> {
  const end = performance.now() + seconds * 1000;
  const seen = new Set<string>();
  let best = program;
  for (let found = true; found; ) {
    found = false;
    for (const candidate of candidates(best)) {
      if (performance.now() > end) return best;
      const text = kernelText(candidate);
      if (seen.has(text)) continue;
      seen.add(text);
      if ((await judge(candidate))?.signature !== like.signature) continue;
      best = candidate;
      found = true;
      break;
    }
  }
  return best;
}

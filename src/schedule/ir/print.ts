/** A program as the TypeScript that makes it: printed, transformed and run, the same program again. */
import { checkOptions, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { Names } from "./names.ts";
import { type ExprContext, placed, print as printExpr, regionText } from "./print-expr.ts";
import { sameTree } from "./same.ts";
import type { Annotations, Block, Buffer, Expr, For, Program, Region, Stmt } from "./types.ts";
import { mentions } from "./walk.ts";

/** How a program is printed. */
export interface PrintOptions {
  /** `"module"`: with its imports, exported. `"function"`: the function alone. Default: `"module"`. */
  readonly form?: "module" | "function";
}

/** What a block reads and writes. */
export type AccessesOfBlock = (block: Block) => { readonly reads: readonly Region[]; readonly writes: readonly Region[] };

interface Context extends ExprContext {
  /** Printed as a help to the reader, where it is given. */
  readonly accesses: AccessesOfBlock | undefined;
  /** The loops around, by their variable: an axis that is one of them takes its extent. */
  readonly loops: ReadonlyMap<object, For>;
}

const pad = (lines: readonly string[]): readonly string[] => lines.map((line) => (line === "" ? "" : `  ${line}`));

const valueText = (value: Annotations[string]): string =>
  typeof value === "object" ? `[${value.join(", ")}]` : typeof value === "string" ? JSON.stringify(value) : String(value);
const keyText = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key));
const annotationsText = (notes: Annotations): string => {
  const entries = Object.entries(notes).map(([key, value]) => `${keyText(key)}: ${valueText(value)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
};

/** A statement under a head: alone without braces, unless it could be read as part of something else. */
function under(head: string, body: Stmt, cx: Context): readonly string[] {
  const lines = statement(body, cx);
  if (body.kind === "seq" || body.kind === "if") return [`${head} {`, ...pad(lines), "}"];
  return [head, ...pad(lines)];
}

const isPlain = (s: For): boolean => s.loop === "serial" && Object.keys(s.annotations).length === 0;

/** The loops that one `grid` says: serial ones right inside one another, none of whose extents depends on another. */
function nestOf(s: For): readonly For[] {
  const nest = [s];
  for (let at = s.body; isPlain(s) && at.kind === "for" && isPlain(at); at = at.body) {
    if (mentions(at.extent, new Set(nest.map((l) => l.variable)))) break;
    nest.push(at);
  }
  return nest;
}

function loopCall(s: For, cx: Context): string {
  const extent = placed(s.extent, cx);
  const notes = Object.keys(s.annotations).length > 0 ? `, ${annotationsText(s.annotations)}` : "";
  const call = (name: string, first: string): string => {
    cx.use(name);
    return `${name}(${first}${extent}${notes})`;
  };
  if (s.loop === "serial") return call(notes === "" ? "grid" : "serial", "");
  if (s.loop === "unroll") return call("unrolled", "");
  if (s.loop === "vectorize") return call("vectorized", "");
  return call("bind", `"${s.loop}", `);
}

function forText(s: For, outer: Context): readonly string[] {
  const nest = nestOf(s);
  const innermost = nest.at(-1) ?? s;
  const names = outer.names.inner();
  const written = nest.length === 1 ? loopCall(s, outer) : `grid(${nest.map((l) => placed(l.extent, outer)).join(", ")})`;
  if (nest.length > 1) outer.use("grid");
  const variables = nest.map((l) => names.declare(l.variable, l.variable.name));
  const cx = { ...outer, names, loops: new Map([...outer.loops, ...nest.map((l): [object, For] => [l.variable, l])]) };
  return under(`for (const ${nest.length === 1 ? variables[0] : `[${variables.join(", ")}]`} of ${written})`, innermost.body, cx);
}

function axisText(block: Block, i: number, cx: Context): string {
  const [axis, value] = [block.axes[i], block.values[i]];
  if (!axis || !value) throw new Error(`block ${block.name} has no value for each axis`);
  cx.use(axis.type === "reduce" ? "reduce" : "spatial");
  const name = axis.type === "reduce" ? "reduce" : "spatial";
  const around = value.kind === "var" ? cx.loops.get(value) : undefined;
  if (around && sameTree(around.extent, axis.extent)) return `${name}(${placed(value, cx)})`;
  return `${name}(${placed(axis.extent, cx)}, ${placed(value, cx)})`;
}

function blockText(s: Block, outer: Context): readonly string[] {
  outer.use("block");
  const names = outer.names.inner();
  const axes = s.axes.map((axis, i) => ({ text: axisText(s, i, outer), axis }));
  const keys = axes.map(({ axis }) => names.declare(axis.variable, axis.variable.name));
  const cx: Context = { ...outer, names };
  const given = axes.length === 0 ? "{}" : `{ ${axes.map(({ text }, i) => `${keys[i]}: ${text}`).join(", ")} }`;
  const taken = keys.length === 0 ? "()" : `({ ${keys.join(", ")} })`;
  return [`block(${JSON.stringify(s.name)}, ${given}, ${taken} => {`, ...pad(insideBlock(s, cx)), "});"];
}

function insideBlock(s: Block, cx: Context): readonly string[] {
  const lines: string[] = [];
  const call = (name: string, inside: string): void => {
    cx.use(name);
    lines.push(`${name}(${inside});`);
  };
  if (s.where) call("where", placed(s.where, cx));
  const accesses = cx.accesses?.(s);
  if (accesses && accesses.reads.length > 0) call("reads", accesses.reads.map((r) => regionText(r, cx)).join(", "));
  if (accesses && accesses.writes.length > 0) call("writes", accesses.writes.map((r) => regionText(r, cx)).join(", "));
  if (Object.keys(s.annotations).length > 0) call("annotate", annotationsText(s.annotations));
  if (s.init) {
    cx.use("init");
    lines.push("init(() => {", ...pad(statement(s.init, cx)), "});");
  }
  return [...lines, ...statement(s.body, cx)];
}

const updates = new Set(["+", "-", "*", "/", "%"]);

function storeText(s: Stmt & { kind: "store" }, cx: Context): string {
  const { buffer, indices, value } = s;
  const target = `${cx.names.of(buffer) ?? buffer.name}${indices.map((i) => `[${placed(i, cx)}]`).join("")}`;
  if (value.kind === "binary" && updates.has(value.op) && value.a.kind === "load" && value.a.buffer === buffer) {
    const { a, b, op } = value;
    if (a.kind === "load" && a.indices.every((e, i) => sameTree(e, indices[i] ?? e))) return `${target} ${op}= ${placed(b, cx)};`;
  }
  return `${target} = ${placed(value, cx)};`;
}

function ifText(s: Stmt & { kind: "if" }, cx: Context): readonly string[] {
  const head = `if (${printExpr(s.condition, 0, cx)}) {`;
  const yes = pad(statement(s.yes, cx));
  if (!s.no) return [head, ...yes, "}"];
  return [head, ...yes, "} else {", ...pad(statement(s.no, cx)), "}"];
}

function statement(s: Stmt, cx: Context): readonly string[] {
  switch (s.kind) {
    case "for":
      return forText(s, cx);
    case "block":
      return blockText(s, cx);
    case "store":
      return [storeText(s, cx)];
    case "if":
      return ifText(s, cx);
    case "seq":
      return s.body.flatMap((x) => statement(x, cx));
    case "intrinsic":
      cx.use("intrinsic");
      return [`intrinsic(${[JSON.stringify(s.name), ...s.args.map((r) => regionText(r, cx))].join(", ")});`];
    case "effect":
      cx.use("effect");
      return [`effect(${[JSON.stringify(s.op), ...s.args.map((e) => placed(e, cx))].join(", ")});`];
  }
}

function allocText(b: Buffer, name: string, cx: Context): string {
  cx.use("alloc");
  const layout = [
    ...(b.padding ? [`padding: ${b.padding}`] : []),
    ...(b.swizzle ? [`swizzle: "${b.swizzle}"`] : []),
    ...(b.at === undefined ? [] : [`at: ${b.at}`]),
  ];
  const parts = [
    `"${b.dtype}"`,
    `[${b.shape.map((e) => placed(e, cx)).join(", ")}]`,
    `"${b.scope}"`,
    ...(layout.length > 0 ? [`{ ${layout.join(", ")} }`] : []),
  ];
  return `const ${name} = alloc(${parts.join(", ")});`;
}

/** Sizes are written as the extent of the first parameter that has them. */
function nameSizes(p: Program, names: Names): void {
  for (const size of p.sizes) {
    const param = p.params.find((b) => b.shape.includes(size));
    if (param) names.call(size, `${names.of(param) ?? param.name}.shape[${param.shape.indexOf(size)}]`);
  }
}

const shapeText = (e: Expr, cx: Context): string => (e.kind === "var" ? JSON.stringify(e.name) : placed(e, cx));

const conversions = new Set("f64 f32 f16 bf16 e4m3 e5m2 i32 u32 i16 u16 i8 u8 bool".split(" "));

/** Values in the order in which an organised import has them. */
const sorted = (names: readonly string[]): readonly string[] =>
  names.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));

function importsText(used: ReadonlySet<string>): readonly string[] {
  const ours = [...used].filter((name) => !conversions.has(name));
  const schedule = sorted([...ours, "program", "Buffer"]).map((name) => (name === "Buffer" ? "type Buffer" : name));
  const base = sorted([...used].filter((name) => conversions.has(name)));
  return [
    ...(base.length > 0 ? [`import { ${base.join(", ")} } from "warpsmith";`] : []),
    `import { ${schedule.join(", ")} } from "warpsmith/schedule";`,
    "",
  ];
}

const knownOptions = optionsOf<PrintOptions>("printProgram()", { form: true });

/** The program as TypeScript, which makes the same program again. W2601. */
export function printProgram(p: Program, options: PrintOptions = {}): string {
  refuseMore(printProgram, arguments);
  return printWith(p, options, undefined);
}

/** The program as TypeScript, with what each block reads and writes. */
export function printWith(p: Program, options: PrintOptions, accesses: AccessesOfBlock | undefined): string {
  checkOptions(options, knownOptions);
  const used = new Set<string>();
  const names = new Names();
  const cx: Context = { names, use: (name) => used.add(name), accesses, loops: new Map() };
  const own = names.declare(p, p.name);
  const params = p.params.map((b) => `${names.declare(b, b.name)}: Buffer<"${b.dtype}", ${b.shape.length}>`);
  const shapes = p.params.map((b) => `${names.of(b) ?? b.name}: [${b.shape.map((e) => shapeText(e, cx)).join(", ")}]`);
  nameSizes(p, names);
  const buffers = p.buffers.map((b) => allocText(b, names.declare(b, b.name), cx));
  const notes = Object.keys(p.annotations ?? {}).length > 0 ? [`annotate(${annotationsText(p.annotations ?? {})});`] : [];
  if (notes.length > 0) cx.use("annotate");
  const inside = pad([...buffers, ...notes, ...statement(p.body, cx)]);
  const lines = [`function ${own}(${params.join(", ")}) {`, ...inside, "}"];
  if (options.form === "function") return `${lines.join("\n")}\n`;
  const call = shapes.length === 0 ? "program({}, " : `program({ ${shapes.join(", ")} }, `;
  const [head = "", ...rest] = lines;
  return [...importsText(used), `export const ${own} = ${call}${head}`, ...rest].join("\n").replace(/\}$/, "});\n");
}

/** A program as the text of a JavaScript function that runs it in order. Names in it are numbered, so that nothing of the author's is in the text. */
import type { Span } from "../../base/diag/index.ts";
import type { DType } from "../../base/types.ts";
import type { Block, Buffer, Expr, Intrinsic, Program, Region, Stmt, Var } from "./types.ts";

/** One place where a buffer is indexed, for the error of an index outside. */
export interface Access {
  readonly what: string;
  readonly span: Span | undefined;
}

/** The text, and what it refers to by number. */
export interface ProgramText {
  /** Body of a function of `b`, the buffers; `s`, the sizes; `$`, the runtime. */
  readonly text: string;
  readonly buffers: readonly Buffer[];
  readonly accesses: readonly Access[];
  readonly intrinsics: readonly Intrinsic[];
}

interface Writer {
  readonly buffers: Map<Buffer, number>;
  readonly sizes: ReadonlyMap<Var, string>;
  readonly accesses: Access[];
  readonly intrinsics: Intrinsic[];
  readonly names: Map<Var, string>;
  span: Span | undefined;
  next: number;
}

const wraps: Partial<Record<DType, (x: string) => string>> = {
  i32: (x) => `(${x} | 0)`,
  u32: (x) => `(${x} >>> 0)`,
  i16: (x) => `(${x} << 16 >> 16)`,
  u16: (x) => `(${x} & 65535)`,
  i8: (x) => `(${x} << 24 >> 24)`,
  u8: (x) => `(${x} & 255)`,
};
const isInteger = (dtype: DType): boolean => dtype in wraps;

/** The value in the type: floats rounded, integers wrapped. */
function fitted(dtype: DType, x: string): string {
  if (dtype === "f64" || dtype === "bool") return x;
  if (dtype === "f32") return `Math.fround(${x})`;
  return wraps[dtype]?.(x) ?? `$.round.${dtype}(${x})`;
}

function castText(e: Expr & { kind: "cast" }, x: string): string {
  const from = e.a.dtype;
  if (e.dtype === from) return x;
  if (e.dtype === "bool") return `$.truth(${x})`;
  const number = from === "bool" ? `(${x} ? 1 : 0)` : x;
  if (!isInteger(e.dtype)) return fitted(e.dtype, number);
  return isInteger(from) || from === "bool" ? fitted(e.dtype, number) : `$.saturate.${e.dtype}(${number})`;
}

function binaryText(e: Expr & { kind: "binary" }, a: string, b: string): string {
  const { op, dtype } = e;
  switch (op) {
    case "min":
    case "max":
      return `Math.${op}(${a}, ${b})`;
    case "floorDiv":
      return fitted(dtype, `Math.floor(${a} / ${b})`);
    case "*":
      return isInteger(dtype) ? fitted(dtype, `Math.imul(${a}, ${b})`) : fitted(dtype, `${a} * ${b}`);
    case "+":
    case "-":
    case "/":
    case "%":
      return fitted(dtype, `(${a} ${op} ${b})`);
    default:
      return `(${a} ${op} ${b})`;
  }
}

function unaryText(e: Expr & { kind: "unary" }, a: string): string {
  switch (e.op) {
    case "!":
      return `!${a}`;
    case "-":
      return fitted(e.dtype, `(-${a})`);
    case "exp2":
      return fitted(e.dtype, `(2 ** ${a})`);
    default:
      return fitted(e.dtype, `Math.${e.op}(${a})`);
  }
}

function exprText(e: Expr, w: Writer): string {
  switch (e.kind) {
    case "const":
      return typeof e.value === "number" ? `(${Object.is(e.value, -0) ? "-0" : e.value})` : String(e.value);
    case "var":
      return w.names.get(e) ?? w.sizes.get(e) ?? outOfScope(e);
    case "load": {
      const element = `${elementText(e.buffer, e.indices, w)}`;
      return e.dtype === "bool" ? `(${element} !== 0)` : element;
    }
    case "cast":
      return castText(e, exprText(e.a, w));
    case "select":
      return `(${exprText(e.condition, w)} ? ${exprText(e.yes, w)} : ${exprText(e.no, w)})`;
    case "unary":
      return unaryText(e, exprText(e.a, w));
    case "binary":
      return binaryText(e, exprText(e.a, w), exprText(e.b, w));
  }
}

const outOfScope = (v: Var): never => {
  throw new Error(`${v.name} is not in scope`);
};

function numberOf(buffer: Buffer, w: Writer): number {
  const known = w.buffers.get(buffer);
  if (known === undefined) throw new Error(`${buffer.name} is no buffer of the program`);
  return known;
}

/** `b0[(i * 64 + j)]`, each index checked. */
function elementText(buffer: Buffer, indices: readonly Expr[], w: Writer): string {
  const n = numberOf(buffer, w);
  const at = w.accesses.length;
  w.accesses.push({ what: buffer.name, span: w.span });
  const flat = indices.reduce((sum, index, d) => {
    const checked = `$.at(${exprText(index, w)}, d${n}_${d}, ${at})`;
    return d === 0 ? checked : `(${sum}) * d${n}_${d} + ${checked}`;
  }, "");
  return `b${n}[${flat}]`;
}

function regionText(region: Region, w: Writer): string {
  const at = w.accesses.length;
  w.accesses.push({ what: region.buffer.name, span: w.span });
  const n = numberOf(region.buffer, w);
  const list = (texts: readonly string[]): string => `[${texts.join(", ")}]`;
  const shape = list(region.buffer.shape.map((_, d) => `d${n}_${d}`));
  return `{ array: b${n}, shape: ${shape}, mins: ${list(region.ranges.map((r) => exprText(r.min, w)))}, extents: ${list(region.ranges.map((r) => exprText(r.extent, w)))}, at: ${at} }`;
}

function blockText(s: Block, w: Writer): string {
  const lines = s.axes.map((axis, i) => {
    const value = s.values[i];
    const name = `v${w.next++}`;
    const line = `const ${name} = ${value ? exprText(value, w) : "0"};`;
    return { axis, name, line };
  });
  for (const { axis, name } of lines) w.names.set(axis.variable, name);
  const checks = lines.map(({ axis, name }) => {
    const at = w.accesses.length;
    w.accesses.push({ what: `the axis ${axis.variable.name} of block "${s.name}"`, span: s.span });
    return `$.at(${name}, ${exprText(axis.extent, w)}, ${at});`;
  });
  const reductions = lines.filter(({ axis }) => axis.type === "reduce").map(({ name }) => `${name} === 0`);
  const init = s.init ? `if (${reductions.length > 0 ? reductions.join(" && ") : "true"}) {\n${stmtText(s.init, w)}}\n` : "";
  const inside = `${checks.join(" ")}\n${init}${stmtText(s.body, w)}`;
  const guarded = s.where ? `if (${exprText(s.where, w)}) {\n${inside}}\n` : inside;
  return `{ ${lines.map((l) => l.line).join(" ")}\n${guarded}}\n`;
}

function stmtText(s: Stmt, w: Writer): string {
  const outer = w.span;
  w.span = ("span" in s ? s.span : undefined) ?? outer;
  try {
    return textOf(s, w);
  } finally {
    w.span = outer;
  }
}

function textOf(s: Stmt, w: Writer): string {
  switch (s.kind) {
    case "for": {
      const name = `v${w.next++}`;
      const extent = exprText(s.extent, w);
      w.names.set(s.variable, name);
      return `for (let ${name} = 0, e${name} = ${extent}; ${name} < e${name}; ${name}++) {\n${stmtText(s.body, w)}}\n`;
    }
    case "block":
      return blockText(s, w);
    case "store": {
      const value = exprText(s.value, w);
      return `${elementText(s.buffer, s.indices, w)} = ${s.buffer.dtype === "bool" ? `${value} ? 1 : 0` : value};\n`;
    }
    case "if":
      return `if (${exprText(s.condition, w)}) {\n${stmtText(s.yes, w)}}${s.no ? ` else {\n${stmtText(s.no, w)}}` : ""}\n`;
    case "seq":
      return s.body.map((x) => stmtText(x, w)).join("");
    case "intrinsic":
      w.intrinsics.push(s);
      return `$.intrinsic(${w.intrinsics.length - 1}, [${s.args.map((r) => regionText(r, w)).join(", ")}]);\n`;
    case "effect":
      return "";
  }
}

/** The program as text. */
export function programText(p: Program): ProgramText {
  const buffers = [...p.params, ...p.buffers];
  const sizes = new Map(p.sizes.map((v, i): [Var, string] => [v, `s${i}`]));
  const w: Writer = {
    buffers: new Map(buffers.map((b, i) => [b, i])),
    sizes,
    accesses: [],
    intrinsics: [],
    names: new Map(),
    span: p.span,
    next: 0,
  };
  const declared = [
    ...p.sizes.map((_, i) => `const s${i} = s[${i}];`),
    ...buffers.flatMap((b, i) => [`const b${i} = b[${i}];`, ...b.shape.map((e, d) => `const d${i}_${d} = ${exprText(e, w)};`)]),
  ];
  return {
    text: `"use strict";\n${declared.join("\n")}\n${stmtText(p.body, w)}`,
    buffers,
    accesses: w.accesses,
    intrinsics: w.intrinsics,
  };
}

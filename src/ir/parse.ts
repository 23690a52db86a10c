import type { Span, Spans } from "../base/diag/index.ts";
import { type Target, targets } from "../base/target.ts";
import { Cursor } from "./cursor.ts";
import {
  type Check,
  type Graph,
  type GraphParam,
  type LogSite,
  logForms,
  type MarkName,
  markNames,
  type Op,
  type OperandValue,
  paramKinds,
  type Region,
  type SharedBuffer,
  type Value,
  type WaitSite,
} from "./graph.ts";
import type { Token } from "./lexer.ts";
import { waitKinds } from "./ops/define-ops.ts";
import { type OpName, opNames, opSpec, ops } from "./ops/index.ts";
import { readOptions } from "./option-text.ts";
import { type AccType, isScalar, pointerTypes, type ScalarType, type Type } from "./types.ts";
import type { AttrValue } from "./value.ts";
import { readAggregate } from "./view-types.ts";

/** `file`: the name of the text in errors; ops without a `loc` then get their own place in the text as their span. */
export interface ParseOptions {
  readonly file?: string;
  /** What the text may be for; by default everything that kernels can be compiled for. */
  readonly targets?: readonly Target[];
}

interface Known {
  readonly value: Value;
  /** Where it was first named, until its definition has been read. */
  open: Token | undefined;
}

/** A text being read: the position, and the values named so far. A use may stand before its definition. */
interface Reading {
  readonly at: Cursor;
  readonly known: Map<number, Known>;
  readonly spansFromText: boolean;
}

const opaque: readonly string[] = [...pointerTypes, "tensormap", "desc"];

function readAcc(at: Cursor): AccType {
  at.expect("<");
  const dtype = at.word("f32, f16 or i32").text;
  if (dtype !== "f32" && dtype !== "f16" && dtype !== "i32") return at.refuse("f32, f16 or i32");
  at.expect(",");
  const rows = at.number("the number of rows");
  const by = at.word("'x' and the number of columns");
  const cols = /^x(\d+)$/.exec(by.text)?.[1] ?? at.refuse("'x' and the number of columns", by);
  at.expect(">");
  return { kind: "acc", dtype, rows, cols: Number(cols) };
}

const aggregates: readonly string[] = ["view", "tile", "operand", "fragment"];

function readAggregateType(at: Cursor, kind: Token): Type {
  at.expect("<");
  const what = `what a ${kind.text} is, in quotes`;
  const { token } = at;
  const type = readAggregate(kind.text, at.string(what)) ?? at.refuse(what, token);
  at.expect(">");
  return type;
}

function readType(at: Cursor): Type {
  const token = at.word("a type");
  if (token.text === "acc") return readAcc(at);
  if (aggregates.includes(token.text)) return readAggregateType(at, token);
  const type = token.text as Type;
  return isScalar(type) || opaque.includes(token.text) ? type : at.refuse("a type", token);
}

function readScalarType(at: Cursor): ScalarType {
  const token = at.word("a scalar type");
  return isScalar(token.text as Type) ? (token.text as ScalarType) : at.refuse("a scalar type", token);
}

function valueToken(at: Cursor): Token {
  return at.token.kind === "value" ? at.advance() : at.refuse("a value (%…)");
}

function nameAndId(token: Token): { id: number; name: string | undefined } {
  const dot = token.text.lastIndexOf(".");
  const id = Number(token.text.slice(Math.max(dot, 0) + 1));
  if (dot < 0) return { id, name: undefined };
  const name = token.text.slice(1, dot);
  return { id, name: name.startsWith('"') ? (JSON.parse(name) as string) : name };
}

function use(r: Reading): Value {
  const token = valueToken(r.at);
  const { id } = nameAndId(token);
  const known = r.known.get(id);
  if (known) return known.value;
  const value: Value = { id, type: "pred" };
  r.known.set(id, { value, open: token });
  return value;
}

/** A second definition of one id is a value of its own; the verifier refuses it. */
function define(r: Reading, token: Token, type: Type): Value {
  const { id, name } = nameAndId(token);
  const known = r.known.get(id);
  const value: Value = known?.open ? known.value : { id, type };
  value.type = type;
  if (name !== undefined) value.name = name;
  r.known.set(id, { value, open: undefined });
  return value;
}

function typedValue(r: Reading): Value {
  const token = valueToken(r.at);
  r.at.expect(":");
  return define(r, token, readType(r.at));
}

function readSpan(at: Cursor): Span {
  const file = at.string("a file name in quotes");
  at.expect(":");
  const line = at.number("a line");
  at.expect(":");
  const column = at.number("a column");
  at.expect("+");
  return { file, line, column, length: at.number("a length") };
}

const readSpans = (at: Cursor): Spans => (at.take("loc") ? at.list("(", ")", () => readSpan(at)) : []);

function readOperands(r: Reading, name: OpName): Record<string, OperandValue> {
  const { at } = r;
  const declared = Object.entries(opSpec(name).operands);
  const required = declared.filter(([, kind]) => !kind.endsWith("?") && !kind.endsWith("*")).map(([operand]) => operand);
  const out: Record<string, OperandValue> = {};
  for (const [operand, kind] of declared) if (kind.endsWith("?")) out[operand] = undefined;
  if (at.token.newLine || (at.token.kind !== "value" && !at.followedBy("="))) return out;
  let position = 0;
  at.items(() => {
    if (at.token.kind === "value") {
      const operand = required[position++] ?? at.refuse(`no more operands of '${name}'`);
      out[operand] = use(r);
      return;
    }
    const token = at.word("an operand");
    if (!declared.some(([operand]) => operand === token.text)) at.refuse(`an operand of '${name}'`, token);
    at.expect("=");
    out[token.text] = at.is("[") ? at.list("[", "]", () => use(r)) : use(r);
  });
  return out;
}

function readAttr(at: Cursor): AttrValue {
  const token = at.token;
  if (at.take("true")) return true;
  if (at.take("false")) return false;
  if (at.is("[")) return at.list("[", "]", () => at.number("a number"));
  return token.kind === "string" || token.kind === "number" || token.kind === "bigint"
    ? at.advance().value
    : at.refuse("a value of an attribute");
}

function readAttrs(at: Cursor, name: OpName): Record<string, AttrValue> {
  const out: Record<string, AttrValue> = {};
  for (const [attr, spec] of Object.entries(opSpec(name).attrs ?? {}))
    if (typeof spec === "string" && spec.endsWith("?")) out[attr] = undefined;
  if (!at.is("{")) return out;
  at.list("{", "}", () => {
    const attr = at.word("an attribute").text;
    at.expect("=");
    out[attr] = readAttr(at);
  });
  return out;
}

function readRegion(r: Reading): Region {
  const { at } = r;
  const params = at.is("(") ? at.list("(", ")", () => typedValue(r)) : [];
  at.expect("{");
  const body = readOps(r);
  at.expect("}");
  return { params, ops: body };
}

function readOps(r: Reading): readonly Op[] {
  const list: Op[] = [];
  while (!r.at.is("}") && r.at.token.kind !== "end") list.push(readOp(r));
  return list;
}

function readResults(r: Reading, tokens: readonly Token[], name: Token): readonly Value[] {
  const types = r.at.take(":") ? r.at.items(() => readType(r.at)) : [];
  if (types.length !== tokens.length)
    r.at.refuse(`${tokens.length} result types after '${name.text}', not ${types.length}`, name);
  return tokens.map((token, i) => define(r, token, types[i] ?? "pred"));
}

function readOp(r: Reading): Op {
  const { at } = r;
  const first = at.token;
  const results = first.kind === "value" ? at.items(() => valueToken(at)) : [];
  if (results.length > 0) at.expect("=");
  const token = at.word("an operation");
  if (!Object.hasOwn(ops, token.text)) at.refuse("an operation", token);
  const name = token.text as OpName;
  const operands = readOperands(r, name);
  for (const [operand, kind] of Object.entries(opSpec(name).operands)) if (kind.endsWith("*")) operands[operand] ??= [];
  const attrs = readAttrs(at, name);
  const values = readResults(r, results, token);
  const regions = (opSpec(name).regions ?? []).flatMap((region) => (at.take(region) ? [readRegion(r)] : []));
  const spans = readSpans(at);
  const place = spans.length === 0 && r.spansFromText ? [at.place(token)] : spans;
  return { name, operands, attrs, results: values, regions, spans: place } as Op;
}

function readParam(r: Reading): GraphParam {
  const kind = r.at.word("the kind of a parameter");
  const found = paramKinds.find((k) => k === kind.text) ?? r.at.refuse("tensor, tma, scalar, log, watch or timeline", kind);
  return { kind: found, name: r.at.string("the name of the parameter in quotes"), value: typedValue(r) };
}

function field(at: Cursor, name: string): number {
  at.expect(name);
  at.expect("=");
  return at.number(`the ${name}`);
}

function readBuffer(at: Cursor): SharedBuffer {
  const id = at.number("the number of the buffer");
  const name = at.string("the name of the buffer in quotes");
  const size = { bytes: field(at, "bytes"), align: field(at, "align") };
  const offset = at.is("offset") ? { offset: field(at, "offset") } : {};
  return { id, name, ...size, ...offset, spans: readSpans(at) };
}

function readLog(at: Cursor, kind: LogSite["kind"]): LogSite {
  const mark = kind === "mark" ? { mark: readMark(at) } : {};
  const parts = at.list("[", "]", () => at.string("a piece of text in quotes"));
  const values = at.list("(", ")", () => ({
    type: readScalarType(at),
    form: logForms.find((form) => at.take(form)),
  }));
  const types = values.map((v) => v.type);
  const forms = values.some((v) => v.form) ? { forms: values.map((v) => v.form) } : {};
  return { kind, ...mark, parts, types, ...forms, ...readCheck(at), spans: readSpans(at) };
}

const readMark = (at: Cursor): MarkName => markNames.find((word) => at.take(word)) ?? at.refuse(markNames.join(", "));

function readCheck(at: Cursor): { readonly check?: Check } {
  // A `check [` begins an entry of the checks.
  if (!at.is("check") || at.followedBy("[")) return {};
  at.expect("check");
  const about = (["index", "overflow", "range"] as const).find((word) => at.take(word)) ?? at.refuse("index, overflow or range");
  if (at.token.kind !== "string") return { check: { about } };
  return {
    check: about === "overflow" ? { about, operator: at.string("the operator") } : { about, limit: at.string("the limit") },
  };
}

/** A log site begins with its kind and `[`, a mark with its kind and which one; the ops of the same names never have those there. */
function readTables(at: Cursor): Pick<Graph, "shared" | "logs" | "checks" | "waits"> {
  const tables = readBuffersAndLogs(at);
  const waits: WaitSite[] = [];
  while (at.is("wait")) {
    at.expect("wait");
    waits.push(readWait(at));
  }
  return { ...tables, ...(waits.length > 0 ? { waits } : {}) };
}

function readWait(at: Cursor): WaitSite {
  const kind = at.string("what is waited for in quotes");
  const op = at.string("the name of an op in quotes");
  const waits = waitKinds.find((k) => k === kind) ?? at.refuse(waitKinds.join(", "));
  const known = opNames.find((name) => name === op) ?? at.refuse("the name of an op");
  const id = at.is("id") ? { id: field(at, "id") } : {};
  const count = at.is("count") ? { count: field(at, "count") } : {};
  return { waits, op: known, ...id, ...count, spans: readSpans(at) };
}

function readBuffersAndLogs(at: Cursor): { shared: SharedBuffer[]; logs: LogSite[]; checks?: LogSite[] } {
  const shared: SharedBuffer[] = [];
  while (at.take("shared")) shared.push(readBuffer(at));
  const logs: LogSite[] = [];
  const checks: LogSite[] = [];
  for (;;) {
    const kind = (["log", "assert", "mark", "check"] as const).find((word) => at.is(word));
    const begins = kind === "mark" ? markNames.some((mark) => at.followedBy(mark)) : at.followedBy("[");
    if (!kind || !begins) return { shared, logs, ...(checks.length > 0 ? { checks } : {}) };
    at.expect(kind);
    if (kind === "check") checks.push(readLog(at, "assert"));
    else logs.push(readLog(at, kind));
  }
}

/**
 * Reads what `printGraph` printed. Comments begin with `;`. The graph is as the text says: `verify` judges it.
 * Errors: W2900 where the text is not an op graph, W2901 where a value is used that nothing defines.
 */
export function parseGraph(text: string, reading: ParseOptions = {}): Graph {
  const file = reading.file ?? "<op graph>";
  const at = new Cursor(text, file);
  const r: Reading = { at, known: new Map(), spansFromText: reading.file !== undefined };
  at.expect("kernel");
  at.expect("@");
  const name = at.name("the name of the kernel");
  const params = at.list("(", ")", () => readParam(r));
  const options = readOptions(at, reading.targets ?? targets);
  at.expect("{");
  const tables = readTables(at);
  const list = readOps(r);
  at.expect("}");
  if (at.token.kind !== "end") at.refuse("the end of the text");
  for (const { open } of r.known.values()) if (open) at.undefinedValue(open);
  return { name, params, body: { params: params.map((p) => p.value), ops: list }, ...tables, ...options };
}

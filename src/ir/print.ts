import type { Span, Spans } from "../base/diag/index.ts";
import type { Graph, LogSite, Op, OperandValue, Region, SharedBuffer, Value, WaitSite } from "./graph.ts";
import { opSpec } from "./ops/index.ts";
import { printOptions } from "./option-text.ts";
import { typeName } from "./types.ts";
import type { AttrValue } from "./value.ts";

export interface PrintOptions {
  /** End each op with the place in the author's text that it comes from. */
  readonly spans?: boolean;
  /** What the first line of each op, buffer and log site ends with. A comment, `; …`, leaves a text that `parseGraph` reads. */
  readonly note?: (spans: Spans) => string;
}

const word = /^[A-Za-z_$][\w$]*$/;
const quoted = (text: string): string => JSON.stringify(text);

/** `%7`, or `%sum.7` where the author has a name for it. */
function printValue(value: Value): string {
  if (value.name === undefined) return `%${value.id}`;
  return `%${word.test(value.name) ? value.name : quoted(value.name)}.${value.id}`;
}

/** A number so that reading it back gives the same one. */
function printNumber(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (Object.is(value, -0)) return "-0";
  if (value === Number.POSITIVE_INFINITY) return "inf";
  return value === Number.NEGATIVE_INFINITY ? "-inf" : String(value);
}

function printAttr(value: AttrValue): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") return printNumber(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "object") return `[${value.map(printNumber).join(", ")}]`;
  return String(value);
}

const printSpan = (s: Span): string => `${quoted(s.file)}:${s.line}:${s.column}+${s.length}`;
const printSpans = (spans: Spans, options: PrintOptions): string =>
  options.spans && spans.length > 0 ? ` loc(${spans.map(printSpan).join(", ")})` : "";
const printNote = (spans: Spans, options: PrintOptions): string => options.note?.(spans) ?? "";

const values = (list: readonly Value[]): string => list.map(printValue).join(", ");
const typed = (list: readonly Value[]): string => list.map((v) => `${printValue(v)}: ${typeName(v.type)}`).join(", ");

/** Operands that are always there stand by position, the others by name. */
function printOperands(op: Op): string {
  const given = op.operands as Readonly<Record<string, OperandValue>>;
  const parts: string[] = [];
  for (const [name, kind] of Object.entries(opSpec(op.name).operands)) {
    const operand = given[name];
    if (operand === undefined) continue;
    if (Array.isArray(operand)) parts.push(`${name}=[${values(operand as readonly Value[])}]`);
    else parts.push(`${kind.endsWith("?") ? `${name}=` : ""}${printValue(operand as Value)}`);
  }
  return parts.length > 0 ? ` ${parts.join(", ")}` : "";
}

function printAttrs(op: Op): string {
  const given = op.attrs as Readonly<Record<string, AttrValue>>;
  const order = [...new Set([...Object.keys(opSpec(op.name).attrs ?? {}), ...Object.keys(given)])];
  const parts = order.filter((name) => given[name] !== undefined).map((name) => `${name} = ${printAttr(given[name])}`);
  return parts.length > 0 ? ` {${parts.join(", ")}}` : "";
}

/** The op's own line, without its regions. */
export function printOpHead(op: Op): string {
  const results = op.results.length > 0 ? `${values(op.results)} = ` : "";
  const types = op.results.length > 0 ? ` : ${op.results.map((v) => typeName(v.type)).join(", ")}` : "";
  return `${results}${op.name}${printOperands(op)}${printAttrs(op)}${types}`;
}

function printOp(op: Op, indent: string, options: PrintOptions): string {
  const head = indent + printOpHead(op);
  const note = printNote(op.spans, options);
  const names = opSpec(op.name).regions ?? [];
  const regions = op.regions.map(
    (region, i) => ` ${names[i] ?? `region${i}`} ${printRegion(region, indent, options, i === 0 ? note : "")}`,
  );
  return `${head}${regions.join("")}${printSpans(op.spans, options)}${regions.length === 0 ? note : ""}\n`;
}

/** `note` ends its first line. */
function printRegion(region: Region, indent: string, options: PrintOptions, note: string): string {
  const params = region.params.length > 0 ? `(${typed(region.params)}) ` : "";
  return `${params}{${note}\n${region.ops.map((op) => printOp(op, `${indent}  `, options)).join("")}${indent}}`;
}

function printBuffer(buffer: SharedBuffer, options: PrintOptions): string {
  const offset = buffer.offset === undefined ? "" : ` offset=${buffer.offset}`;
  const spans = printSpans(buffer.spans, options) + printNote(buffer.spans, options);
  return `  shared ${buffer.id} ${quoted(buffer.name)} bytes=${buffer.bytes} align=${buffer.align}${offset}${spans}\n`;
}

function printLog(log: LogSite, options: PrintOptions, kind: string = log.kind): string {
  const types = log.types.map((type, i) => (log.forms?.[i] ? `${type} ${log.forms[i]}` : type));
  const { about, limit, operator } = log.check ?? {};
  const detail = limit ?? operator;
  const check = about === undefined ? "" : ` check ${about}${detail === undefined ? "" : ` ${quoted(detail)}`}`;
  const place = `${printSpans(log.spans, options)}${printNote(log.spans, options)}`;
  const mark = log.mark === undefined ? "" : ` ${log.mark}`;
  return `  ${kind}${mark} [${log.parts.map(quoted).join(", ")}] (${types.join(", ")})${check}${place}\n`;
}

function printWait({ waits, op, id, count, spans }: WaitSite, options: PrintOptions): string {
  const numbers = `${id === undefined ? "" : ` id=${id}`}${count === undefined ? "" : ` count=${count}`}`;
  return `  wait ${quoted(waits)} ${quoted(op)}${numbers}${printSpans(spans, options)}${printNote(spans, options)}\n`;
}

/** The op graph as text, which `parseGraph` reads back exactly. */
export function printGraph(graph: Graph, options: PrintOptions = {}): string {
  const params = graph.params.map((p) => `${p.kind} ${quoted(p.name)} ${printValue(p.value)}: ${typeName(p.value.type)}`);
  const name = word.test(graph.name) ? graph.name : quoted(graph.name);
  const shared = graph.shared.map((b) => printBuffer(b, options)).join("");
  const logs = graph.logs.map((l) => printLog(l, options)).join("");
  const checks = (graph.checks ?? []).map((c) => printLog(c, options, "check")).join("");
  const waits = (graph.waits ?? []).map((w) => printWait(w, options)).join("");
  const ops = graph.body.ops.map((op) => printOp(op, "  ", options)).join("");
  return `kernel @${name}(${params.join(", ")}) ${printOptions(graph)} {\n${shared}${logs}${checks}${waits}${ops}}\n`;
}

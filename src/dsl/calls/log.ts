import { format } from "node:util";
import type { ScalarType } from "../../ir/index.ts";
import { describe } from "../numbers/describe.ts";
import { whenTyped } from "../numbers/open-types.ts";
import { StagedText, usable } from "../numbers/unusable.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, type StagedScalar, withPrinted } from "../trace/scalar.ts";
import { isOwnObject } from "../trace/staged.ts";
import type { Trace } from "../trace/trace.ts";

/** Stands in the text for staged value `i`; no program prints it. */
const mark = (i: number): string => `\uE000${i}\uE001`;
const marks = /\uE000(\d+)\uE001/;

/** `%d` and its like take a staged value too: what is left of the specifier is the value itself. */
function withSpecifiers(args: readonly unknown[], show: (x: unknown) => unknown): unknown[] {
  const [first, ...rest] = args;
  if (typeof first !== "string") return args.map(show);
  let next = 0;
  const text = first.replaceAll(/%[sdifjoOc%]/g, (spec) => {
    if (spec === "%%") return spec;
    const value = rest[next++];
    return isStagedScalar(value) || value instanceof StagedText ? "%s" : spec;
  });
  return [text, ...rest.map(show)];
}

/** The text of a `console.log` as Node prints it, split at the staged values. */
function logParts(args: readonly unknown[]): { parts: string[]; values: StagedScalar[]; texts: boolean[] } {
  const held: { readonly value: StagedScalar; readonly text: boolean }[] = [];
  const hold = (value: StagedScalar, text = false): string => mark(held.push({ value, text }) - 1);
  const show = (x: unknown): unknown => {
    if (isStagedScalar(x)) return hold(x);
    if (x instanceof StagedText) return x.parts.map((part, i) => part + (x.values[i] ? hold(x.values[i], true) : "")).join("");
    if (isOwnObject(x)) return describe(x);
    return usable(x);
  };
  const text = withPrinted(
    (x) => (isStagedScalar(x) ? hold(x) : failHere("W2041", { what: "what console.log prints" })),
    () => format(...withSpecifiers(args, show)),
  );
  const pieces = text.split(marks);
  const order = pieces.flatMap((piece, i) => (i % 2 === 1 ? (held[Number(piece)] ?? []) : []));
  return { parts: pieces.filter((_, i) => i % 2 === 0), values: order.map((x) => x.value), texts: order.map((x) => x.text) };
}

/** `console.log` in a kernel: each thread records its values, and the host prints the text. */
export function emitLog(trace: Trace, args: readonly unknown[]): void {
  const { parts, values, texts } = logParts(args);
  const types: ScalarType[] = values.map((x) => x.type);
  values.forEach((x, i) => {
    whenTyped(x.value, (type) => {
      types[i] = type;
    });
  });
  const site = trace.logs.length;
  trace.logs.push({ kind: "log", parts, types, ...(texts.includes(true) ? { texts } : {}), spans: trace.spans() });
  trace.emit("log", { values: values.map((x) => x.value), pred: undefined }, { site });
}

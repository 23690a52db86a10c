import { formatWithOptions } from "node:util";
import { type LogForm, logForms, type ScalarType } from "../../ir/index.ts";
import { fail } from "../errors/index.ts";
import { describe, refusePlace } from "../numbers/describe.ts";
import { isStaged } from "../numbers/lift.ts";
import { aType } from "../numbers/names.ts";
import { whenTyped } from "../numbers/open-types.ts";
import { refuseTriple } from "../numbers/triple.ts";
import { StagedText, usable } from "../numbers/unusable.ts";
import { noteReached } from "../objects/outer-reads.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, type StagedScalar, withPrinted } from "../trace/scalar.ts";
import { isOwnObject } from "../trace/staged.ts";
import type { Trace } from "../trace/trace.ts";

/** Stands in the text for staged value `i`; no program prints it. */
const mark = (i: number): string => `\uE000${i}\uE001`;
const marks = /\uE000(\d+)\uE001/;

/** Objects on one line, so that what stands where does not depend on how long the values are. */
const onOneLine = { breakLength: Number.POSITIVE_INFINITY, compact: true };

/** A value of the text, and what makes text of it. */
interface Printed {
  readonly value: StagedScalar;
  readonly form: LogForm | undefined;
}

/** The arguments of one `console.log` become what Node prints with marks in place of the values. */
class LogText {
  readonly #printed: Printed[] = [];

  #hold(value: StagedScalar, form?: LogForm): string {
    return mark(this.#printed.push({ value, form }) - 1);
  }

  #text({ parts, values }: StagedText): string {
    return parts.map((part, i) => part + (values[i] ? this.#hold(values[i], "text") : "")).join("");
  }

  #show(x: unknown): unknown {
    if (isStagedScalar(x)) return this.#hold(x);
    if (x instanceof StagedText) return this.#text(x);
    if (isOwnObject(x)) {
      refuseTriple(x);
      refusePlace(x, "what `console.log` prints");
      return describe(x);
    }
    return usable(x);
  }

  /** What stands for an argument that a specifier takes, and the specifier that Node gets for it. W2060. */
  #specified(spec: string, x: unknown): { spec: string; shown: unknown } {
    const what = x instanceof StagedText ? "a text with a value of the GPU in it" : describe(x);
    const refuse = (): never => failHere("W2060", { spec, what });
    const letter = spec.slice(1);
    if (letter === "c") return { spec, shown: "" };
    if (isStagedScalar(x))
      return {
        spec: "%s",
        shown: this.#hold(
          x,
          logForms.find((form) => form === letter),
        ),
      };
    // What Node makes of these depends on what the values are.
    if (x instanceof StagedText && "dif".includes(letter)) refuse();
    if ("sj".includes(letter) && !(x instanceof StagedText) && isStaged(x)) refuse();
    return { spec, shown: this.#show(x) };
  }

  /** What Node is given. */
  #arguments(args: readonly unknown[]): readonly unknown[] {
    const [first, ...rest] = args;
    const format = first instanceof StagedText ? this.#text(first) : first;
    if (typeof format !== "string") return args.map((x) => this.#show(x));
    const shown: unknown[] = [];
    const text = format.replaceAll(/%[sdifjoOc%]/g, (spec) => {
      if (spec === "%%" || shown.length === rest.length) return spec;
      const one = this.#specified(spec, rest[shown.length]);
      shown.push(one.shown);
      return one.spec;
    });
    return [text, ...shown, ...rest.slice(shown.length).map((x) => this.#show(x))];
  }

  /** The text, split at the values. */
  split(args: readonly unknown[]): { parts: readonly string[]; values: readonly Printed[] } {
    const print = (x: object): string => {
      if (x instanceof StagedText) return this.#text(x);
      usable(x);
      return isStagedScalar(x) ? this.#hold(x) : failHere("W2041", { what: "what console.log prints" });
    };
    const text = withPrinted(print, () => formatWithOptions(onOneLine, ...this.#arguments(args)));
    const pieces = text.split(marks);
    return {
      parts: pieces.filter((_, i) => i % 2 === 0),
      values: pieces.flatMap((piece, i) => (i % 2 === 1 ? (this.#printed[Number(piece)] ?? []) : [])),
    };
  }
}

/** `console.log` in a kernel: each thread records its values, and the host prints the text. W2010, W2041, W2060, W2061. */
export function emitLog(trace: Trace, args: readonly unknown[]): void {
  noteReached(trace, args, true);
  const { parts, values } = new LogText().split(args);
  const spans = trace.spans();
  const types: ScalarType[] = values.map(({ value }) => value.type);
  values.forEach(({ value, form }, i) => {
    whenTyped(value.value, (type) => {
      // `%j` is JSON.stringify.
      if (form === "j" && (type === "i64" || type === "u64")) fail("W2061", { given: aType(type) }, spans);
      types[i] = type;
    });
  });
  const forms = values.map(({ form }) => form);
  const site = trace.logs.length;
  trace.logs.push({ kind: "log", parts, types, ...(forms.some((form) => form) ? { forms } : {}), spans });
  trace.emit("log", { values: values.map(({ value }) => value.value), pred: undefined }, { site });
}

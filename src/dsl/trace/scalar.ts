import { noSpans } from "../../base/diag/index.ts";
import type { ScalarType, Value } from "../../ir/index.ts";
import { fail } from "../errors/index.ts";
import { Staged } from "./staged.ts";
import { activeTrace } from "./trace.ts";

const inspect = Symbol.for("nodejs.util.inspect.custom");

/** While a `console.log` of a kernel is read: what stands in its text for a staged value, or for a text with such values in it. */
let printed: ((value: object) => string) | undefined;

/** What stands for it in the text that is being made; undefined where none is. */
export const printedText = (value: object): string | undefined => printed?.(value);

/** Runs `run` with `print` saying what stands for a staged value in the text that Node makes. */
export function withPrinted<T>(print: (value: object) => string, run: () => T): T {
  const outer = printed;
  printed = print;
  try {
    return run();
  } finally {
    printed = outer;
  }
}

/** Base of what stands for a number or a boolean on the GPU: JavaScript can neither read it nor compute with it. */
abstract class StagedPrimitive extends Staged {
  abstract readonly noun: string;
  [Symbol.toPrimitive](): never {
    return fail("W2008", { noun: this.noun }, activeTrace()?.spans() ?? noSpans);
  }
  toJSON(): never {
    return this[Symbol.toPrimitive]();
  }
  [inspect](): string {
    return printedText(this) ?? `[${this.noun} on the GPU]`;
  }
}

/**
 * A number, bigint or boolean on the GPU. To TypeScript it is `number`, `bigint` or `boolean`; JavaScript itself cannot compute
 * with it, so turning it into a primitive is an error that says so.
 */
export class StagedScalar extends StagedPrimitive {
  get type(): ScalarType {
    return this.value.type as ScalarType;
  }
  get noun(): string {
    return this.type === "pred" ? "bool" : this.type;
  }
}

export const isStagedScalar = (x: unknown): x is StagedScalar => x instanceof StagedScalar;

/** What the author sees of an op's result. The cast is the boundary: to TypeScript a staged scalar is a number. */
export const scalar = (value: Value): never => new StagedScalar(value) as never;

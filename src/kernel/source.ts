import { display, otherRuntime, placeOnStack, type Span } from "../base/diag/index.ts";
import { isElementType } from "../base/element-types.ts";
import type { FunctionMeta } from "../dsl/index.ts";
import { functionMeta, isExplicit, type TMA } from "../dsl/index.ts";
import type { ScalarType } from "../ir/index.ts";
import { registerType } from "../ir/index.ts";
import { fail } from "./errors.ts";
import { checkOptionValues } from "./options.ts";
import type { KernelOptions } from "./types.ts";

/** What a parameter is, once annotations and options have been read. */
export type Parameter =
  | { readonly kind: "tensor"; readonly name: string; readonly dtype?: string; readonly rank?: number }
  | { readonly kind: "tma"; readonly name: string; readonly dtype?: string; readonly rank?: number }
  | {
      readonly kind: "scalar";
      readonly name: string;
      readonly type: ScalarType;
      /** What a launch that leaves it out passes, of the arguments before it. */
      readonly default?: ((...before: readonly unknown[]) => unknown) | undefined;
    }
  | {
      readonly kind: "static";
      readonly name: string;
      /** A launch may leave it out: it is undefined then. */
      readonly optional?: boolean | undefined;
    };

/** A kernel as it was written. */
export interface KernelSource {
  readonly name: string;
  readonly body: (...args: never[]) => unknown;
  readonly span: Span | undefined;
  readonly parameters: readonly Parameter[];
  /** What the body takes behind the author's arguments, made of those at each launch. A kernel that somebody has written has none. */
  readonly derived?: readonly DerivedMap[];
  readonly options: KernelOptions;
}

/** A tensor map that a launch makes of its arguments: the same object for the same tensors. */
export interface DerivedMap {
  readonly name: string;
  /** The parameter whose argument it is a map of. */
  readonly of: string;
  readonly make: (args: readonly unknown[]) => TMA;
}

/** The type of a parameter that is declared with the name of an element type. */
const parameterType = (name: string): ScalarType | undefined => (isElementType(name) ? registerType(name) : undefined);

/** Reads what the transform, or the option `params`, says of a kernel. W7506, W7507, W7512, W7517, W7520. */
export function kernelSource(options: KernelOptions, body: (...args: never[]) => unknown): KernelSource {
  const meta = functionMeta(body);
  const name = meta?.name || body.name || "kernel";
  if (!meta && !isExplicit(body)) fail("W7507", { kernel: body.name, runtime: otherRuntime(), file: placeOnStack()[0]?.file });
  const parameters = meta
    ? meta.params.map((p, i) => parameter(name, p, meta.paramSpans[i]))
    : explicitParameters(name, options, body.length);
  checkValues(name, options, parameters);
  return { name, body, span: meta?.span, parameters, options };
}

function parameter(kernel: string, param: FunctionMeta["params"][number], span: Span | undefined): Parameter {
  const { name } = param;
  switch (param.kind) {
    case "tensor":
    case "tma":
      return { ...param, name };
    case "scalar":
      return { kind: "scalar", name, type: parameterType(param.dtype) ?? "i32", default: param.default };
    case "bare":
      return fail("W7506", { kernel, name, type: param.type }, span ? [span] : []);
    case "unclear":
      return fail("W7520", { kernel, name, type: param.type, why: param.why }, span ? [span] : []);
    case "buffer":
      return fail("W7520", { kernel, name, type: "Buffer", why: "a buffer belongs to a program" }, span ? [span] : []);
    case "static":
    case "other":
      return { kind: "static", name, optional: param.optional };
    default:
      return param satisfies never;
  }
}

function explicitParameters(kernel: string, options: KernelOptions, count: number): Parameter[] {
  const kinds = options.params ?? [];
  const expected = '"tensor", "tma", "static" or an element type';
  if (!Array.isArray(kinds))
    fail("W7511", { kernel, option: "params", value: display(kinds), expected: `a list of ${expected}` });
  if (kinds.length !== count) fail("W7517", { kernel, params: count, given: kinds.length });
  return kinds.map((kind, i): Parameter => {
    const name = `p${i}`;
    if (kind === "tensor" || kind === "tma" || kind === "static") return { kind, name };
    const type = typeof kind === "string" ? parameterType(kind) : undefined;
    return type ? { kind: "scalar", name, type } : fail("W7511", { kernel, option: "params", value: display(kind), expected });
  });
}

/** W7512. */
export function refuseDynamic(
  kernel: string,
  name: string,
  parameters: readonly { readonly kind: string; readonly name: string }[],
): never {
  const tensors = parameters.filter((p) => p.kind === "tensor" || p.kind === "tma").map((p) => p.name);
  return fail("W7512", { kernel, name, tensors: tensors.join(", ") || "it has none" });
}

function checkValues(kernel: string, options: KernelOptions, parameters: readonly Parameter[]): void {
  for (const name of Object.keys(options.dynamic ?? {})) {
    const [root] = name.split(/[.[]/, 1);
    // What a static argument holds is seen when it is given: it may be a tensor or a tensor map itself.
    const named = parameters.some((p) =>
      p.kind === "tensor" || p.kind === "tma" ? p.name === name : p.kind === "static" && p.name === root,
    );
    if (!named) refuseDynamic(kernel, name, parameters);
  }
  checkOptionValues(kernel, options);
}

import { fileURLToPath } from "node:url";
import type { Remark } from "../../src/base/diag/index.ts";
import { functionMeta } from "../../src/dsl/calls/functions.ts";
import { loopRemarks } from "../../src/dsl/control/loop-remarks.ts";
import { range, staticRange } from "../../src/dsl/control/range.ts";
import { open } from "../../src/dsl/hooks.ts";
import { cdiv } from "../../src/dsl/math/index.ts";
import * as convert from "../../src/dsl/numbers/conversions.ts";
import { convertTo } from "../../src/dsl/numbers/convert.ts";
import { finishOpenTypes } from "../../src/dsl/numbers/finish.ts";
import { lift } from "../../src/dsl/numbers/lift.ts";
import { isStagedScalar, scalar } from "../../src/dsl/trace/scalar.ts";
import { own } from "../../src/dsl/trace/staged.ts";
import { Trace, withTrace } from "../../src/dsl/trace/trace.ts";
import { type Graph, type GraphParam, printGraph, type ScalarType, verify } from "../../src/ir/index.ts";
import { transformSource } from "../../src/transform/index.ts";
import { compileText } from "../support/compile-file.mjs";
import { programOptions } from "../support/program-options.ts";

export type Environment = Readonly<Record<string, unknown>>;

let last = { text: "", emit: "js", code: "" };
/** The text transformed: the last one is kept, which tests run on the host and trace. */
function transformed(text: string, emit: "js" | "ts"): string {
  if (last.text === text && last.emit === emit) return last.code;
  const fileName = fileURLToPath(import.meta.url).replace(/[^/]*$/, "kernel.ts");
  const names = { fileName, displayName: "kernel.ts" };
  const { code } = emit === "ts" ? transformSource(text, { ...names, emit }) : compileText(text, names, transformSource);
  last = { text, emit, code };
  return code;
}

/** Runs the transformed text of one module as a script: its imports come from `env`, `exports` gives what it declares. */
export function runModule(
  text: string,
  env: Environment,
  exports: readonly string[],
  emit: "js" | "ts" = "js",
): Record<string, (...args: unknown[]) => unknown> {
  const body = transformed(text, emit)
    .replace(/^import \{ open as \$open \} from "[^"]*";/m, "")
    .replace(/^import [^;]*;$/gm, "")
    .replace(/^export (default )?/gm, "")
    .replace(/^\/\/# sourceMappingURL.*$/gm, "");
  const names = Object.keys(env);
  const make = new Function("$open", ...names, `"use strict";\n${body}\nreturn { ${exports.join(", ")} };`);
  return make(open, ...names.map((name) => env[name])) as Record<string, (...args: unknown[]) => unknown>;
}

export interface TracedSource {
  readonly graph: Graph;
  readonly text: string;
  readonly remarks: readonly Remark[];
}

/** A store that tests watch: `out(k, value)` becomes a store to element k of the memory of its type. */
const store = (trace: Trace, base: GraphParam["value"]) =>
  own((index: number, value: unknown): void => {
    const type = isStagedScalar(value)
      ? value.type
      : typeof value === "boolean"
        ? "pred"
        : typeof value === "bigint"
          ? "i64"
          : Number.isInteger(value)
            ? "i32"
            : "f32";
    const x = lift(
      type === "pred" ? (value ? convertTo("i32", value) : 0) : value,
      type === "pred" ? "i32" : type,
      "what out stores",
    );
    trace.emit("st.global", { ptr: base, values: [x], pred: undefined }, { offset: index * 8, cache: "" });
  });

/** Traces the function `f` of a module with staged parameters `types`; `out(k, x)` in it stores. */
export function traceSource(
  text: string,
  types: readonly ScalarType[],
  env: Environment = {},
  /** `untyped`: the text has no types, so that nothing has to be taken out of it. */
  options: { debug?: boolean; statics?: readonly unknown[]; untyped?: boolean } = {},
): TracedSource {
  const trace = new Trace({ name: "f", ...programOptions({ debug: options.debug ?? false }) });
  const base = trace.value("ptr.global", "out");
  const params: GraphParam[] = [{ name: "out", kind: "tensor", value: base }];
  const values = types.map((type, i) => {
    const value = trace.value(type, `p${i}`);
    params.push({ name: `p${i}`, kind: "scalar", value });
    return value;
  });
  trace.region.params.push(...params.map((p) => p.value));
  const kernel = <F>(_options: unknown, f: F): F => f;
  const helper = <F>(f: F): F => f;
  const remarks = withTrace(trace, () => {
    const all = { ...convert, cdiv, range, staticRange, kernel, helper, out: store(trace, base), ...env };
    const { f } = runModule(text, all, ["f"], options.untyped ? "ts" : "js");
    if (!f || !functionMeta(f)) throw new Error("the module has no transformed function f");
    f(...values.map((value) => scalar(value)), ...(options.statics ?? []));
    trace.emit("exit", {}, {});
    const found = loopRemarks(trace);
    finishOpenTypes(trace);
    return found;
  });
  const graph: Graph = {
    ...trace.options,
    params,
    body: trace.region,
    shared: trace.shared,
    logs: trace.logs,
    ...(trace.checks.length > 0 ? { checks: trace.checks } : {}),
  };
  if (trace.logs.length === 0) verify(graph);
  return { graph, text: printGraph(graph), remarks };
}

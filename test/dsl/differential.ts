import { expect } from "vitest";
import { range, staticRange } from "../../src/dsl/public.ts";
import { interpret } from "../support/ir-interpreter.ts";
import { runModule, type TracedSource, traceSource } from "./trace-source.ts";

const size = 272;

/** What the same text does as plain JavaScript: the hooks outside a trace. */
function onHost(text: string, args: readonly number[]): string {
  const memory = new DataView(new ArrayBuffer(size));
  for (let i = 0; i < size; i++) memory.setUint8(i, Math.imul(i, 37) & 255);
  const out = (k: number, value: number | boolean): void => memory.setInt32(k * 8, Number(value), true);
  const identity = (x: unknown): unknown => x;
  const env = {
    range,
    staticRange,
    out,
    i32: identity,
    u32: identity,
    bool: identity,
    kernel: (_: unknown, f: unknown) => f,
    helper: identity,
  };
  const { f } = runModule(text, env, ["f"]);
  f?.(...args);
  return Buffer.from(memory.buffer).toString("hex");
}

export const header = 'import { kernel, helper, range, staticRange, i32, u32, i64, f32, f16, bool } from "warpsmith";\n';

/**
 * A kernel over staged i32s stores with `out(k, x)`: the graph must store what plain JavaScript stores, for every set of arguments. `before`: what stands
 * before the kernel in its file.
 */
export function sameAsJavaScript(body: string, argumentSets: readonly (readonly number[])[], before = ""): void {
  tracedAsJavaScript(body, argumentSets, before);
}

/** The same. Gives what was traced. */
export function tracedAsJavaScript(body: string, argumentSets: readonly (readonly number[])[], before = ""): TracedSource {
  const text = `${header}${before}export const f = kernel({}, ${body});`;
  const traced = traceSource(
    text,
    (argumentSets[0] ?? []).map(() => "i32" as const),
  );
  const { graph, text: printed } = traced;
  for (const args of argumentSets) {
    const got = interpret(graph, [0, ...args], size);
    expect(got, `${body}\nwith ${args.join(", ")}\n${printed}`).toBe(onHost(text, args));
  }
  return traced;
}

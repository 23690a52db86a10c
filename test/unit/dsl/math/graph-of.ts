import { finishOpenTypes } from "../../../../src/dsl/numbers/finish.ts";
import { lift } from "../../../../src/dsl/numbers/lift.ts";
import { StagedScalar } from "../../../../src/dsl/trace/scalar.ts";
import { Trace, withTrace } from "../../../../src/dsl/trace/trace.ts";
import { bitsOf, type Graph, type ScalarType, type Value } from "../../../../src/ir/index.ts";
import { programOptions } from "../../../support/program-options.ts";

const block = [256, 1, 1] as const;

/** The kernel `out[i] = run(x0[i], x1[i], …)` for the thread number i, before any pass. */
export function graphOf(name: string, types: readonly ScalarType[], out: ScalarType, run: (...args: never[]) => unknown): Graph {
  const trace = new Trace({ name, ...programOptions({ block }) });
  const pointers = [...types, out].map((_, i) => trace.value("ptr.global", `p${i}`));
  trace.region.params.push(...pointers);
  withTrace(trace, () => {
    const special = (reg: "ctaid.x" | "tid.x"): Value => trace.emit("sreg", {}, { reg }).results[0] as Value;
    const size = trace.emit("const", {}, { value: 256 }, { types: ["i32"] }).results[0] as Value;
    const first = trace.emit("mul", { a: special("ctaid.x"), b: size }, {}).results[0] as Value;
    const index = trace.emit("add", { a: first, b: special("tid.x") }, {}).results[0] as Value;
    const address = (ptr: Value, type: ScalarType): Value => {
      const bytes = trace.emit("const", {}, { value: bitsOf(type) / 8 }, { types: ["i32"] }).results[0] as Value;
      const by = trace.emit("mul", { a: index, b: bytes }, {}).results[0] as Value;
      return trace.emit("ptr.add", { ptr, by }, {}).results[0] as Value;
    };
    const args = types.map((type, i) => {
      const ptr = address(pointers[i] as Value, type);
      const none = { pred: undefined, other: undefined };
      return trace.emit("ld.global", { ptr, ...none }, { offset: 0, cache: "" }, { types: [type] }).results[0] as Value;
    });
    const result = lift(run(...(args.map((value) => new StagedScalar(value)) as never[])), out, "the result");
    trace.emit(
      "st.global",
      { ptr: address(pointers[types.length] as Value, out), values: [result], pred: undefined },
      { offset: 0, cache: "" },
    );
    trace.emit("exit", {}, {});
    finishOpenTypes(trace);
  });
  const params = pointers.map((value, i) => ({ name: `p${i}`, kind: "tensor" as const, value }));
  return { ...trace.options, params, body: trace.region, shared: [], logs: [] };
}

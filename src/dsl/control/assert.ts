import { anyOp, type ScalarType, type Value } from "../../ir/index.ts";
import { truth } from "../numbers/compare.ts";
import { whenTyped } from "../numbers/open-types.ts";
import { failHere } from "../trace/fail-here.ts";
import { own } from "../trace/staged.ts";
import { activeTrace, currentTrace, type Trace } from "../trace/trace.ts";

function check(what: string, condition: unknown, message: string): void {
  const holds = activeTrace() ? truth(condition) : Boolean(condition);
  if (typeof holds === "boolean") {
    if (!holds) failHere("W2045", { message });
    return;
  }
  const trace = currentTrace(what);
  if (!trace.options.debug) return;
  const { parts, values } = compared(trace, holds.value, message);
  const types: ScalarType[] = values.map((v) => v.type as ScalarType);
  values.forEach((v, i) => {
    whenTyped(v, (type) => {
      types[i] = type;
    });
  });
  const site = trace.logs.length;
  trace.logs.push({ kind: "assert", parts, types, spans: trace.spans() });
  trace.emit("assert", { condition: holds.value, values }, { site });
}

const symbols = { eq: "===", ne: "!==", lt: "<", le: "<=", gt: ">", ge: ">=" } as const;

/** What is said where the assertion fails: with both sides, where it is a comparison. */
function compared(
  trace: Trace,
  condition: Value,
  message: string,
): { readonly parts: readonly string[]; readonly values: readonly Value[] } {
  const made = trace.makerOf(condition);
  const op = made && anyOp(made);
  if (op?.name !== "cmp") return { parts: [message], values: [] };
  const { a, b } = op.operands;
  return { parts: [`${message} (`, ` ${symbols[op.attrs.is]} `, " is false)"], values: [a, b] };
}

type Assert = (condition: boolean, message?: string) => asserts condition;
type Assume = (condition: boolean) => asserts condition;

/** Static condition: checked while tracing. Staged: traps on the GPU when compiled with `debug`. */
export const assert: Assert = own((condition: boolean, message?: string): asserts condition =>
  check("assert(…)", condition, message ?? "assertion failed"),
);

/** For the compiler: `condition` holds here. Checked where the kernel is compiled with `debug`. */
export const assume: Assume = own((condition: boolean): asserts condition =>
  check("assume(…)", condition, "what the kernel assumes"),
);

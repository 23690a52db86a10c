import { anyOp, type ScalarType, type Value } from "../../ir/index.ts";
import { truth } from "../numbers/compare.ts";
import { whenTyped } from "../numbers/open-types.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar } from "../trace/scalar.ts";
import { own } from "../trace/staged.ts";
import { activeTrace, currentTrace, type Trace } from "../trace/trace.ts";

function check(what: string, condition: unknown, message: string, named: readonly unknown[] = []): void {
  const holds = activeTrace() ? truth(condition) : Boolean(condition);
  if (typeof holds === "boolean") {
    if (!holds) failHere("W2045", { message });
    return;
  }
  const trace = currentTrace(what);
  if (!trace.options.debug) return;
  const { parts, values } = said(trace, holds.value, message, named);
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

/** Values that the record of a failed assertion has room for. */
const most = 3;

/** Text, and the values between its parts. */
interface Said {
  readonly parts: readonly string[];
  readonly values: readonly Value[];
}

/** The message with its numbers. W7712. */
function withNumbers(message: string, named: readonly unknown[]): Said {
  const places = message.split("{}");
  if (named.length === 0) return { parts: [message], values: [] };
  if (places.length !== named.length + 1 || named.length > most)
    return failHere("W7712", { message, places: places.length - 1, numbers: named.length, most });
  let text = places[0] ?? "";
  const [parts, values]: [string[], Value[]] = [[], []];
  for (const [i, number] of named.entries()) {
    const behind = places[i + 1] ?? "";
    if (isStagedScalar(number)) {
      parts.push(text);
      values.push(number.value);
      text = behind;
    } else text += String(number) + behind;
  }
  return { parts: [...parts, text], values };
}

/** What is said where the assertion fails: with both sides, where it is a comparison, and there is room for them. */
function said(trace: Trace, condition: Value, message: string, named: readonly unknown[]): Said {
  const { parts, values } = withNumbers(message, named);
  const made = trace.makerOf(condition);
  const op = made && anyOp(made);
  if (op?.name !== "cmp" || values.length + 2 > most) return { parts, values };
  const { a, b } = op.operands;
  return {
    parts: [...parts.slice(0, -1), `${parts.at(-1) ?? ""} (`, ` ${symbols[op.attrs.is]} `, " is false)"],
    values: [...values, a, b],
  };
}

type Assert = (condition: boolean, message?: string, ...numbers: readonly number[]) => asserts condition;
type Assume = (condition: boolean) => asserts condition;

/**
 * Static condition: checked while tracing. Staged: traps on the GPU when compiled with `debug`. Each `{}` in the message is one of up to 3 numbers that follow it:
 * `assert(i >= 0, "ids[{}] is negative", at)`. W2045, W7712, W7515.
 *
 * @example
 * ```ts
 * const take = kernel({ block: 32, grid: 1, debug: true }, (ids: Tensor<"i32", 1>, x: Tensor<"f32", 1>, y: Tensor<"f32", 1>) => {
 *   const id = ids[threadIdx.x]!;
 *   assert(id < x.shape[0], "ids[{}] is {}", threadIdx.x, id);
 *   y[threadIdx.x] = x[id]!;
 * });
 *
 * await using gpu = await openDevice();
 * take.launch({}, gpu.zeros("i32", [32]), gpu.zeros("f32", [8]), gpu.zeros("f32", [32]));
 * ```
 */
export const assert: Assert = own((condition: boolean, message?: string, ...numbers: readonly number[]): asserts condition =>
  check("assert(…)", condition, message ?? "assertion failed", numbers),
);

/** For the compiler: `condition` holds here. Checked where the kernel is compiled with `debug`. */
export const assume: Assume = own((condition: boolean): asserts condition =>
  check("assume(…)", condition, "what the kernel assumes"),
);

import { constant } from "../../ir/arith.ts";
import type { Attrs, Value } from "../../ir/index.ts";
import { describe } from "../numbers/describe.ts";
import { liftIndex } from "../numbers/lift.ts";
import { isLiteral } from "../numbers/literals.ts";
import { emitLike } from "../numbers/operands.ts";
import { usable } from "../numbers/unusable.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, scalar } from "../trace/scalar.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";

/** What another lane can give. */
export type ShuffledValue = number | bigint | boolean;

/** Another lane's value is of the same type, and no literal. */
export type Shuffled<T extends ShuffledValue> = T extends boolean ? boolean : T extends bigint ? bigint : number;

/** A lane, a mask or a distance: 0 to 31 where it is static. W2017, W6508. */
function readLane(trace: Trace, method: string, given: unknown): Value {
  const lane = liftIndex(given, `the second argument of \`warp.${method}\``);
  if (typeof lane === "object") return lane.type === "i32" ? lane : trace.once("convert", { a: lane }, {}, ["i32"]);
  if (lane < 0 || lane > 31) failHere("W6508", { method, given: String(lane) });
  return constant(trace, Number(lane), "i32");
}

/** The value of another lane. One that is known while tracing is the same in all of them. W2010, W2017, W6508. */
export function shuffled<T extends ShuffledValue>(
  method: "shuffle" | "shuffleXor" | "shuffleUp" | "shuffleDown",
  mode: Attrs<"shfl">["mode"],
  value: T,
  by: number,
): Shuffled<T> {
  const trace = currentTrace(`warp.${method}`);
  const given: unknown = value;
  usable(given);
  const lane = readLane(trace, method, by);
  if (isLiteral(given)) return given as Shuffled<T>;
  if (isStagedScalar(given)) return scalar(emitLike("shfl", { value: given.value, by: lane }, given.value, { mode }));
  const wanted = "a number or a truth value";
  return failHere("W2010", {
    what: `the value of \`warp.${method}\``,
    wanted,
    got: describe(given),
    fix: "shuffle the numbers that it holds, one by one",
  });
}

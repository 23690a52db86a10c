import { add, both, compare, constant, or, toInt } from "../../ir/arith.ts";
import { bitsOf, integerRange, type ScalarType, type Value } from "../../ir/index.ts";
import { checkingTrace, expectThat, type Finding } from "../checks/pending.ts";
import { failHere } from "../trace/fail-here.ts";
import type { Trace } from "../trace/trace.ts";

/** Start, stop and step of a loop that counts, in one integer type. */
interface Counting {
  readonly start: Value;
  readonly stop: Value;
  readonly step: Value;
}

type Static = number | bigint;
const isStatic = (x: unknown): x is Static => typeof x === "number" || typeof x === "bigint";

/** The first number that the range does not have, where it has any. */
function numberAfter(start: bigint, stop: bigint, step: bigint): bigint {
  const [far, size] = step > 0n ? [stop - start, step] : [start - stop, -step];
  return far <= 0n ? start : start + ((far + size - 1n) / size) * step;
}

/**
 * A loop counts on until a number is not in the range. Where that number does not fit the type, it begins again at the other end of the
 * type and the loop does not stop. Refuses that of static bounds (W2079); of others, `debug` tells (W7527).
 */
export function expectRangeEnds(trace: Trace, given: readonly unknown[], counting: Counting): void {
  const type = counting.start.type as ScalarType;
  const [least, greatest] = integerRange(type);
  const [start, stop, step] = given;
  if (isStatic(start) && isStatic(stop) && isStatic(step)) {
    const after = numberAfter(BigInt(start), BigInt(stop), BigInt(step));
    if (after < least || after > greatest) failHere("W2079", { after, type });
    return;
  }
  const single = isStatic(step) && (Number(step) === 1 || Number(step) === -1);
  if (!checkingTrace() || bitsOf(type) > 32 || single) return;
  if (!isStatic(step)) expectEnd(trace, counting, undefined, [least, greatest]);
  else expectEnd(trace, counting, BigInt(step), [least, greatest]);
}

/** In 64 bits: the number after the last one lies in the type, or the range is empty. */
function expectEnd(
  trace: Trace,
  counting: Counting,
  step: bigint | undefined,
  [least, greatest]: readonly [bigint, bigint],
): void {
  const wide = (x: Value): Value => toInt(trace, x, "i64");
  const [start, stop, by] = [wide(counting.start), wide(counting.stop), wide(counting.step)];
  const rises = step === undefined ? compare(trace, "gt", by, 0) : constant(trace, step > 0n, "pred");
  const choose = (yes: Value, no: Value): Value =>
    step === undefined ? trace.once("select", { condition: rises, yes, no }, {}) : step > 0n ? yes : no;
  const minus = (a: Value, b: Value): Value => trace.once("sub", { a, b }, {});
  const zero = constant(trace, 0n, "i64");
  const far = choose(minus(stop, start), minus(start, stop));
  const size = choose(by, minus(zero, by));
  // What is left of the last step beyond the last number.
  const rest = trace.once("rem", { a: add(trace, far, -1), b: size }, {});
  const over = minus(size, rest);
  const after = choose(add(trace, add(trace, stop, over), -1), add(trace, minus(stop, over), 1));
  const fits = both(
    trace,
    compare(trace, "ge", after, constant(trace, least, "i64")),
    compare(trace, "le", after, constant(trace, greatest, "i64")),
  ) as Value;
  const type = counting.start.type as ScalarType;
  const finding: Finding = {
    parts: ["this range does not end: the number after its last one is ", `, which is no ${type}`],
    values: [after],
    check: { about: "range" },
  };
  expectThat(trace, or(trace, compare(trace, "le", far, 0), fits), finding, {
    value: after,
    least: Number(least),
    most: Number(greatest),
  });
}

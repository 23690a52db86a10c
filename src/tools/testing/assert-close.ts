import { checkOptions, display, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { fail } from "./errors.ts";
import { numbersOf } from "./numbers-of.ts";

interface Numbers {
  /** How many there are. */
  readonly length: number;
  readonly [index: number]: number;
}

/** How far a result may be off: both are numbers from 0 (W7901). */
export interface Tolerance {
  /** Relative to the expected number. */
  readonly rtol: number;
  /** Absolute. */
  readonly atol: number;
}

const toleranceOptions = optionsOf<Tolerance>("assertClose()", { rtol: true, atol: true });

/** How far a result that passed is off. */
export interface Closeness {
  /** Largest |actual - expected|. */
  readonly maxAbs: number;
  /** Largest |actual - expected| / |expected| where expected is not 0. */
  readonly maxRel: number;
}

/** How far a result with that error is off, in units of its tolerance: above 1 is wrong. NaN is always wrong. */
function excess(error: number, expected: number, { rtol, atol }: Tolerance): number {
  if (!Number.isFinite(error)) return Number.POSITIVE_INFINITY;
  const allowed = atol + rtol * Math.abs(expected);
  return error <= allowed ? 0 : error / allowed;
}

/**
 * Passes where |actual - expected| <= atol + rtol * |expected| for every element. NaN never passes, nor does an infinity beside a
 * finite number. Gives the largest errors. W7902 names the worst element, W7903 lengths that differ.
 */
export function assertClose(actual: Numbers, expected: Numbers, tolerance: Tolerance): Closeness {
  refuseMore(assertClose, arguments);
  checkOptions(tolerance, toleranceOptions);
  const { rtol, atol } = tolerance;
  for (const [name, value] of Object.entries({ rtol, atol })) {
    if (!(typeof value === "number" && value >= 0))
      fail("W7901", { what: `The ${name} of assertClose()`, given: display(value), expected: "a number from 0" });
  }
  const given = numbersOf("The result of assertClose()", actual);
  const wanted = numbersOf("What assertClose() expects", expected);
  if (given.length !== wanted.length) fail("W7903", { actual: given.length, expected: wanted.length });
  const { maxAbs, maxRel, wrong, worst } = compare(given, wanted, tolerance);
  if (wrong === 0) return { maxAbs, maxRel };
  const a = given[worst] ?? Number.NaN;
  const e = wanted[worst] ?? Number.NaN;
  return fail("W7902", {
    wrong,
    count: wanted.length,
    index: worst,
    actual: a,
    expected: e,
    error: Math.abs(a - e),
    allowed: atol + rtol * Math.abs(e),
  });
}

interface Comparison extends Closeness {
  /** How many are not close, and the index of the worst of them. */
  readonly wrong: number;
  readonly worst: number;
}

/** Of two lists of the same length. */
function compare(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: Tolerance): Comparison {
  let [maxAbs, maxRel, most] = [0, 0, 0];
  let wrong = 0;
  let worst = -1;
  const { length } = expected;
  for (let i = 0; i < length; i++) {
    const a = actual[i] ?? Number.NaN;
    const e = expected[i] ?? Number.NaN;
    if (a === e) continue;
    const error = Math.abs(a - e);
    maxAbs = Math.max(maxAbs, error);
    if (e !== 0) maxRel = Math.max(maxRel, error / Math.abs(e));
    const off = excess(error, e, tolerance);
    if (off === 0) continue;
    wrong++;
    if (worst < 0 || off > most) {
      most = off;
      worst = i;
    }
  }
  return { maxAbs, maxRel, wrong, worst };
}

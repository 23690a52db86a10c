import { checkOptions, display, fail, optionsOf } from "../diag/index.ts";
import { checkNumbers } from "./check-numbers.ts";

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

/** How far a result is off, in units of its tolerance: above 1 is wrong. Equal infinities are 0; NaN is always wrong. */
function excess(actual: number, expected: number, { rtol, atol }: Tolerance): number {
  if (actual === expected) return 0;
  const error = Math.abs(actual - expected);
  const allowed = atol + rtol * Math.abs(expected);
  if (error <= allowed && Number.isFinite(error)) return 0;
  return Number.isFinite(error) ? error / allowed : Number.POSITIVE_INFINITY;
}

/**
 * Passes where |actual - expected| <= atol + rtol * |expected| for every element. NaN never passes, nor does an infinity beside a
 * finite number. Gives the largest errors. W7902 names the worst element, W7903 lengths that differ.
 */
export function assertClose(actual: Numbers, expected: Numbers, tolerance: Tolerance): Closeness {
  checkOptions(tolerance, toleranceOptions);
  const { rtol, atol } = tolerance;
  for (const [name, value] of Object.entries({ rtol, atol })) {
    if (!(typeof value === "number" && value >= 0))
      fail("W7901", { what: `The ${name} of assertClose()`, given: display(value), expected: "a number from 0" });
  }
  checkNumbers("The result of assertClose()", actual);
  checkNumbers("What assertClose() expects", expected);
  if (actual.length !== expected.length) fail("W7903", { actual: actual.length, expected: expected.length });
  let wrong = 0;
  let worst = 0;
  let worstIndex = -1;
  for (let i = 0; i < expected.length; i++) {
    const off = excess(actual[i] ?? Number.NaN, expected[i] ?? Number.NaN, tolerance);
    if (off === 0) continue;
    wrong++;
    if (worstIndex < 0 || off > worst) {
      worst = off;
      worstIndex = i;
    }
  }
  if (wrong === 0) return closeness(actual, expected);
  const a = actual[worstIndex] ?? Number.NaN;
  const e = expected[worstIndex] ?? Number.NaN;
  return fail("W7902", {
    wrong,
    count: expected.length,
    index: worstIndex,
    actual: a,
    expected: e,
    error: Math.abs(a - e),
    allowed: atol + rtol * Math.abs(e),
  });
}

function closeness(actual: Numbers, expected: Numbers): Closeness {
  let maxAbs = 0;
  let maxRel = 0;
  for (let i = 0; i < expected.length; i++) {
    const e = expected[i] ?? Number.NaN;
    const error = actual[i] === e ? 0 : Math.abs((actual[i] ?? Number.NaN) - e);
    maxAbs = Math.max(maxAbs, error);
    if (e !== 0) maxRel = Math.max(maxRel, error / Math.abs(e));
  }
  return { maxAbs, maxRel };
}

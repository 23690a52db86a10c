/** What a program does as plain JavaScript, and whether something else has done the same. */
import { classText } from "./generate.ts";
import { outputs, type Program, programText, smallerPrograms } from "./program.ts";

/** Two staged values that every program has. */
export const inputs: readonly (readonly [n: number, m: number])[] = [0, 1, 2, 3, 5].flatMap((n) =>
  [0, 1, 2, 3, 4].map((m): [number, number] => [n, m]),
);

/** In place of what `out` was not told. */
export const untold = -1;
const mostSteps = 20_000;

/** Thrown where JavaScript itself fails, or does not end. */
class NoMeaning extends Error {}

/** For each of the inputs, what each `out` was told. */
export type Told = readonly (readonly number[])[];
/** Something that runs programs. */
export type Run = (program: Program) => Told | Promise<Told>;

type Plain = (
  n: number,
  m: number,
  out: (k: number, x: unknown) => void,
  i32: (x: unknown) => unknown,
  range: (...bounds: number[]) => Iterable<number>,
  staticRange: (...bounds: number[]) => Iterable<number>,
) => void;

function compiled(text: string): Plain {
  try {
    return new Function("n", "m", "out", "i32", "range", "staticRange", text) as Plain;
  } catch (error) {
    throw new NoMeaning(String(error));
  }
}

/** What `out` was told by the text as plain JavaScript. Nothing of the package takes part. */
export function expected(program: Program): Told {
  const text = `"use strict";\n${classText}${programText(program)}`;
  let steps = 0;
  function* range(from: number, to = Number.NaN, step = 1): Generator<number> {
    const [low, high] = Number.isNaN(to) ? [0, from] : [from, to];
    for (let i = low; step > 0 ? i < high : i > high; i += step) {
      if (steps++ > mostSteps) throw new NoMeaning("this does not end");
      yield i;
    }
  }
  const i32 = (x: unknown): unknown => {
    if (steps++ > mostSteps) throw new NoMeaning("this does not end");
    return x;
  };
  // Loops without a range call nothing: their conditions do.
  const run = compiled(text.replaceAll(/\bwhile \(/g, "while (i32(1) && "));
  return inputs.map(([n, m]) => {
    const told = Array.from({ length: outputs }, () => untold);
    const out = (k: number, x: unknown): void => {
      if (typeof x !== "number") throw new NoMeaning(`out is told ${String(x)}`);
      told[k] = x | 0;
    };
    try {
      run(n, m, out, i32, range, range);
    } catch (error) {
      if (error instanceof NoMeaning) throw error;
      throw new NoMeaning(String(error));
    }
    return told;
  });
}

export type Verdict =
  | { readonly kind: "agrees" }
  | { readonly kind: "meaningless" }
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  | { readonly kind: "differs" | "broken"; readonly why: string };

/** What came of running it: a refusal has a code of the language, and anything else that was thrown is a mistake of ours. */
function verdictOf(error: unknown): Verdict {
  if (error instanceof Error && error.name === "WarpsmithError") {
    const { code, message } = error as Error & { readonly code: string };
    return /^W[12]/.test(code) ? { kind: "refused", code, message } : { kind: "broken", why: message };
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: "broken", why: text.split("\n").slice(0, 6).join("\n") };
}

function compare(got: Told, wanted: Told): Verdict {
  for (const [i, row] of wanted.entries())
    for (const [k, want] of row.entries())
      if (got[i]?.[k] !== want)
        return { kind: "differs", why: `n, m = ${inputs[i]?.join(", ")}: out(${k}) got ${got[i]?.[k]}, wants ${want}` };
  return { kind: "agrees" };
}

/** What was told of the program, beside plain JavaScript. `run` gives a row for each of the inputs. */
export async function judge(program: Program, run: Run): Promise<Verdict> {
  let wanted: Told;
  try {
    wanted = expected(program);
  } catch (error) {
    if (error instanceof NoMeaning) return { kind: "meaningless" };
    throw error;
  }
  try {
    return compare(await run(program), wanted);
  } catch (error) {
    return verdictOf(error);
  }
}

/** The smallest program found that is wrong in the same way. */
export async function shrink(program: Program, kind: Verdict["kind"], run: Run): Promise<Program> {
  let best = program;
  for (let found = true; found; ) {
    found = false;
    for (const smaller of smallerPrograms(best)) {
      if ((await judge(smaller, run)).kind !== kind) continue;
      best = smaller;
      found = true;
      break;
    }
  }
  return best;
}

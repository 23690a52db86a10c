/** Where two runs of one program differ. */
import type { Scalar } from "./arithmetic.ts";
import type { Contents } from "./oracle.ts";

const numeric = (x: Scalar | undefined): number | bigint | undefined => (typeof x === "boolean" ? Number(x) : x);
const show = (x: Scalar | undefined): string => (Object.is(x, -0) ? "-0" : typeof x === "bigint" ? `${x}n` : String(x));

/** One line for each of the first elements that differ, and their number; empty where all are the same, NaN and the sign of zero included. */
export function differences(actual: Contents, expected: Contents, most = 4): readonly string[] {
  return Object.entries(expected).flatMap(([name, wanted]) => {
    const got = actual[name] ?? [];
    const wrong = wanted.map((_, i) => i).filter((i) => !Object.is(numeric(got[i]), numeric(wanted[i])));
    if (wrong.length === 0) return [];
    const lines = wrong.slice(0, most).map((i) => `${name}[${i}] is ${show(got[i])} instead of ${show(wanted[i])}`);
    return [...lines, ...(wrong.length > most ? [`… ${wrong.length} of ${wanted.length} elements of ${name}`] : [])];
  });
}

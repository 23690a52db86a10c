// How far the functions of f32 are off, in ulp of f32 against C's functions of f64: of every number, or of pairs by chance.
//
//   node --import warpsmith/register test/tools/math-errors.ts [exp sin pow …] [--step 1] [--pairs 100]
//
// The operations that a function records are written as C, with the same roundings, and compiled by cc. `--step 16` takes every 16th
// number, `--pairs` so many millions of pairs. One function takes a minute or two on one core.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { callMath, erf, erfc } from "../../src/dsl/math/index.ts";
import { asC, preamble } from "../unit/dsl/math/as-c.ts";
import { singleBounds } from "../unit/dsl/math/bounds.ts";

type Operations = (...args: never[]) => unknown;
const ofMath =
  (name: string): Operations =>
  (...args) =>
    callMath(Math[name as "exp"] as never, args);
const others: Readonly<Record<string, Operations>> = {
  exp2: (x) => callMath(Math.pow as never, [2, x]),
  erf: erf as Operations,
  erfc: erfc as Operations,
};
const pairs = new Set(["pow", "atan2", "hypot"]);

const common = `#include <stdio.h>
#include <stdlib.h>
static float number(uint32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
static double ulp(double r) { int e; frexp(r, &e); return ldexp(1, (e < -125 ? -125 : e > 128 ? 128 : e) - 24); }
// NaN, zeros and infinities have to be those of the exact result.
static double error(float got, double exact) {
  if (isnan(exact)) return isnan(got) ? 0 : HUGE_VAL;
  if (isnan(got) || !signbit(got) != !signbit(exact)) return HUGE_VAL;
  if (isinf(exact) || exact == 0) return got == exact ? 0 : HUGE_VAL;
  double size = isinf(got) ? 0x1p128 : fabs((double)got), want = fabs(exact);
  return want > 0x1p128 ? (isinf(got) ? 0 : HUGE_VAL) : fabs(size - want) / ulp(want);
}
`;

const ofOne = (name: string): string => `int main(int count, char **args) {
  double worst = 0; float at = 0;
  for (uint64_t bits = 0; bits < 1ull << 32; bits += atoi(args[1])) {
    float x = number(bits); double e = error(own(x), ${name}(x));
    if (e > worst) { worst = e; at = x; }
  }
  printf("%.4f at %.9g\\n", worst, at);
}`;

/** Of all sizes, and of those with which powers are finite and coordinates alike. */
const ofTwo = (name: string): string => `static uint64_t state = 88172645463325252ull;
static uint64_t next(void) { state ^= state << 13; state ^= state >> 7; return state ^= state << 17; }
static double unit(void) { return (next() >> 11) * 0x1p-53; }
int main(int count, char **args) {
  double worst = 0; float atX = 0, atY = 0;
  for (long i = 0; i < atol(args[2]) * 1000000; i++) {
    float x = number(next()), y = number(next());
    if (i % 2) { x = exp2((unit() - 0.5) * (i % 4 == 1 ? 16 : 0.01)); y = ${name === "pow" ? "(unit() - 0.53) * 290 / log2(x)" : "x * (0.5 + unit())"}; }
    double exact = ${name}(x, y);
    if (${name === "pow" ? "y != 0 && (isnan(x) || isnan(y) || (fabs(x) == 1 && isinf(y)))" : "0"}) exact = NAN;
    double e = error(own(x, y), exact);
    if (e > worst) { worst = e; atX = x; atY = y; }
  }
  printf("%.4f at %.9g, %.9g\\n", worst, atX, atY);
}`;

const { values, positionals } = parseArgs({
  options: { step: { type: "string", default: "1" }, pairs: { type: "string", default: "100" } },
  allowPositionals: true,
});
const all = [...Object.keys(singleBounds).filter((name) => name !== "sqrt"), "exp2"];
const folder = mkdtempSync(join(tmpdir(), "math-errors-"));
try {
  for (const name of positionals.length > 0 ? positionals : all) {
    const types = pairs.has(name) ? (["f32", "f32"] as const) : (["f32"] as const);
    const own = asC("own", types, others[name] ?? ofMath(name));
    const [source, program] = [join(folder, `${name}.c`), join(folder, name)];
    writeFileSync(source, [preamble, own, common, (pairs.has(name) ? ofTwo : ofOne)(name)].join("\n"));
    execFileSync("cc", ["-O2", "-mfma", "-ffp-contract=off", "-w", source, "-o", program, "-lm"]);
    process.stdout.write(`${name.padEnd(6)} ${execFileSync(program, [values.step, values.pairs], { encoding: "utf8" })}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

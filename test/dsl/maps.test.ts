import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as warpsmith from "warpsmith";
import { ofProperty } from "../support/amount.ts";
import { runModule } from "./trace-source.ts";

/**
 * What the function given to `map` does is traced once where one call says it all, and once for each element where it changes what is older. Random
 * functions, over variables of their own and of the kernel's, must do what JavaScript does that calls them for one element after the other.
 */

const [ROWS, COLS, THREADS] = [64, 8, 128];
const input = Array.from({ length: ROWS * COLS }, (_, i) => Math.imul(i + 1, 2654435761) >>> 24);

const targets = ["a", "b", "o.f", "v[1]"] as const;
const atom = fc.constantFrom("a", "b", "o.f", "v[1]", "e", "row", "col", "n", "1", "7");
const expression = fc.oneof(
  atom,
  fc.tuple(atom, fc.constantFrom("+", "-", "*", "^"), atom).map(([x, op, y]) => `((${x} ${op} ${y}) & 1023)`),
  fc.tuple(atom, fc.constantFrom("<", ">", "==="), atom, atom, atom).map(([x, op, y, p, q]) => `(${x} ${op} ${y} ? ${p} : ${q})`),
);
const condition = fc.tuple(atom, fc.constantFrom("<", ">", "===", "!=="), atom).map(([x, op, y]) => `${x} ${op} ${y}`);

function block(depth: number): fc.Arbitrary<string> {
  const assign = fc.tuple(fc.constantFrom(...targets), expression).map(([t, e]) => `${t} = i32(${e});`);
  const list = depth > 0 ? block(depth - 1) : assign;
  const statement = fc.oneof(
    assign,
    assign,
    fc.tuple(condition, list, list).map(([c, x, y]) => `if (${c}) { ${x} } else { ${y} }`),
    fc.tuple(condition, expression).map(([c, x]) => `if (${c}) return i32(${x});`),
    fc
      .tuple(fc.constantFrom("range(3)", "range(n)", "staticRange(2)"), list)
      .map(([r, x]) => `for (const i of ${r}) { b = i32((b + i) & 1023); ${x} }`),
    fc.tuple(atom, atom).map(([r, x]) => `seen[(${r}) & 63][threadIdx.x] = i32(${x});`),
  );
  return fc.array(statement, { minLength: 1, maxLength: 3 }).map((lines) => lines.join(" "));
}

const variables = "let a = i32(1), b = i32(2); const o = { f: i32(4) }, v = [i32(5), i32(6)];";

/** `own`: the variables are the function's, so that each call begins with new ones. */
interface Program {
  readonly body: string;
  readonly result: string;
  readonly own: boolean;
}
const mapped = ({ body, result, own }: Program): string =>
  `(e, row, col) => { ${own ? variables : ""} ${body} return i32(${result}); }`;

const kernelText = (p: Program): string => `
import { kernel, i32, range, staticRange, threadIdx, WGMMAMatrix, type Tensor } from "warpsmith";
export const f = kernel({ block: ${THREADS}, grid: 1 }, function f(x: Tensor<"i32", 2>, y: Tensor<"i32", 2>, seen: Tensor<"i32", 2>, told: Tensor<"i32", 2>, n: i32) {
  ${variables}
  WGMMAMatrix.load(x).map(${mapped(p)}).store(y);
  told[0][threadIdx.x] = a;
  told[1][threadIdx.x] = b;
  told[2][threadIdx.x] = o.f;
  told[3][threadIdx.x] = v[1];
});`;

/** The element that a thread has in its register i. PTX ISA 9.7.15.5.2.3. */
const place = (t: number, i: number): readonly [number, number] => [
  (t >> 5) * 16 + ((t & 31) >> 2) + (i >> 1) * 8,
  (t & 3) * 2 + (i & 1),
];

function onHost(p: Program, n: number) {
  const [y, seen, told] = [ROWS * COLS, 64 * THREADS, 4 * THREADS].map((size) => new Array<number>(size).fill(0)) as [
    number[],
    number[],
    number[],
  ];
  const count = (k: number): number[] => Array.from({ length: k }, (_, i) => i);
  const run = new Function(
    ...["i32", "range", "staticRange", "n", "seen", "threadIdx"],
    `${variables} const f = ${mapped(p)}; return [f, () => [a, b, o.f, v[1]]];`,
  );
  for (let t = 0; t < THREADS; t++) {
    const rows = count(64).map((r) => {
      const set = (_: object, k: PropertyKey, value: number): boolean => {
        seen[r * THREADS + Number(k)] = value;
        return true;
      };
      return new Proxy({}, { set });
    });
    const [f, ends] = run((x: number) => x, count, count, n, rows, { x: t }) as [(...x: number[]) => number, () => number[]];
    for (let i = 0; i < 4; i++) {
      const [row, col] = place(t, i);
      y[row * COLS + col] = f(input[row * COLS + col] ?? 0, row, col);
    }
    ends().forEach((x, k) => {
      told[k * THREADS + t] = x;
    });
  }
  return { y, seen, told };
}

let gpu: warpsmith.Device;
beforeAll(async () => {
  gpu = await warpsmith.openDevice("emulator");
});
afterAll(() => gpu.dispose());

async function onDevice(p: Program, n: number) {
  const { f } = runModule(kernelText(p), warpsmith as never, ["f"]) as unknown as { f: warpsmith.Kernel<readonly unknown[]> };
  using x = gpu.tensor("i32", [ROWS, COLS], input);
  using y = gpu.zeros("i32", [ROWS, COLS]);
  using seen = gpu.zeros("i32", [64, THREADS]);
  using told = gpu.zeros("i32", [4, THREADS]);
  f.launch({ device: gpu }, x, y, seen, told, n);
  const [a, b, c] = await Promise.all([y.read(), seen.read(), told.read()]);
  const once = f.trace(x, y, seen, told, n).toString().includes("tile.map");
  return { once, result: { y: [...a].map(Number), seen: [...b].map(Number), told: [...c].map(Number) } };
}

/** `RUNS=2000 SEED=5 npx vitest run test/dsl/maps.test.ts` */
const asked = ofProperty(150, 5);
const runs = asked.numRuns;

test("random functions of elements do what plain JavaScript does", { timeout: 120_000 + 1000 * runs }, async () => {
  const programs = fc.record({ body: block(2), result: expression, own: fc.boolean() });
  let [once, oneByOne, refused] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(programs, fc.integer({ min: 0, max: 4 }), async (p, n) => {
      let got: Awaited<ReturnType<typeof onDevice>>;
      try {
        got = await onDevice(p, n);
      } catch (error) {
        if (!(error instanceof warpsmith.WarpsmithError) || error.code.startsWith("W9")) throw error;
        refused++;
        return;
      }
      if (got.once) once++;
      else oneByOne++;
      expect(got.result, mapped(p)).toEqual(onHost(p, n));
    }),
    asked,
  );
  // Both ways are gone, and most programs are no error.
  if (runs >= 30) expect(Math.min(once, oneByOne)).toBeGreaterThan(0);
  expect(refused).toBeLessThan(once + oneByOne);
});

import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Device, explicit, kernel, openDevice, ptx, threadIdx } from "../../../../src/index.ts";
import { ofProperty } from "../../../support/amount.ts";

/** What instructions on words give, written from the manual in plain JavaScript. PTX ISA 9.7.1, 9.7.2, 9.7.8, 9.7.9. */
const u = (x: number): number => x >>> 0;
const big = (x: number): bigint => BigInt(u(x));
const low = (x: bigint): number => Number(BigInt.asUintN(32, x));
const shifted = (a: number, n: number, by: (a: number, n: number) => number): number => (u(n) > 31 ? 0 : u(by(a, n)));
const reversed = (a: number): number => u([...Array(32).keys()].reduce((bits, i) => bits | (((a >>> i) & 1) << (31 - i)), 0));
const ones = (a: number): number => [...Array(32).keys()].reduce((n, i) => n + ((a >>> i) & 1), 0);
const permuted = (a: number, b: number, by: number): number => {
  const bytes = [0, 8, 16, 24].map((s) => (a >>> s) & 255).concat([0, 8, 16, 24].map((s) => (b >>> s) & 255));
  return u(
    [0, 1, 2, 3].reduce((word, i) => {
      const pick = (by >>> (4 * i)) & 15;
      const byte = bytes[pick & 7] ?? 0;
      return word | ((pick & 8 ? (byte & 128 ? 255 : 0) : byte) << (8 * i));
    }, 0),
  );
};

type Meaning = (a: number, b: number, c: number) => number;
const instructions: Readonly<Record<string, readonly [operands: 1 | 2 | 3, meaning: Meaning]>> = {
  "add.u32": [2, (a, b) => u(a + b)],
  "sub.s32": [2, (a, b) => u(a - b)],
  "mul.lo.u32": [2, (a, b) => u(Math.imul(a, b))],
  "mul.hi.u32": [2, (a, b) => low((big(a) * big(b)) >> 32n)],
  "mul.hi.s32": [2, (a, b) => low((BigInt(a | 0) * BigInt(b | 0)) >> 32n)],
  "mad.lo.s32": [3, (a, b, c) => u(Math.imul(a, b) + c)],
  "mad.hi.u32": [3, (a, b, c) => low(((big(a) * big(b)) >> 32n) + big(c))],
  "and.b32": [2, (a, b) => u(a & b)],
  "or.b32": [2, (a, b) => u(a | b)],
  "xor.b32": [2, (a, b) => u(a ^ b)],
  "not.b32": [1, (a) => u(~a)],
  "neg.s32": [1, (a) => u(-a)],
  "abs.s32": [1, (a) => u(Math.abs(a | 0))],
  "shl.b32": [2, (a, b) => shifted(a, b, (x, n) => x << n)],
  "shr.u32": [2, (a, b) => shifted(a, b, (x, n) => x >>> n)],
  "shr.s32": [2, (a, b) => u((a | 0) >> Math.min(u(b), 31))],
  "min.u32": [2, (a, b) => Math.min(a, b)],
  "max.u32": [2, (a, b) => Math.max(a, b)],
  "min.s32": [2, (a, b) => u(Math.min(a | 0, b | 0))],
  "max.s32": [2, (a, b) => u(Math.max(a | 0, b | 0))],
  "popc.b32": [1, ones],
  "clz.b32": [1, (a) => Math.clz32(a)],
  "brev.b32": [1, reversed],
  "sad.u32": [3, (a, b, c) => u(c + Math.abs(a - b))],
  "prmt.b32": [3, permuted],
  "shf.l.wrap.b32": [3, (a, b, n) => low((((big(b) << 32n) | big(a)) << BigInt(n & 31)) >> 32n)],
  "shf.r.clamp.b32": [3, (a, b, n) => low(((big(b) << 32n) | big(a)) >> BigInt(Math.min(u(n), 32)))],
  "mul24.lo.u32": [2, (a, b) => low(BigInt(a & 0xffffff) * BigInt(b & 0xffffff))],
};
const names = Object.keys(instructions);

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "eq.u32": (a, b) => a === b,
  "ne.b32": (a, b) => a !== b,
  "lo.u32": (a, b) => a < b,
  "ge.s32": (a, b) => (a | 0) >= (b | 0),
};

/** One of what has been written so far (by its number, modulo), or a number. */
type Source = { readonly of: number } | { readonly number: number };
interface Step {
  readonly name: string;
  readonly sources: readonly Source[];
  /** It runs where the comparison of two values holds. */
  readonly guard: { readonly is: string; readonly negate: boolean; readonly sources: readonly Source[] } | undefined;
}

const word = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  fc.integer({ min: 0, max: 40 }),
  fc.constantFrom(2 ** 31, 2 ** 31 - 1),
);
const source: fc.Arbitrary<Source> = fc.oneof(
  { weight: 4, arbitrary: fc.nat(99).map((of) => ({ of })) },
  { weight: 1, arbitrary: word.map((number) => ({ number })) },
);
const step: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom(...names),
  sources: fc.tuple(source, source, source),
  guard: fc.option(
    fc.record({ is: fc.constantFrom(...Object.keys(comparisons)), negate: fc.boolean(), sources: fc.tuple(source, source) }),
    { nil: undefined, freq: 4 },
  ),
});
const program = fc.record({
  steps: fc.array(step, { minLength: 3, maxLength: 8 }),
  literal: word,
  pure: fc.boolean(),
  braces: fc.boolean(),
});
type Program = typeof program extends fc.Arbitrary<infer T> ? T : never;

/** The results are the last two registers; `$2` and `$3` come from memory, `$4` is a number. */
function textOf({ steps, braces }: Program): string {
  const known = ["$2", "$3", "$4"];
  const lines: string[] = [];
  const spelled = (s: Source): string => ("number" in s ? String(s.number) : (known[s.of % known.length] ?? ""));
  steps.forEach(({ name, sources, guard }, i) => {
    const [count = 1] = instructions[name] ?? [];
    const target = `t${i}`;
    if (guard) {
      lines.push(`mov.u32 ${target}, ${spelled(guard.sources[0] as Source)};`);
      lines.push(`setp.${guard.is} p${i}, ${guard.sources.map(spelled).join(", ")};`);
    }
    const at = guard ? `@${guard.negate ? "!" : ""}p${i} ` : "";
    lines.push(`${at}${name} ${target}, ${sources.slice(0, count).map(spelled).join(", ")};`);
    known.push(target);
  });
  const declared = [`.reg .u32 t<${steps.length}>;`, `.reg .pred p<${steps.length}>;`];
  lines.push(
    `mov.b32 $0, t${steps.length - 1};`,
    `xor.b32 $1, t${steps.length - 2}, $2;`,
    "{ .reg .b32 t0; mov.u32 t0, $3; add.u32 $1, $1, t0; }",
    "add.u32 $1, $1, $4;",
  );
  const all = [...declared, ...lines].join("\n");
  return braces ? `{ ${all} }` : all;
}

function meaningOf({ steps, literal }: Program, a: number, b: number): readonly [number, number] {
  const known = [a, b, literal];
  const value = (s: Source): number => ("number" in s ? s.number : (known[s.of % known.length] ?? 0));
  for (const { name, sources, guard } of steps) {
    const [, meaning] = instructions[name] ?? [];
    const [x = 0, y = 0, z = 0] = sources.map(value);
    const holds = guard
      ? comparisons[guard.is]?.(value(guard.sources[0] as Source), value(guard.sources[1] as Source)) !== guard.negate
      : true;
    known.push(holds ? (meaning?.(x, y, z) ?? 0) : value(guard?.sources[0] as Source));
  }
  return [known.at(-1) ?? 0, u(((known.at(-2) ?? 0) ^ a) + b + literal)];
}

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator");
});
afterAll(() => device.dispose());

const lanes = 32;
/** Programs of one kernel. */
const together = 8;

it("random integer PTX gives what the manual says", { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(program, { minLength: together, maxLength: together }),
      fc.array(word, { minLength: 2 * lanes, maxLength: 2 * lanes }),
      async (programs, words) => {
        const run = kernel(
          { block: lanes, grid: 1, params: ["tensor", "tensor"] },
          // biome-ignore lint/suspicious/noExplicitAny: explicit code sees values of the GPU
          explicit((x: any, y: any) => {
            const [a, b] = [x.at(0, threadIdx.x).load(), x.at(1, threadIdx.x).load()];
            programs.forEach((p, i) => {
              const results = ptx(textOf(p), { out: ["u32", "u32"], pure: p.pure }, a, b, p.literal);
              results.forEach((r, k) => void y.at(i, k, threadIdx.x).store(r));
            });
          }),
        );
        using x = device.tensor("u32", [2, lanes], words);
        using y = device.zeros("u32", [together, 2, lanes]);
        run.launch({}, x as never, y as never);
        const found = await y.read();
        programs.forEach((p, i) => {
          for (let t = 0; t < lanes; t++) {
            const expected = meaningOf(p, words[t] ?? 0, words[lanes + t] ?? 0);
            const given = [found[(2 * i + 0) * lanes + t], found[(2 * i + 1) * lanes + t]];
            expect(given, `${textOf(p)}\n$2 = ${words[t]}, $3 = ${words[lanes + t]}, $4 = ${p.literal}`).toEqual(expected);
          }
        });
      },
    ),
    ofProperty(100, 6),
  );
});

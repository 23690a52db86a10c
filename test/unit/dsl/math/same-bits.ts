import { blockIdx, type Device, kernel, type Tensor, threadIdx } from "warpsmith";
import { callMath, erf, erfc } from "../../../../src/dsl/math/index.ts";
import { type Binary, functions, functionsOfTwo, powersOfTwo, type Unary } from "../../../cases/math-functions.ts";
import { amount } from "../../../support/amount.ts";
import { compiled } from "./evaluate.ts";
import { f32OfBits, nextF32, randomBits, specials } from "./numbers.ts";

/** The functions of f32 on a device, and their operations one by one in JavaScript: the same bits, but for the payload of a NaN. */

const block = 128;
const grid = (x: { readonly shape: readonly number[] }): number => Math.ceil((x.shape[0] ?? 1) / block);
const unary = (f: Unary) =>
  kernel({ block, grid }, function unary(x: Tensor<"f32", 1>, out: Tensor<"f32", 1>) {
    const i = blockIdx.x * block + threadIdx.x;
    if (i < x.shape[0]) out[i] = f(x[i]!);
  });
const binary = (f: Binary) =>
  kernel({ block, grid }, function binary(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>, out: Tensor<"f32", 1>) {
    const i = blockIdx.x * block + threadIdx.x;
    if (i < x.shape[0]) out[i] = f(x[i]!, y[i]!);
  });

type Operations = (...args: never[]) => unknown;
const ofMath =
  (name: string): Operations =>
  (...args) =>
    callMath(Math[name as "exp"] as never, args);
const others: Readonly<Record<string, Operations>> = { erf: erf as Operations, erfc: erfc as Operations };

const bits = randomBits(17);
/** Specials and their neighbours, numbers of all sizes, and of those with which functions are called. */
function samples(count: number): readonly number[] {
  const near = specials.flatMap((x) => [nextF32(x, 1), x, nextF32(x, -1)]);
  const anywhere = Array.from({ length: count }, () => f32OfBits(bits()));
  const usual = Array.from({ length: count }, (_, i) => Math.fround((bits() / 2 ** 31 - 1) * ([1, 4, 20, 110][i % 4] ?? 1)));
  return [...near, ...anywhere, ...usual];
}

/** The arguments of which the device gives something else. */
async function differing(gpu: Device, args: readonly (readonly number[])[], run: Unary | Binary, model: Operations) {
  const inputs = args.map((x) => gpu.tensor("f32", [x.length], Float32Array.from(x)));
  const out = gpu.zeros("f32", [args[0]?.length ?? 0]);
  const [x, y] = inputs;
  if (x && y) binary(run as Binary).launch({}, x, y, out);
  else if (x) unary(run as Unary).launch({}, x, out);
  const found = Array.from(await out.read());
  const { call } = compiled(
    args.map(() => "f32" as const),
    model,
  );
  for (const tensor of [...inputs, out]) tensor.dispose();
  const at = (i: number): number[] => args.map((list) => list[i] ?? Number.NaN);
  return found.flatMap((got, i) =>
    Object.is(got, Number(call(...at(i)))) ? [] : [`${at(i).join(", ")}: ${got}, not ${String(call(...at(i)))}`],
  );
}

export const names: readonly string[] = [...Object.keys(functions), ...Object.keys(functionsOfTwo), "exp2"];

/** Where a function gives other bits on the device. */
export function differences(gpu: Device, name: string): Promise<readonly string[]> {
  const some = samples(amount(8000, 250));
  const one = functions[name];
  if (name === "exp2") return differing(gpu, [some], powersOfTwo, (x) => callMath(Math.pow as never, [2, x]));
  if (one) return differing(gpu, [some], one, others[name] ?? ofMath(name));
  const two = functionsOfTwo[name];
  if (!two) throw new Error(`no function is called ${name}`);
  const pairs = [
    ...specials.flatMap((x) => specials.map((y) => [x, y] as const)),
    ...some.map((x, i) => [x, some[(i * 7919) % some.length] ?? 1] as const),
  ];
  return differing(gpu, [pairs.map(([x]) => x), pairs.map(([, y]) => y)], two, ofMath(name));
}

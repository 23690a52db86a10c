/** Kernels of warpsmith/kernels that `warpsmith explain` knows by their names. */
import type { DeviceTensor } from "../../index.ts";
import type { ExplainOptions } from "./options.ts";
import { Refusal } from "./refusal.ts";

/** Their names. */
export const explained: readonly string[] = ["matmul"];

const types = ["f16", "bf16"] as const;
type HalfType = (typeof types)[number];
const isHalf = (text: string): text is HalfType => types.some((type) => type === text);
const layouts = /^[nt][nt]$/;

interface Product {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

function readSize(size: string): Product {
  const [m = 0, n = 0, k = 0, ...more] = size.split("x").map(Number);
  const good = [m, n, k].every((extent) => Number.isSafeInteger(extent) && extent >= 1) && more.length === 0;
  if (!good) throw new Refusal(`matmul has no problem ${size}: sizes are MxNxK, such as 4096x4096x4096`);
  return { m, n, k };
}

/** Sets variables for as long as `run` takes. */
async function withVariables(variables: Readonly<Record<string, string>>, run: () => Promise<void>): Promise<void> {
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  Object.assign(process.env, variables);
  try {
    await run();
  } finally {
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
}

/** Launches `matmul` for each of the sizes, under variables with which launches are told of and not run. */
export async function explainMatmul(
  sizes: readonly string[],
  { dtype, layout }: ExplainOptions,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  if (sizes.length === 0) throw new Refusal("say which sizes of matmul, MxNxK, such as 4096x4096x4096");
  if (!isHalf(dtype)) throw new Refusal(`--dtype takes f16 or bf16, not ${dtype}`);
  if (!layouts.test(layout)) throw new Refusal(`--layout takes nt, nn, tn or tt, not ${layout}`);
  const problems = sizes.map(readSize);
  await withVariables(variables, async () => {
    const { openDevice } = await import("../../index.ts");
    const { matmul } = await import("../../kernels/index.ts");
    await using gpu = await openDevice("emulator");
    const matrix = (rows: number, columns: number, transposed: boolean): DeviceTensor<HalfType, 2> =>
      transposed ? gpu.empty(dtype, [columns, rows]).transpose(1, 0) : gpu.empty(dtype, [rows, columns]);
    for (const { m, n, k } of problems) matmul(matrix(m, k, layout[0] === "t"), matrix(k, n, layout[1] === "t"));
  });
}

// What the chapters compute on a device, bit for bit, and how far two devices are apart.
//
//   node --import warpsmith/register test/tools/agreement.ts --out FOLDER [--device cuda] [--seeds 3]
//   node --import warpsmith/register test/tools/agreement.ts --compare FOLDER FOLDER
//
// Chapters 0 to 2 have to agree in every bit. Where wgmma sums (from chapter 3 on), the order of the additions and their rounding are
// the tensor core's own: elements may differ by what f32 explains. With S = sum |a b| of an element, K / 16 instructions each truncate
// their sum to 24 bits on the tensor core (at most 2^-23 S) and round it on the emulator (2^-24 S); the 16 products of one
// instruction add 17 2^-24 S and 16 2^-24 S over all of them.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Device, openDevice } from "warpsmith";
import { randn } from "warpsmith/testing";
import type { Chapter } from "../../examples/chapter.ts";

const names = ["ch0", "ch1", "ch2", "ch3", "ch4", "ch5"] as const;
/** M, N and K where a chapter multiplies, and whether the rest of the inputs is as in the chapters. */
const products: Readonly<Record<string, readonly [number, number, number]>> = {
  ch3: [128, 128, 64],
  ch4: [512, 256, 1024],
  ch5: [512, 256, 1024],
};

const { values: options, positionals } = parseArgs({
  options: {
    out: { type: "string" },
    device: { type: "string" },
    seeds: { type: "string", default: "3" },
    compare: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

interface Readable {
  read(): Promise<ArrayBufferView>;
}
const isReadable = (x: unknown): x is Readable => typeof x === "object" && x !== null && "read" in x;

/** The same device; what is read from its tensors is kept. */
function recording(device: Device, keep: (bytes: Uint8Array) => void): Device {
  const watch = (tensor: Readable): void => {
    const read = tensor.read.bind(tensor);
    tensor.read = async () => {
      const data = await read();
      keep(new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice());
      return data;
    };
  };
  return new Proxy(device, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        const result: unknown = member.apply(target, args);
        if (isReadable(result)) watch(result);
        return result;
      };
    },
  });
}

async function record(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await using device = await openDevice(options.device as Parameters<typeof openDevice>[0]);
  for (const name of names) {
    const { chapter } = (await import(`../examples/${name}/main.ts`)) as { chapter: Chapter };
    for (let seed = 0; seed < Number(options.seeds); seed++) {
      const parts: Uint8Array[] = [];
      await chapter.run(
        recording(device, (bytes) => parts.push(bytes)),
        seed,
      );
      writeFileSync(join(folder, `${name}-${seed}.bin`), Buffer.concat(parts));
    }
  }
}

/** What f16 makes of the inputs is within 2^-11 of them: enough for a bound. */
function absoluteSums(name: string, seed: number): Float64Array {
  const [M, N, K] = products[name] ?? [0, 0, 0];
  const [a, b] = [randn(M * K, 2 * seed), randn(K * N, 2 * seed + 1)];
  const sums = new Float64Array(M * N);
  for (let m = 0; m < M; m++)
    for (let k = 0; k < K; k++)
      for (let n = 0; n < N; n++)
        sums[m * N + n] = (sums[m * N + n] ?? 0) + Math.abs((a[m * K + k] ?? 0) * (b[k * N + n] ?? 0)) * (1 + 2 ** -10);
  return sums;
}

const floatsOf = (bytes: Uint8Array): Float32Array => new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);

/** One line; gives whether it is as it has to be. */
function compareFile(file: string, one: string, other: string): boolean {
  const [x, y] = [one, other].map((folder) => Uint8Array.from(readFileSync(join(folder, file)))) as [Uint8Array, Uint8Array];
  const [name = "", seed = "0"] = file.replace(".bin", "").split("-");
  const product = products[name];
  if (!product) {
    const same = Buffer.compare(x, y) === 0;
    console.log(`${file.padEnd(12)} ${same ? "the same bits" : "DIFFERENT"}`);
    return same;
  }
  const [f, g, sums] = [floatsOf(x), floatsOf(y), absoluteSums(name, Number(seed))];
  const steps = product[2] / 16;
  const allowed = (3 * steps + 33) * 2 ** -24;
  let [worst, worstShare, different] = [0, 0, 0];
  for (let i = 0; i < f.length; i++) {
    const apart = Math.abs((f[i] ?? Number.NaN) - (g[i] ?? Number.NaN));
    if (apart !== 0) different++;
    worst = Math.max(worst, apart);
    worstShare = Math.max(worstShare, apart / ((sums[i] ?? 0) * allowed));
  }
  const fine = x.length === y.length && worstShare <= 1;
  const share = (100 * worstShare).toPrecision(2);
  const text = `${different} of ${f.length} elements differ, by ${worst.toExponential(2)} at most: ${share} % of what f32 explains`;
  console.log(`${file.padEnd(12)} ${text}${fine ? "" : "  TOO FAR"}`);
  return fine;
}

if (options.compare) {
  const [one = "", other = ""] = positionals;
  const files = readdirSync(one).filter((file) => file.endsWith(".bin"));
  const verdicts = files.map((file) => compareFile(file, one, other));
  process.exitCode = verdicts.length > 0 && verdicts.every(Boolean) ? 0 : 1;
} else if (options.out) await record(options.out);
else {
  console.error("say --out FOLDER or --compare FOLDER FOLDER");
  process.exitCode = 2;
}

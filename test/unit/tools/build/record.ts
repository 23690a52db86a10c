/** What launches tell a driver, in one form: of our own driver of JavaScript, and of the one in C that C++ and Python are given. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildManifest } from "../../../../src/tools/built/index.ts";
import type { FakeDriver } from "../../cuda/fake-driver.ts";

/** A call that says something about a launch. */
export type Line = Readonly<Record<string, unknown>> & { readonly call: string };

/** FNV-1a, as the driver in C has it. */
export function hash(bytes: Uint8Array): string {
  let h = 0xcbf29ce484222325n;
  for (const byte of bytes) h = BigInt.asUintN(64, (h ^ BigInt(byte)) * 0x100000001b3n);
  return h.toString(16).padStart(16, "0");
}

const numbers = (list: unknown, count: number): number[] =>
  Array.from(list as ArrayLike<number | bigint>, Number).slice(0, count);

/** The calls that a FakeDriver has seen, its launches among them. */
export function linesOf(fake: FakeDriver): Line[] {
  /** Attributes are set of the function that was asked for last. */
  let entry = "";
  const launches = [...fake.launches];
  return fake.calls.flatMap(({ name, args }): Line[] => {
    if (name === "cuModuleLoadDataEx") {
      const all = args[1] as Uint8Array;
      const isText = all[0] !== 0x7f;
      const bytes = isText ? all.subarray(0, all.indexOf(0)) : all.subarray(0, 64);
      const options = numbers(args[3] ?? [], 3);
      return [{ call: "load", kind: isText ? "ptx" : "cubin", bytes: bytes.length, hash: hash(bytes), options }];
    }
    if (name === "cuModuleGetFunction") entry = String(args[2]);
    if (name === "cuModuleGetFunction") return [{ call: "function", name: entry }];
    if (name === "cuFuncSetAttribute") return [{ call: "set", entry, attribute: args[1], value: args[2] }];
    if (name === "cuTensorMapEncodeTiled" || name === "cuTensorMapEncodeIm2col") return [encodeLine(name, args)];
    if (name !== "cuLaunchKernel" && name !== "cuLaunchKernelEx") return [];
    const launch = launches.shift();
    if (!launch) throw new Error("a launch that was refused");
    const { grid, block, sharedBytes: shared, stream, attributes, parameters } = launch;
    return [
      {
        ...{ call: "launch", entry: launch.entry, grid, block, shared, stream: Number(stream), attributes },
        parameters: parameters.map((bytes) => Buffer.from(bytes).toString("hex")),
      },
    ];
  });
}

function encodeLine(name: string, args: readonly unknown[]): Line {
  const rank = Number(args[2]);
  const tiled = name === "cuTensorMapEncodeTiled";
  const [steps, tail] = tiled ? [args[7], args.slice(8)] : [args[10], args.slice(11)];
  return {
    ...{ call: "encode", fill: tiled ? 0x11 : 0x22, type: args[1], address: (args[3] as bigint).toString(16) },
    ...{ dims: numbers(args[4], rank), strides: numbers(args[5], rank), steps: numbers(steps, rank), tail },
    ...(tiled
      ? { box: numbers(args[6], rank) }
      : { lower: numbers(args[6], rank - 2), upper: numbers(args[7], rank - 2), counts: [args[8], args[9]] }),
  };
}

const isThere = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;
/** What the tests of launchers need, and why they are skipped without. */
export const compilers = { cpp: isThere("g++") && isThere("gcc"), python: isThere("python3") };
for (const [what, there] of Object.entries({
  "g++ and gcc": compilers.cpp,
  "python3 and gcc": compilers.python && compilers.cpp,
}))
  if (!there) console.log(`skipped: launchers that need ${what}, which this machine does not have`);

/** Runs a program; its output, or what it said where it failed. */
export function succeed(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ends with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

/** A folder with the driver in C. */
export class CDriver {
  readonly folder: string;
  #runs = 0;

  constructor(folder: string) {
    this.folder = join(folder, "driver");
    mkdirSync(this.folder, { recursive: true });
    const source = join(import.meta.dirname, "fake-libcuda.c");
    succeed("gcc", ["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", join(this.folder, "libcuda.so.1"), source]);
  }

  /** Runs a program with it: what it printed, and what the driver recorded. */
  run(
    program: string,
    args: readonly string[],
    manifest: BuildManifest,
    env: Readonly<Record<string, string>> = {},
  ): { readonly out: string; readonly lines: readonly Line[] } {
    const record = join(this.folder, `record-${this.#runs++}`);
    writeFileSync(record, "");
    const sizes = Object.values(manifest.kernels).map(({ entry, slots }) => `;${entry}:${slots.map((s) => s.bytes).join()}`);
    const out = succeed(program, args, {
      LD_LIBRARY_PATH: this.folder,
      FAKE_CUDA_RECORD: record,
      FAKE_CUDA_PARAMETERS: `${sizes.join("")};`,
      PYTHONDONTWRITEBYTECODE: "1",
      ...env,
    });
    const text = readFileSync(record, "utf8").trim();
    return { out, lines: text === "" ? [] : text.split("\n").map((line) => JSON.parse(line) as Line) };
  }
}

/** What is loaded, in an order that does not matter; launches and what they encode, in theirs. */
export const sorted = (lines: readonly Line[]) => ({
  loading: lines
    .filter(({ call }) => !["encode", "launch"].includes(call))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  launching: lines.filter(({ call }) => ["encode", "launch"].includes(call)),
});

// Compiles the kernels of `bench/mma-sync.ts` in processes of their own, several at a time: the driver keeps what it has assembled on disk, so
// that the process that measures finds it there. A kernel that fails takes only its own process with it.
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { openDevice } from "warpsmith";
import { type MmaPlan, mmaGemm, mmaPlanName } from "./mma-sync-kernel.ts";

export interface Compilation {
  readonly plan: MmaPlan;
  readonly out: "f16" | "f32";
  readonly sizes: readonly number[];
}

export interface Failure {
  /** The plan, what it sums in, and the type of its result. */
  readonly name: string;
  readonly reason: string;
}

/** Sizes that one process compiles at most. */
const atOnce = 8;
/** Milliseconds that a process may take. */
const patience = 150_000;

async function launchAll({ plan, out, sizes }: Compilation): Promise<void> {
  await using device = await openDevice("cuda");
  for (const n of sizes) {
    using a = device.empty("f16", [n, n]);
    using b = device.empty("f16", [n, n]);
    using d = device.empty(out, [n, n]);
    mmaGemm.launch({}, a, b, d, plan);
    await device.sync();
  }
}

/** What went wrong in a process that does one piece of the work; undefined where nothing did. */
const runOne = (work: Compilation): Promise<string | undefined> =>
  new Promise((resolve) => {
    const args = [...process.execArgv, import.meta.filename, JSON.stringify(work)];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"], timeout: patience });
    let said = "";
    child.stderr.on("data", (text) => {
      said += String(text);
    });
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) => {
      // One that was only slow has left the rest to be compiled where it is needed.
      if (signal !== null) return resolve(undefined);
      const lines = said.split("\n").filter((line) => line.trim() !== "");
      resolve(code === 0 ? undefined : (lines.find((line) => /error/i.test(line)) ?? lines[0] ?? `ended with ${code}`));
    });
  });

/** Gives the driver a place for what it assembles, before it is loaded: where the home directory cannot be written, it would keep nothing. */
export function keepAssembled(): void {
  process.env.CUDA_CACHE_PATH ??= mkdtempSync(join(tmpdir(), "warpsmith-bench-"));
}

/** Launches every plan once at its sizes; says which failed. */
export async function prepare(work: readonly Compilation[]): Promise<readonly Failure[]> {
  const pieces = work.flatMap((one) =>
    Array.from({ length: Math.ceil(one.sizes.length / atOnce) }, (_, i) => ({
      ...one,
      sizes: one.sizes.slice(i * atOnce, (i + 1) * atOnce),
    })),
  );
  const failures = new Map<string, Failure>();
  const queue = pieces.values();
  const worker = async (): Promise<void> => {
    for (const piece of queue) {
      const reason = await runOne(piece);
      const name = `${mmaPlanName(piece.plan)} ${piece.plan.sum} ${piece.out}`;
      if (reason !== undefined) failures.set(name, { name, reason });
    }
  };
  await Promise.all(Array.from({ length: Math.min(12, availableParallelism()) }, worker));
  return [...failures.values()];
}

if (process.argv[1] === import.meta.filename) await launchAll(JSON.parse(process.argv[2] ?? "") as Compilation);

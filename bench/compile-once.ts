// One process of `npm run bench:host`: what the first product of its size costs it. Prints JSON; milliseconds.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kernel } from "warpsmith";

/** Undefined where no ptxas is installed. */
function assemble(ptx: string): number | undefined {
  const folder = mkdtempSync(join(tmpdir(), "warpsmith-bench-"));
  try {
    const source = join(folder, "kernel.ptx");
    writeFileSync(source, ptx);
    const begin = performance.now();
    const { status } = spawnSync("ptxas", ["-arch=sm_90a", "-o", join(folder, "kernel.cubin"), source]);
    return status === 0 ? performance.now() - begin : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Made {
  readonly kernel: Kernel<readonly unknown[]>;
  readonly args: readonly unknown[];
}

const timed = <T>(work: () => T): readonly [ms: number, result: T] => {
  const begin = performance.now();
  const result = work();
  return [performance.now() - begin, result];
};

const size = Number(process.argv[2] ?? 4096);
const begin = performance.now();
const { openDevice } = await import("warpsmith");
const kernels = await import("warpsmith/kernels");
const importMs = performance.now() - begin;
await using device = await openDevice();
const [a, w, out] = [1, 2, 3].map(() => device.zeros("f16", [size, size]));
const b = w.transpose(1, 0);

/** Where the kernel itself can be had, its parts apart. */
function compileParts(): Record<string, number | undefined> {
  const make = (kernels as { readonly matmulKernel?: (x: unknown, y: unknown, options: unknown) => Made }).matmulKernel;
  if (!make) return {};
  const [traceAndLowerMs, { kernel, args, ptx }] = timed(() => {
    const made = make(a, b, { out });
    return { ...made, ptx: made.kernel.compile(...made.args).ptx };
  });
  const [fromMemoryMs] = timed(() => kernel.compile(...args));
  return { traceAndLowerMs, fromMemoryMs, ptxasMs: assemble(ptx) };
}

const parts = compileParts();
const [callMs] = timed(() => kernels.matmul(a, b, { out }));
await device.sync();
console.log(JSON.stringify({ importMs, ...parts, callMs }));

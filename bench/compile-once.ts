// One process of `npm run bench:host`: what compiling a step of the ladder costs it (its name), or its first product (`product`), at the
// size given. Prints JSON; milliseconds.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";
import { ladder } from "../examples/gemm/ladder.ts";

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

const timed = <T>(work: () => T): readonly [ms: number, result: T] => {
  const begin = performance.now();
  const result = work();
  return [performance.now() - begin, result];
};

/** From the start of the process: Node, and the imports. */
const startMs = performance.now();
const [what, size] = [process.argv[2], Number(process.argv[3])];

/** Needs no GPU. */
function compileStep(): Readonly<Record<string, number | undefined>> {
  const step = ladder.find(({ name }) => name === what);
  if (!step) throw new Error(`no step of the ladder is called ${what}`);
  const product = step.make(size, size, size, 132);
  const [traceAndLowerMs, { ptx }] = timed(() => product.compile());
  const [fromMemoryMs] = timed(() => product.compile());
  return { traceAndLowerMs, fromMemoryMs, ptxasMs: assemble(ptx) };
}

/** From the call until it returns: tracing, lowering, assembling, loading; and until the result is there. */
async function firstProduct(): Promise<Readonly<Record<string, number>>> {
  await using device = await openDevice();
  const [a, w, out] = [1, 2, 3].map(() => device.zeros("f16", [size, size]));
  await device.sync();
  const begin = performance.now();
  matmul(a, w.transpose(1, 0), { out });
  const callMs = performance.now() - begin;
  await device.sync();
  return { callMs, doneMs: performance.now() - begin };
}

console.log(JSON.stringify({ startMs, ...(what === "product" ? await firstProduct() : compileStep()) }));

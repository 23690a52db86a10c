// What the command prints on a terminal, and a report, as pictures for the pages about them. UPDATE=1 draws them anew.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { blockIdx, cdiv, type f32, kernel, openDevice, type Tensor, tensorSpec, threadIdx } from "warpsmith";
import { writeArray } from "warpsmith/arrays";
import { build } from "warpsmith/build";
import { matmulKernel } from "warpsmith/kernels";
import { writeExported } from "../../src/tools/cli/build.ts";
import { noPtxas } from "../support/ptxas.ts";
import { runCommand } from "../unit/tools/cli/run-command.ts";
import type { otherPictures } from "./other-pictures.ts";
import { drawTerminal } from "./terminal.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "pictures-"));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  vi.stubEnv("FORCE_COLOR", "1");
  vi.stubEnv("WARPSMITH_DEVICE", "emulator");
});
afterEach(() => void vi.unstubAllEnvs());

function checkPicture(name: (typeof otherPictures)[number], svg: string): void {
  const file = join(root, "docs/pictures", name);
  if (process.env.UPDATE) writeFileSync(file, svg);
  expect(existsSync(file) ? readFileSync(file, "utf8") : "", `docs/pictures/${name}: run with UPDATE=1`).toBe(svg);
}

/** A command as it is typed, and what it prints, in the folder of the user. */
async function session(words: string): Promise<readonly string[]> {
  const given = words.split(" ").map((word) => word.replace(/^(examples\/|.*=(?=x\.npy|y\.npy))/, (before) => placeOf(before)));
  const { out, err } = await runCommand(...given.slice(1));
  const printed = `${out}${err}`.replaceAll(`${folder}/`, "").replaceAll(`${root}/`, "").trimEnd();
  return [`$ npx ${words}`, ...printed.split("\n")];
}
const placeOf = (before: string): string => (before === "examples/" ? join(root, before) : `${before}${folder}/`);

const saxpy = "examples/ptx/saxpy.ptx --grid 4 --block 256";

it("an error, as a terminal shows it", async () => {
  const lines = await session(`warpsmith emulate ${saxpy} --args i32:1000 f32[1000]:arange y=f32[900]:ones:out`);
  checkPicture("cli.svg", drawTerminal("An error with its code, place and fix in colours", lines));
});

it("arrays of files in and out of a launch", async () => {
  await writeArray(
    join(folder, "x.npy"),
    Float32Array.from({ length: 1000 }, (_, i) => i / 4),
  );
  const lines = await session(
    `warpsmith emulate ${saxpy} --args i32:1000 f32[1000]:npy=x.npy y=f32[1000]:ones:out --out y=y.npy`,
  );
  checkPicture("arrays.svg", drawTerminal("A launch whose operand comes out of x.npy and whose result goes to y.npy", lines));
});

const scale = kernel(
  { block: 128, grid: (x) => cdiv(x.shape[0], 128), dynamic: { x: [0], y: [0] } },
  function scale(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>, by: f32) {
    const i = blockIdx.x * 128 + threadIdx.x;
    if (i < x.shape[0]) y.at(i).store(x.at(i).load() * by);
  },
);

it.skipIf(noPtxas)("what a build says", () => {
  const n = tensorSpec("f32", [1024]);
  const made = build((gpu) => ({
    scale: scale.at(n, n, 1),
    gemm: matmulKernel(gpu.empty("f16", [512, 512]), gpu.empty("f16", [512, 512])),
  }));
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  writeExported("kernels.ts", { made }, { out: join(folder, "dist"), for: "node,cpp,python", cubin: true });
  const lines = log.mock.calls.map(([text]) => String(text).replace(`${folder}/`, "").replace("dist:", "dist/:"));
  log.mockRestore();
  checkPicture(
    "build.svg",
    drawTerminal("What warpsmith build wrote", ["$ npx warpsmith build kernels.ts --out dist/", ...lines]),
  );
});

it.skipIf(noPtxas)("a report of a product, with a time that was measured", async () => {
  await using gpu = await openDevice("emulator");
  const { kernel: gemm, args } = matmulKernel(gpu.empty("f16", [4096, 4096]), gpu.empty("f16", [4096, 4096]));
  // As measured on an H200: "f16 nn 4096³" of bench/results/NVIDIA-H200/bench.json of 22 November 2026.
  const report = gemm.compile(...args).report({ gpu: "H200", us: 198.26 });
  checkPicture("report.svg", report.toPicture());
});

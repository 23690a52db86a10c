import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { blockIdx, cdiv, kernel, type Tensor, tensorSpec } from "warpsmith";
import { build, type WrittenBuild } from "warpsmith/build";
import { tellBuildSteps } from "../../../../src/tools/build/progress.ts";
import { writeExported } from "../../../../src/tools/cli/build.ts";

const folder = mkdtempSync(join(tmpdir(), "cli-build-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ones = kernel({ block: 1, grid: (x) => cdiv(x.shape[0], 1), dynamic: { x: [0] } }, function ones(x: Tensor<"i32", 1>) {
  x.at(blockIdx.x).store(1);
});
const made = build({ ones: ones.at(tensorSpec("i32", [8])) });
const options = { out: join(folder, "dist"), for: "python", cubin: false } as const;

function printed(run: () => void): string {
  const spy = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    run();
    return spy.mock.calls.map(([text]) => `${text}\n`).join("");
  } finally {
    spy.mockRestore();
  }
}

describe("warpsmith build", () => {
  it("tells what it wrote, as text and as JSON", () => {
    const text = printed(() => writeExported("kernels.ts", { default: made }, options));
    expect(text).toBe(`ones(x: i32[?])  PTX\n${options.out}: ones.ptx, kernels.py, manifest.json\n`);
    expect(readdirSync(options.out).toSorted()).toEqual(["kernels.py", "manifest.json", "ones.ptx"]);
    const json = printed(() => writeExported("kernels.ts", { made, also: made }, { ...options, json: true }));
    const written = JSON.parse(json) as WrittenBuild;
    expect(written).toMatchObject({ folder: options.out, files: ["ones.ptx", "kernels.py", "manifest.json"], notes: [] });
    expect(Object.keys(written.manifest.kernels)).toEqual(["ones"]);
  });

  it("says which kernel it is at", () => {
    const steps: string[] = [];
    tellBuildSteps(({ doing, kernel, number, of }) => steps.push(`${doing} ${kernel}, ${number} of ${of}`));
    try {
      const at = ones.at(tensorSpec("i32", [8]));
      build({ first: at, second: at }).write(join(folder, "steps"), { cubin: false, for: ["python"] });
    } finally {
      tellBuildSteps(undefined);
    }
    build({ third: ones.at(tensorSpec("i32", [8])) });
    expect(steps).toEqual(["compiling first, 1 of 2", "compiling second, 2 of 2"]);
  });

  it("refuses files that export no build, or two", () => {
    const refused = (exported: Readonly<Record<string, unknown>>) => () => writeExported("kernels.ts", exported, options);
    expect(refused({})).toThrow(/^W7726 {2}kernels\.ts exports nothing that is to be built/);
    expect(refused({ ones, x: 1 })).toThrow(/^W7726 {2}kernels\.ts exports ones, x, and none of them is to be built/);
    const other = build({ ones: ones.at(tensorSpec("i32", [8])) }, { name: "other" });
    expect(refused({ made, other })).toThrow("kernels.ts exports 2 builds (kernels, other), and a folder holds one");
  });
});

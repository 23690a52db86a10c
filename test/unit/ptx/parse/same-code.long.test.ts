import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parsePtx, printPtxTree } from "../../../../src/ptx/parse/index.ts";
import { noPtxas } from "../../../support/ptxas.ts";
import { codeOf, compileCuda, noNvcc } from "./cubin.ts";

const test = join(import.meta.dirname, "../../..");
const slow = 120_000;

/** The text read and printed is the same program: printed again it is the same text, and ptxas makes the same code of it. */
function expectSame(ptx: string, name: string): void {
  const printed = printPtxTree(parsePtx(ptx, name));
  expect(printPtxTree(parsePtx(printed, name))).toBe(printed);
  if (noPtxas === undefined) expect(codeOf(printed)).toEqual(codeOf(ptx));
}

const folder = (path: string, end: string): readonly string[] => readdirSync(path).filter((f) => f.endsWith(end));

describe("read and printed, ptxas makes the same code", () => {
  it.each(folder(join(test, "goldens"), ".ptx"))("of the golden %s", { timeout: slow }, (file) => {
    expectSame(readFileSync(join(test, "goldens", file), "utf8"), file);
  });

  const lowered = folder(join(test, "filetests/lower"), ".ir").flatMap((file) => {
    const text = readFileSync(join(test, "filetests/lower", file), "utf8");
    const modules = text.match(/^\.version[\s\S]*?(?=^; ====|$(?![\s\S]))/gm) ?? [];
    return modules.map((ptx, i) => ({ name: `${file} ${i + 1}`, ptx }));
  });
  it("has cases of the lowering", () => expect(lowered.length).toBeGreaterThan(5));
  it.each(lowered)("of the lowering in $name", { timeout: slow }, ({ name, ptx }) => expectSame(ptx, name));

  it("of what the machine can do besides", { timeout: slow }, () =>
    expectSame(readFileSync(join(import.meta.dirname, "machine.ptx"), "utf8"), "machine.ptx"),
  );

  const sources = folder(join(import.meta.dirname, "cuda"), ".cu");
  for (const options of [[], ["-lineinfo"]] as const) {
    it.skipIf(noNvcc !== undefined).each(sources)(`of CUDA C++: %s ${options.join(" ")}`, { timeout: slow }, (source) =>
      expectSame(compileCuda(join(import.meta.dirname, "cuda", source), options), source),
    );
  }
  // Not the same code: without optimisation, ptxas translates [a+0] otherwise than [a].
  it.skipIf(noNvcc !== undefined).each(sources)(
    "and unoptimised code with debugging sections is read: %s",
    { timeout: slow },
    (source) => {
      const ptx = compileCuda(join(import.meta.dirname, "cuda", source), ["-G"]);
      const printed = printPtxTree(parsePtx(ptx, source));
      expect(printed).toContain(".section");
      expect(printPtxTree(parsePtx(printed, source))).toBe(printed);
    },
  );
});

/** More PTX, of other compilers: a folder that the variable names. */
const samples = process.env.PTX_SAMPLES;
const noSamples =
  samples === undefined ? "PTX_SAMPLES names no folder" : existsSync(samples) ? undefined : `there is no ${samples}`;
if (noSamples !== undefined) console.warn(`No samples of PTX are read: ${noSamples}`);

describe.skipIf(noSamples !== undefined)("samples", () => {
  const files = noSamples === undefined && samples !== undefined ? folder(samples, ".ptx") : [];
  it("are there", () => expect(files).not.toEqual([]));
  it.each(files)("%s", { timeout: slow }, (file) => expectSame(readFileSync(join(samples ?? "", file), "utf8"), file));
});

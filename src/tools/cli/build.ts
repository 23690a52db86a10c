/** `warpsmith build`: what a file exports of builds, written to a folder. */

import { pathToFileURL } from "node:url";
import { nearest } from "../../base/diag/index.ts";
import { ownModule } from "../../base/own-files.ts";
import { Progress } from "../../base/progress.ts";
import { type Build, type BuildLanguage, isBuild, tellBuildSteps, type WrittenBuild } from "../build/index.ts";
import { fail } from "./errors.ts";
import { programFile } from "./input-file.ts";
import type { BuildCommandOptions } from "./options.ts";
import { json, styled } from "./output.ts";
import { Refusal } from "./refusal.ts";

const languages: readonly BuildLanguage[] = ["node", "cpp", "python"];

function languagesOf(text: string): readonly BuildLanguage[] {
  const words = text.split(",").map((word) => word.trim());
  for (const word of words) {
    if (languages.some((language) => language === word)) continue;
    const meant = nearest(word, languages);
    const hint = meant === undefined ? "" : `: did you mean ${meant}?`;
    throw new Refusal(`--for takes ${languages.join(", ")}, with commas between them, not ${word || "nothing"}${hint}`);
  }
  return languages.filter((language) => words.includes(language));
}

/** The one build among the exports, under whatever names. W7726. */
function buildOf(file: string, exported: Readonly<Record<string, unknown>>): Build {
  const [build, ...more] = new Set(Object.values(exported).filter(isBuild));
  if (!build) return fail("W7726", { file, exports: Object.keys(exported) });
  if (more.length === 0) return build;
  const names = [build, ...more].map(({ name }) => name).join(", ");
  throw new Refusal(
    `${file} exports ${more.length + 1} builds (${names}), and a folder holds one: put all kernels into one build`,
  );
}

const shape = (list: readonly (number | null)[]): string => `[${list.map((n) => n ?? "?").join(", ")}]`;

function tell({ folder, manifest, files, notes }: WrittenBuild): void {
  for (const [name, { parameters, cubin }] of Object.entries(manifest.kernels)) {
    const given = parameters.map((p) =>
      p.kind === "tensor" ? `${p.name}: ${p.dtype}${shape(p.shape)}` : `${p.name}: ${p.type}`,
    );
    console.log(`${styled(process.stdout, "bold", name)}(${given.join(", ")})  ${cubin ? "PTX, cubin" : "PTX"}`);
  }
  console.log(`${folder}: ${files.join(", ")}`);
  for (const note of notes) console.log(`${styled(process.stdout, "yellow", "note:")} ${note}`);
}

/** Writes the build among a file's exports, and tells what it wrote. W7726, and what `write` refuses. */
export function writeExported(
  file: string,
  exported: Readonly<Record<string, unknown>>,
  options: BuildCommandOptions,
  progress?: Progress,
): void {
  const wanted = languagesOf(options.for);
  const written = buildOf(file, exported).write(options.out, { for: wanted, cubin: options.cubin });
  progress?.clear();
  if (options.json) console.log(json(written));
  else tell(written);
}

/** W7726, and what `build` and `write` refuse. */
export async function buildFile(file: string, options: BuildCommandOptions): Promise<void> {
  const path = programFile(file);
  languagesOf(options.for);
  const progress = new Progress();
  tellBuildSteps(({ doing, kernel, number, of }) => progress.show(`${doing} ${kernel}, ${number} of ${of}`));
  try {
    await import(ownModule("entries/register").href);
    writeExported(file, (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>, options, progress);
  } finally {
    tellBuildSteps(undefined);
    progress.clear();
  }
}

/** Compiled kernels as files in a folder: PTX and cubins, the manifest, and the modules of launchers/. */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkOptions, display, optionsOf, WarpsmithError } from "../../base/diag/index.ts";
import { readEnvironment } from "../../base/env.ts";
import { packageVersion } from "../../base/package-version.ts";
import { defaultTarget } from "../../base/target.ts";
import { oldestDriver, openPtxas, type Ptxas } from "../../cuda/offline.ts";
import {
  type BuildManifest,
  type BuiltFile,
  type KernelManifest,
  manifestFile,
  manifestVersion,
  sha256,
} from "../built/index.ts";
import type { Described } from "./describe-kernel.ts";
import { fail } from "./errors.ts";
import { cppHeader } from "./launchers/cpp.ts";
import { nodeModule, nodeTypes } from "./launchers/node.ts";
import { pythonModule } from "./launchers/python.ts";
import { inSteps } from "./progress.ts";

/** What a launcher is written in. */
export type BuildLanguage = "node" | "cpp" | "python";

/** All of them. */
const languages: readonly BuildLanguage[] = ["node", "cpp", "python"];

/** What is written. */
export interface WriteOptions {
  /** Which launchers. Default: all three. */
  readonly for?: readonly BuildLanguage[];
  /** Assemble the kernels with ptxas, `WARPSMITH_PTXAS` or the one on the path, where there is one. Default true. */
  readonly cubin?: boolean;
}

/** What was written. */
export interface WrittenBuild {
  /** Where. */
  readonly folder: string;
  /** What stands in its manifest. */
  readonly manifest: BuildManifest;
  /** Names of the files, the manifest last. */
  readonly files: readonly string[];
  /** What its user should know: kernels whose launches say the grid, and that there are no cubins. */
  readonly notes: readonly string[];
}

const known = optionsOf<WriteOptions>("write()", { for: true, cubin: true });

/** W2601, W2602, W7046. */
function checkWriteOptions(options: WriteOptions): Required<WriteOptions> {
  checkOptions(options, known);
  const { for: wanted = languages, cubin = true } = options;
  const refuse = (option: string, given: unknown, expected: string): never =>
    fail("W7046", { of: "write()", option, given: display(given), expected });
  const good = Array.isArray(wanted) && wanted.length > 0 && wanted.every((one) => languages.includes(one));
  if (!good) refuse("for", wanted, `a list of ${languages.map((one) => display(one)).join(", ")}`);
  if (typeof cubin !== "boolean") refuse("cubin", cubin, "true or false");
  return { for: wanted, cubin };
}

type Files = Map<string, Uint8Array | string>;

/** The assembler, where there is one. A path that the environment names and that is none is refused. W8011. */
function findPtxas(): Ptxas | undefined {
  const { values } = readEnvironment();
  if (values?.ptxas !== undefined) return openPtxas(values.ptxas);
  try {
    return openPtxas("ptxas");
  } catch (error) {
    if (error instanceof WarpsmithError) return undefined;
    throw error;
  }
}

function add(files: Files, file: string, content: Uint8Array | string): BuiltFile {
  files.set(file, content);
  return { file, sha256: sha256(content) };
}

function addKernel(files: Files, name: string, { ptx, manifest }: Described, ptxas: Ptxas | undefined): KernelManifest {
  const image = ptxas?.assemble(ptx, defaultTarget.name);
  const { entry, ...rest } = manifest;
  return {
    entry,
    ptx: add(files, `${name}.ptx`, ptx),
    cubin: image ? add(files, `${name}.cubin`, image) : null,
    ...rest,
  };
}

function addLaunchers(files: Files, manifest: BuildManifest, wanted: readonly BuildLanguage[]): readonly BuiltFile[] {
  const { name } = manifest;
  const texts: Readonly<Record<BuildLanguage, Readonly<Record<string, () => string>>>> = {
    node: { [`${name}.js`]: () => nodeModule(manifest), [`${name}.d.ts`]: () => nodeTypes(manifest) },
    cpp: { [`${name}.hpp`]: () => cppHeader(manifest) },
    python: { [`${name}.py`]: () => pythonModule(manifest) },
  };
  return languages
    .filter((language) => wanted.includes(language))
    .flatMap((language) => Object.entries(texts[language]).map(([file, text]) => add(files, file, text())));
}

function manifestOf(name: string, kernels: BuildManifest["kernels"], ptxas: Ptxas | undefined): BuildManifest {
  const { name: target, computeCapability, architecture } = defaultTarget;
  const device = { target, computeCapability: [...computeCapability] as [number, number], architecture, driver: oldestDriver };
  const id = sha256(JSON.stringify([manifestVersion, name, device, kernels])).slice(0, 32);
  return {
    ...{ format: "warpsmith-build", version: manifestVersion, warpsmith: packageVersion(), id, name, device },
    ...{ assembler: ptxas ? `ptxas ${ptxas.version}` : null, kernels, launchers: [] },
  };
}

/** The files of the build that lies there, with their hashes; undefined where none does. */
function filesBefore(folder: string): readonly BuiltFile[] | undefined {
  try {
    const { format, kernels, launchers } = JSON.parse(readFileSync(join(folder, manifestFile), "utf8")) as BuildManifest;
    if (format !== "warpsmith-build") return undefined;
    return [...launchers, ...Object.values(kernels).flatMap(({ ptx, cubin }) => (cubin ? [ptx, cubin] : [ptx]))];
  } catch {
    return undefined;
  }
}

const isUnchanged = (path: string, { sha256: hash }: BuiltFile): boolean => {
  try {
    return sha256(readFileSync(path)) === hash;
  } catch {
    return false;
  }
};

const reasons: Readonly<Record<string, string>> = {
  EACCES: "it may not be written to",
  ENOTDIR: "it is no folder",
  EEXIST: "it is no folder",
};

/** Writes nothing over what is another's; removes what an earlier build wrote and this one does not. W7725. */
function writeFiles(folder: string, files: Files): void {
  try {
    mkdirSync(folder, { recursive: true });
    const before = filesBefore(folder);
    const own = new Set([...(before ?? []).map(({ file }) => file), ...(before ? [manifestFile] : [])]);
    const other = readdirSync(folder).find((file) => files.has(file) && !own.has(file));
    if (other !== undefined) fail("W7725", { folder, why: `its file ${other} is of no build` });
    for (const old of before ?? [])
      if (!files.has(old.file) && isUnchanged(join(folder, old.file), old)) rmSync(join(folder, old.file));
    for (const [file, content] of files) writeFileSync(join(folder, file), content);
  } catch (error) {
    if (error instanceof WarpsmithError || !(error instanceof Error && "code" in error)) throw error;
    fail("W7725", { folder, why: reasons[String(error.code)] ?? error.message });
  }
}

function notesOf(
  described: ReadonlyMap<string, Described>,
  options: Required<WriteOptions>,
  ptxas: Ptxas | undefined,
): readonly string[] {
  const open = [...described]
    .filter(([, { gridIsOpen }]) => gridIsOpen)
    .map(
      ([name]) =>
        `${name}: each launch says the grid, as its function computes it of what a launch gives in a way that only JavaScript can follow; cdiv, or helper((…) => …) around it, becomes a formula`,
    );
  const none =
    options.cubin && !ptxas
      ? [
          "no ptxas was found (WARPSMITH_PTXAS, or on the path): the build has PTX alone, which drivers assemble when it is loaded",
        ]
      : [];
  return [...open, ...none];
}

/** Writes a build. W2601, W7046, W7725, W8011. */
export function writeBuild(
  name: string,
  described: ReadonlyMap<string, Described>,
  folder: string,
  given: WriteOptions,
): WrittenBuild {
  const options = checkWriteOptions(given);
  if (typeof folder !== "string" || folder === "") fail("W7725", { folder: display(folder), why: "that is no path" });
  const ptxas = options.cubin ? findPtxas() : undefined;
  const files: Files = new Map();
  const kernels = Object.fromEntries(
    inSteps(ptxas && "assembling", [...described], (kernel, one) => addKernel(files, kernel, one, ptxas)),
  );
  const plain = manifestOf(name, kernels, ptxas);
  const manifest = { ...plain, launchers: addLaunchers(files, plain, options.for) };
  files.set(manifestFile, `${JSON.stringify(manifest, undefined, 2)}\n`);
  writeFiles(folder, files);
  return { folder, manifest, files: [...files.keys()], notes: notesOf(described, options, ptxas) };
}

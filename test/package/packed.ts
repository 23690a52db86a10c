import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isBuilt } from "../support/is-built.ts";
import { programsOf } from "./typescript.ts";

const root = join(import.meta.dirname, "../..");

export interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** A project in a temporary folder in which the package is installed from its tarball. */
export interface Project {
  readonly folder: string;
  /** Size of the tarball in bytes. */
  readonly tarballBytes: number;
  /** The package as installed. */
  readonly installed: string;
  readonly manifest: Manifest;
  node(...args: readonly string[]): SpawnSyncReturns<string>;
  npx(...args: readonly string[]): SpawnSyncReturns<string>;
  /** Puts a package that fails when it is loaded in the place of a dependency. */
  poison(name: string): void;
  remove(): void;
}

function run(cwd: string, program: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}): SpawnSyncReturns<string> {
  const { NODE_OPTIONS, NODE_ENV, VITEST, WARPSMITH_VERIFY, ...rest } = process.env;
  return spawnSync(program, args, { cwd, encoding: "utf8", env: { ...rest, NO_COLOR: "1", ...variables } });
}

/** Packs a copy of the sources, as `npm publish` would, and leaves this checkout alone. What would be built anew as it is, is not. */
async function pack(folder: string): Promise<string> {
  const copy = join(folder, "checkout");
  mkdirSync(copy);
  for (const name of [
    "src",
    "scripts",
    "docs",
    "examples",
    "bench",
    "test/package",
    "package.json",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "tsconfig.json",
    "tsconfig.build.json",
  ]) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const built = await isBuilt();
  if (built) cpSync(join(root, "dist"), join(copy, "dist"), { recursive: true });
  const commands: readonly (readonly [string, ...string[]])[] = [
    ...(built ? [] : [["npm", "run", "build"] as const]),
    ["npm", "run", "prepack"],
    ["npm", "pack", "--ignore-scripts", "--pack-destination", folder],
  ];
  let stdout = "";
  let stderr = "";
  for (const [program, ...args] of commands) {
    const ended = run(copy, program, args);
    [stdout, stderr] = [ended.stdout, ended.stderr];
    if (ended.status !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}${stderr}`);
  }
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (!tarball) throw new Error(`npm pack wrote no tarball:\n${stdout}${stderr}`);
  return join(folder, tarball);
}

const link = (modules: string, name: string): void => {
  mkdirSync(dirname(join(modules, name)), { recursive: true });
  symlinkSync(join(root, "node_modules", name), join(modules, name));
};

/** A package that the project itself uses, with its programs, as npm links them. */
function linkOwn(modules: string, name: string): void {
  link(modules, name);
  const { bin } = JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")) as {
    bin?: string | Record<string, string>;
  };
  for (const [program, file] of Object.entries(typeof bin === "string" ? { [name]: bin } : (bin ?? {}))) {
    symlinkSync(join("..", name, file), join(modules, ".bin", program));
  }
}

/**
 * Does what `npm install <tarball>` does, without a network: the tarball is unpacked, its programs are linked, and of all packages
 * only the dependencies that it declares are there, so one that is used and not declared is missed.
 */
function install(tarball: string, folder: string): { readonly installed: string; readonly manifest: Manifest } {
  const modules = join(folder, "node_modules");
  const installed = join(modules, "warpsmith");
  mkdirSync(installed, { recursive: true });
  const { status, stderr } = run(folder, "tar", ["-xzf", tarball, "--strip-components=1", "-C", installed]);
  if (status !== 0) throw new Error(`the tarball cannot be unpacked:\n${stderr}`);
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Manifest;
  for (const name of Object.keys(manifest.dependencies)) link(modules, name);
  mkdirSync(join(modules, ".bin"));
  for (const [name, file] of Object.entries(manifest.bin)) {
    chmodSync(join(installed, file), 0o755);
    symlinkSync(join("..", "warpsmith", file), join(modules, ".bin", name));
  }
  return { installed, manifest };
}

function poison(place: string, name: string): void {
  rmSync(place);
  mkdirSync(place);
  writeFileSync(join(place, "package.json"), JSON.stringify({ name, main: "index.js" }));
  writeFileSync(join(place, "index.js"), `exports.ts = undefined; throw new Error("a dependency was loaded: ${name}");`);
}

/** `own` names packages that the project itself uses, such as a bundler. */
export async function makeProject(own: readonly string[]): Promise<Project> {
  const temporary = mkdtempSync(join(tmpdir(), "warpsmith-packed-"));
  const tarball = await pack(temporary);
  const folder = join(temporary, "project");
  cpSync(join(import.meta.dirname, "project"), folder, { recursive: true });
  cpSync(join(root, "examples"), join(folder, "all-examples"), { recursive: true });
  for (const [i, text] of programsOf("README.md").entries()) writeFileSync(join(folder, `readme-${i + 1}.ts`), text);
  const { installed, manifest } = install(tarball, folder);
  // As the README says.
  cpSync(join(installed, "examples"), join(folder, "examples"), { recursive: true });
  for (const name of own) linkOwn(join(folder, "node_modules"), name);
  const variables = { WARPSMITH_CACHE: join(folder, "cache"), WARPSMITH_DEVICE: "emulator" };
  return {
    folder,
    tarballBytes: readFileSync(tarball).length,
    installed,
    manifest,
    node: (...args) => run(folder, process.execPath, args, variables),
    npx: (...args) => run(folder, "npx", ["--no-install", ...args], variables),
    poison: (name) => poison(join(folder, "node_modules", name), name),
    remove: () => rmSync(temporary, { recursive: true, force: true }),
  };
}

/** A copy of the working tree that a fault is planted in. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Fault, planted } from "./fault.ts";

export interface Copy {
  readonly root: string;
  /** Where its runs keep what is kept on disk: no copy finds what another one has made. */
  readonly cache: string;
  remove(): void;
}

/** This asks whether the faults can still be planted: in a copy that has one, it would find each. */
const leftOut = "test/tools/planted.test.ts";

function filesOf(tree: string): readonly string[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: tree,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  return [...new Set(listed.split("\0"))].filter((file) => file !== "" && file !== leftOut && existsSync(join(tree, file)));
}

/** Of all that a copy takes of the files of a tree. */
export function digestOf(tree: string): string {
  const hash = createHash("sha256");
  for (const file of filesOf(tree)) hash.update(`${file}\0`).update(readFileSync(join(tree, file)));
  return hash.digest("hex").slice(0, 16);
}

function copyInto(root: string, tree: string): void {
  for (const file of filesOf(tree)) {
    const to = join(root, file);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(tree, file), to);
  }
  if (existsSync(join(tree, "dist")))
    cpSync(join(tree, "dist"), join(root, "dist"), { recursive: true, preserveTimestamps: true });
  symlinkSync(join(tree, "node_modules"), join(root, "node_modules"), "dir");
}

/** All files that git knows or would take, what was built, and the packages. */
export function makeCopy(tree: string): Copy {
  const folder = mkdtempSync(join(tmpdir(), "warpsmith-planted-"));
  const [root, cache] = [join(folder, "tree"), join(folder, "cache")];
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    for (const each of [root, cache]) mkdirSync(each);
    copyInto(root, tree);
  } catch (error) {
    remove();
    throw error;
  }
  return { root, cache, remove };
}

const fileOf = (tree: string, { file }: Fault): string => join(tree, "src", file);

/** Refuses a fault that can not be planted in that tree. */
export function checkFault(tree: string, fault: Fault): void {
  planted(readFileSync(fileOf(tree, fault), "utf8"), fault);
}

/** Plants it; returns what takes it out again. */
export function plant({ root, cache }: Copy, fault: Fault): () => void {
  // What the fault before has made fail would be asked again.
  rmSync(join(cache, "warpsmith/tests/failed.json"), { force: true });
  const path = fileOf(root, fault);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, planted(text, fault));
  return () => writeFileSync(path, text);
}

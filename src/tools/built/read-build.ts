/** A folder that `build` wrote, its files as they were written. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { display } from "../../base/diag/index.ts";
import { fail } from "./errors.ts";
import { type BuildManifest, type BuiltFile, manifestFile, manifestVersion } from "./manifest.ts";

const noFolder = "it is no path of a folder";

/** A path, or a URL of a file. W7730. */
export function folderPath(folder: unknown): string {
  const refuse = (): never => fail("W7730", { file: display(folder), why: noFolder });
  if (typeof folder !== "string" && !(folder instanceof URL)) return refuse();
  if (typeof folder === "string" && !folder.startsWith("file:")) return folder;
  try {
    return fileURLToPath(folder);
  } catch {
    return refuse();
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it is not there",
  ENOTDIR: "it is not there",
  EISDIR: "it is a folder",
  EACCES: "it may not be read",
};
const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : String(error));

export const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = codeOf(error);
    return fail("W7730", { file, why: reasons[code] ?? code });
  }
}

/** The manifest of a folder. `id`: of the launcher that asks. W7730, W7734. */
export function readManifest(folder: string, id?: string): BuildManifest {
  const file = join(folder, manifestFile);
  let read: unknown;
  try {
    read = JSON.parse(textOf(file));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    fail("W7730", { file, why: "it is no JSON" });
  }
  const manifest = read as Partial<BuildManifest> | null;
  if (manifest?.format !== "warpsmith-build") fail("W7730", { file, why: "it is not of a build" });
  if (manifest.version !== manifestVersion)
    fail("W7730", { file, why: `it has version ${display(manifest.version)}, and version ${manifestVersion} is read here` });
  const whole = [manifest.kernels, manifest.device].every((part) => typeof part === "object" && part !== null);
  if (!whole) fail("W7730", { file, why: "it is not whole" });
  if (id !== undefined && manifest.id !== id) fail("W7734", { file });
  return manifest as BuildManifest;
}

/** A file of a build. W7731 missing, W7732 changed. */
export function readBuiltFile(folder: string, { file, sha256: expected }: BuiltFile): Uint8Array {
  const path = join(folder, file);
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const code = codeOf(error);
    return fail("W7731", { file: path, why: reasons[code] ?? code });
  }
  if (sha256(bytes) !== expected) fail("W7732", { file: path });
  return bytes;
}

/** The transform behind a cache on disk. Loads TypeScript only where a file is new. */
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksVersion } from "../hook-names.ts";
import { type Transformed, type TransformOptions, withDefaults } from "./options.ts";
import { unchanged } from "./other-files.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** What the output depends on besides the text: the package, and the very files of the transform, so that a changed one is noticed. */
function makeFingerprint(): string {
  const here = import.meta.dirname;
  const files = readdirSync(here)
    .sort()
    .map((name) => {
      const { size, mtimeMs } = statSync(join(here, name));
      return `${name} ${size} ${mtimeMs}`;
    });
  const { version } = JSON.parse(readFileSync(join(here, "../../package.json"), "utf8")) as { version: string };
  return hash([version, hooksVersion, process.versions.node.split(".")[0], ...files].join("\n"));
}

let fingerprint: string | undefined;

function keyOf(text: string, options: TransformOptions): string {
  fingerprint ??= makeFingerprint();
  const { fileName, displayName, modules, hooksModule, emit } = withDefaults(options);
  return hash(JSON.stringify([fingerprint, fileName, displayName, modules, hooksModule, emit, text]));
}

function isTransformed(value: unknown): value is Transformed {
  if (typeof value !== "object" || value === null) return false;
  const { code, map, transformed, reads } = value as Partial<Record<keyof Transformed, unknown>>;
  return (
    typeof code === "string" &&
    typeof transformed === "boolean" &&
    (map === undefined || typeof map === "string") &&
    (reads === undefined || Array.isArray(reads))
  );
}

/** An entry begins with the hash of the rest; whatever is not so is no entry. */
function readEntry(file: string): Transformed | undefined {
  try {
    const text = readFileSync(file, "utf8");
    const body = text.slice(65);
    if (text.slice(0, 64) !== hash(body)) return undefined;
    const value: unknown = JSON.parse(body);
    return isTransformed(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Writes beside and renames, so that no reader sees half an entry. A cache that cannot be written is no error. */
function writeEntry(folder: string, file: string, value: Transformed): void {
  const temporary = join(folder, `${randomUUID()}.tmp`);
  try {
    mkdirSync(folder, { recursive: true });
    const body = JSON.stringify(value);
    writeFileSync(temporary, `${hash(body)}\n${body}`);
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}

/**
 * `transformSource`, with its result kept in `directory` under the text and all that the result depends on; other files that it
 * was made from are in the entry, and it is made anew when one of them has changed.
 * Without a directory nothing is kept.
 */
export async function transformCached(
  text: string,
  options: TransformOptions,
  directory: string | undefined,
): Promise<Transformed> {
  const folder = directory && join(directory, "transform");
  const file = folder && join(folder, `${keyOf(text, options)}.json`);
  const known = file && readEntry(file);
  if (known && unchanged(known.reads ?? [])) return known;
  const { transformSource } = await import("./index.ts");
  const result = transformSource(text, options);
  if (folder && file) writeEntry(folder, file, result);
  return result;
}

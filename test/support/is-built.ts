import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Whether `dist` of this checkout is built of the sources as they stand, as it is where `npm ci` has just run. */
export async function isBuilt(): Promise<boolean> {
  const built = join(root, "dist/built-from");
  const { sourcesDigest } = (await import(join(root, "scripts/sources-digest.mjs"))) as { sourcesDigest(root: string): string };
  return existsSync(built) && readFileSync(built, "utf8").trim() === sourcesDigest(root);
}

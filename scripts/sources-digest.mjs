import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A digest of all that `dist` is made of, below that folder: a build of the same is the same. */
export function sourcesDigest(root) {
  const below = (folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  const files = ["src", "scripts"].flatMap((folder) =>
    below(folder)
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1).replaceAll("\\", "/")),
  );
  const hash = createHash("sha256");
  for (const file of [...files.sort(), "package.json", "tsconfig.json", "tsconfig.build.json"])
    hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

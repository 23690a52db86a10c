// A digest of all code in dist: what is kept on disk of one build serves no other. Runs last.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const dist = join(import.meta.dirname, "../dist");
const hash = createHash("sha256");
for (const file of readdirSync(dist, { recursive: true }).filter((name) => name.endsWith(".js")).sort())
  hash.update(`${file}\n`).update(readFileSync(join(dist, file)));
writeFileSync(join(dist, "build-id"), `${hash.digest("hex")}\n`);

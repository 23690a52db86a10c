// The package's own kernels are compiled as a user's are: transformed first, then freed of types. Runs after tsc, with what tsc built.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { mayHoldKernels } from "../dist/transform/options.js";
import { transformSource } from "../dist/transform/index.js";

const root = join(import.meta.dirname, "..");
const from = join(root, "src/kernels"), to = join(root, "dist/kernels");

for (const file of readdirSync(from, { recursive: true }).filter((name) => name.endsWith(".ts"))) {
  const text = readFileSync(join(from, file), "utf8");
  if (!mayHoldKernels(text, ["warpsmith"])) continue;
  const { code, map, transformed } = transformSource(text, { fileName: join(from, file), displayName: `warpsmith/kernels/${file}` });
  if (!transformed) continue;
  const out = join(to, file.replace(/\.ts$/, ".js"));
  const js = code.replace(/(from\s+["']\.[^"']*)\.ts(["'])/g, "$1.js$2");
  writeFileSync(out, `${js}\n//# sourceMappingURL=${out.slice(dirname(out).length + 1)}.map\n`);
  const sources = [relative(dirname(out), join(from, file))];
  writeFileSync(`${out}.map`, JSON.stringify({ ...JSON.parse(map ?? "{}"), sources, sourcesContent: [text] }));
}

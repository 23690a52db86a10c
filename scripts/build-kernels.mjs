// The package's own kernels are compiled as a user's are: transformed first, then freed of types. Runs after tsc, with what tsc built.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { mayHoldKernels } from "../dist/transform/options.js";
import { transformSource } from "../dist/transform/index.js";

const root = join(import.meta.dirname, "..");
const from = join(root, "src/kernels"), to = join(root, "dist/kernels");

for (const file of readdirSync(from).filter((name) => name.endsWith(".ts"))) {
  const text = readFileSync(join(from, file), "utf8");
  if (!mayHoldKernels(text, ["warpsmith"])) continue;
  const { code, map, transformed } = transformSource(text, { fileName: join(from, file), displayName: `warpsmith/kernels/${file}` });
  if (!transformed) continue;
  const name = basename(file, ".ts");
  const js = code.replace(/(from\s+["']\.[^"']*)\.ts(["'])/g, "$1.js$2");
  writeFileSync(join(to, `${name}.js`), `${js}\n//# sourceMappingURL=${name}.js.map\n`);
  const sources = { ...JSON.parse(map ?? "{}"), sources: [`../../src/kernels/${file}`], sourcesContent: [text] };
  writeFileSync(join(to, `${name}.js.map`), JSON.stringify(sources));
}

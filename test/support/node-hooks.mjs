/**
 * How Node loads the files of a test run, in the thread of its hooks: `src` as it was compiled into `.unbundled` (unbundled.ts), and what lies beside
 * it, tests, examples and the bench, through the transform that users have where it holds kernels, else with its types blanked out.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { transformSync } from "amaro";

const root = join(import.meta.dirname, "../..");
const [src, unbundled] = ["src/", ".unbundled/"].map((folder) => `${pathToFileURL(root).href}/${folder}`);

/** @type {ReadonlyMap<string, string>} What the package's own names mean. */
const entries = new Map(
  Object.entries(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).exports).flatMap(([name, { default: file }]) =>
    file === undefined ? [] : [[`warpsmith${name.slice(1)}`, `${unbundled}${file.replace("./dist/", "")}`]],
  ),
);

const { transformCached } = await import(`${unbundled}transform/cached.js`);
const { displayName, mayHoldKernels } = await import(`${unbundled}transform/options.js`);

export async function resolve(specifier, context, next) {
  const entry = entries.get(specifier);
  if (entry !== undefined) return { url: entry, shortCircuit: true };
  const result = await next(specifier, context);
  if (!result.url.startsWith(src) || !result.url.endsWith(".ts")) return result;
  return { url: `${unbundled}${result.url.slice(src.length, -3)}.js`, format: "module", shortCircuit: true };
}

const newer = /\busing \w+ = |^\s*@\w+/m;

async function compiled(fileName, text) {
  if (mayHoldKernels(text, ["warpsmith"]) || newer.test(text)) {
    const options = { fileName, displayName: displayName(fileName) };
    const { code, map, transformed } = await transformCached(text, options, join(root, ".unbundled-cache"));
    const inline = Buffer.from(map ?? "").toString("base64");
    if (transformed || newer.test(text)) return `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}`;
  }
  return transformSync(text, { mode: "strip-only", filename: fileName }).code;
}

export async function load(url, context, next) {
  const [address = ""] = url.split("?");
  if (!address.startsWith("file:") || !address.endsWith(".ts") || address.includes("/node_modules/")) return next(url, context);
  const fileName = fileURLToPath(address);
  return { format: "module", source: await compiled(fileName, readFileSync(fileName, "utf8")), shortCircuit: true };
}

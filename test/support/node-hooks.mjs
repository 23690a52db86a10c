/**
 * How Node loads the files of a test run, in the thread of its hooks: `src` as it was compiled into `.unbundled` (unbundled.ts), and what lies beside
 * it, tests, examples and the bench. Those with kernels are compiled before the run and kept in `.unbundled-cache`, the others when they are loaded.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { compileFile, entries } from "./compile-file.mjs";

const root = join(import.meta.dirname, "../..");
const [src, unbundled] = ["src/", ".unbundled/"].map((folder) => `${pathToFileURL(root).href}/${folder}`);

/** What is made otherwise is kept apart. */
const { by } = JSON.parse(readFileSync(new URL(`${unbundled}made-from.json`), "utf8"));
const cache = join(root, ".unbundled-cache", by);

const { transformCached } = await import(`${unbundled}transform/cached.js`);
const { displayName, mayHoldKernels } = await import(`${unbundled}transform/options.js`);
const transform = (text, names) => transformCached(text, names, cache);

const roots = [unbundled, ...["src/", "test/", "examples/", "bench/"].map((folder) => `${pathToFileURL(root).href}/${folder}`)];

const asBuilt = (url) =>
  url.startsWith(src) && url.endsWith(".ts") ? `${unbundled}${url.slice(src.length, -3)}.js` : url;

/** Files of the project name each other by their paths: nothing has to be looked for, and Vitest, which would be told of each, need not know. */
export async function resolve(specifier, context, next) {
  const entry = entries.get(specifier);
  if (entry !== undefined) return { url: unbundled + entry, format: "module", shortCircuit: true };
  if (/^\.\.?\//.test(specifier) && roots.some((folder) => context.parentURL?.startsWith(folder))) {
    const url = asBuilt(new URL(specifier, context.parentURL).href);
    return { url, ...(/\.(ts|js|mjs)$/.test(url) && { format: "module" }), shortCircuit: true };
  }
  const result = await next(specifier, context);
  return { ...result, url: asBuilt(result.url) };
}

export async function load(url, context, next) {
  const [address = ""] = url.split("?");
  if (address.startsWith(unbundled))
    return { format: "module", source: readFileSync(fileURLToPath(address), "utf8"), shortCircuit: true };
  if (!address.startsWith("file:") || !address.endsWith(".ts") || address.includes("/node_modules/")) return next(url, context);
  const fileName = fileURLToPath(address);
  const names = { fileName, displayName: displayName(fileName) };
  const { code } = await compileFile(readFileSync(fileName, "utf8"), names, { mayHoldKernels, transform });
  return { format: "module", source: code, shortCircuit: true };
}

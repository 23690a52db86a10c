/**
 * How a file of TypeScript is made into what Node runs, for `src` (unbundled.ts) and for what lies beside it (node-hooks.mjs): by the transform that
 * users have where it holds kernels or syntax that Node 20 does not know, else with its types blanked out.
 */
import { readFileSync } from "node:fs";
import { transformSync } from "amaro";

const { exports } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** What the package's own names mean: `warpsmith/hooks` is `dsl/hooks.js`. */
export const entries = new Map(
  Object.entries(exports).flatMap(([name, entry]) =>
    typeof entry === "string" ? [] : [[`warpsmith${name.slice(1)}`, entry.default.replace("./dist/", "")]],
  ),
);

/** What Node 20 does not know: `using x = …`, and decorators. */
const newer = /\busing \w+ = |^\s*@\w+/m;

export async function compileFile(text, names, { mayHoldKernels, transform }) {
  const isNewer = newer.test(text);
  if (isNewer || mayHoldKernels(text, ["warpsmith"])) {
    const { code, map, transformed } = await transform(text, names);
    if (transformed || isNewer) return map === undefined ? code : `${code}\n${inline(map)}`;
  }
  return transformSync(text, { mode: "strip-only", filename: names.fileName }).code;
}

const inline = (map) => `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}`;

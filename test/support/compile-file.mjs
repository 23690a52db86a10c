/**
 * How a file of TypeScript is made into what Node runs, for `src` (unbundled.ts) and for what lies beside it (node-hooks.mjs): by the transform that
 * users have where it holds kernels or syntax that Node 20 does not know, else with its types blanked out.
 */
import { readFileSync } from "node:fs";
import { transformSync } from "amaro";

const { exports } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** What the package's own names mean: `warpsmith/hooks` is `entries/hooks.js`. */
export const entries = new Map(
  Object.entries(exports).flatMap(([name, entry]) =>
    typeof entry === "string" ? [] : [[`warpsmith${name.slice(1)}`, entry.default.replace("./dist/", "")]],
  ),
);

/** What Node 20 does not know: `using x = …`, and decorators. */
const newer = /\busing \w+ = |^\s*@[\w$]+/m;

/** Methods of kernels are rewritten as decorators, wherever in a line they stand. */
const marked = /@[\w$]+\.method\(/;

/** How the transform is asked for a text: for TypeScript, whose types are blanked out, where that can be. */
export const emitFirst = (text) => (newer.test(text) ? "js" : "ts");

/** Gives the code, and the files besides this one that it was made from. */
export async function compileFile(text, names, { mayHoldKernels, transform }) {
  if (!newer.test(text) && !mayHoldKernels(text, ["warpsmith"])) return { code: withoutTypes(text, names), reads: [] };
  return withMap(await compileTextBy(text, names, transform));
}

/** Compiles a text that a test evaluates, with the map apart. `transform` gives a result or promises one. */
export async function compileTextBy(text, names, transform) {
  const made = newer.test(text) ? undefined : stripped(await transform(text, { ...names, emit: "ts" }), names);
  return made ?? (await transform(text, { ...names, emit: "js" }));
}

/** The same at once. */
export function compileText(text, names, transform) {
  const made = newer.test(text) ? undefined : stripped(transform(text, { ...names, emit: "ts" }), names);
  return made ?? transform(text, { ...names, emit: "js" });
}

/** What was rewritten, with its types blanked out, which is sooner done than an emit by TypeScript. Undefined where that cannot be: an enum is more than a type. */
function stripped(rewritten, names) {
  if (newer.test(rewritten.code) || marked.test(rewritten.code)) return undefined;
  try {
    return { ...rewritten, code: withoutTypes(rewritten.code, names) };
  } catch {
    return undefined;
  }
}

const withMap = ({ code, map, reads = [] }) => ({ code: map === undefined ? code : `${code}\n${inline(map)}`, reads });

function withoutTypes(text, { fileName, displayName }) {
  try {
    return transformSync(text, { mode: "strip-only", filename: fileName }).code;
  } catch (error) {
    // What amaro throws is no Error, and names no file.
    throw new SyntaxError(`${displayName} is not TypeScript whose types can be blanked out: ${error?.message ?? error}`);
  }
}

const inline = (map) => `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}`;

/** Node's module hooks, off the main thread: `./x.js` finds `x.ts`, and TypeScript is compiled through the cache. */
import { readFile } from "node:fs/promises";
import type { LoadHook, ResolveHook } from "node:module";
import { fileURLToPath } from "node:url";
import { WarpsmithError } from "../base/diag/index.ts";
import { readEnvironment } from "../base/env.ts";
import type { Transformed } from "../transform/cached.ts";
import { displayName, transformCached } from "../transform/cached.ts";

const typescript = /\.(ts|mts|tsx)$/;
const javascript = /\.(js|mjs|jsx)$/;

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";

/** As TypeScript does: an import of `./x.js` means `x.ts` where there is no `x.js`. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  try {
    return await next(specifier, context);
  } catch (error) {
    const isRelative = /^(\.|\/|file:)/.test(specifier);
    if (!isMissing(error) || !isRelative || !javascript.test(specifier)) throw error;
    for (const ending of specifier.endsWith(".mjs") ? [".mts"] : [".ts", ".tsx"]) {
      const found = await Promise.resolve(next(specifier.replace(javascript, ending), context)).catch(() => undefined);
      if (found) return found;
    }
    throw error;
  }
};

/** Transforms one file. What is refused in it is told by message and place; the calls that found it are ours. */
async function transformed(text: string, fileName: string): Promise<Transformed> {
  try {
    return await transformCached(text, { fileName, displayName: displayName(fileName) }, readEnvironment().values?.cache);
  } catch (error) {
    if (error instanceof WarpsmithError) error.stack = `${error.name}: ${error.message}`;
    throw error;
  }
}

export const load: LoadHook = async (url, context, next) => {
  const address = url.replace(/[?#].*$/, "");
  if (!address.startsWith("file:") || !typescript.test(address) || address.includes("/node_modules/")) return next(url, context);
  const fileName = fileURLToPath(address);
  const text = await readFile(fileName, "utf8");
  const { code, map } = await transformed(text, fileName);
  const comment =
    map === undefined ? "" : `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}`;
  return { format: "module", source: code + comment, shortCircuit: true };
};

/**
 * `node --import warpsmith/register main.ts`: compiles the project's TypeScript as it is loaded, kernels and helpers first
 * rewritten. Files in `node_modules` are left alone.
 */
import { readFileSync } from "node:fs";
import { register } from "node:module";
import { setSourceReader } from "./diag/index.ts";

/** Lets errors show the lines of the files they speak of. */
function readSource(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

setSourceReader(readSource);
process.setSourceMapsEnabled(true);
register("./register-hooks.js", import.meta.url);

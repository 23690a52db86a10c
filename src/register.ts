/**
 * `node --import warpsmith/register main.ts`: compiles the project's TypeScript as it is loaded, kernels and helpers first
 * rewritten. Files in `node_modules` are left alone.
 */
import { register } from "node:module";
import { setSourceReader } from "./diag/index.ts";
import { readSource } from "./read-source.ts";

setSourceReader(readSource);
process.setSourceMapsEnabled(true);
register("./register-hooks.js", import.meta.url);

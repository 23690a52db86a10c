/**
 * `node --import warpsmith/register main.ts`: compiles the project's TypeScript as it is loaded, kernels and helpers first
 * rewritten. Files in `node_modules` are left alone.
 */
import { register } from "node:module";
// The package itself, before its hooks: what is loaded after them goes through their thread, file by file.
import "./index.ts";
import { setSourceReader } from "./diag/index.ts";
import { readSource } from "./read-source.ts";

setSourceReader(readSource);
process.setSourceMapsEnabled(true);
register("./register-hooks.js", import.meta.url);

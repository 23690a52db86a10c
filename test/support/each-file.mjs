/** Vitest loads this anew for each test file. */
import { register } from "node:module";

// Hooks that are registered last are asked first: Vitest's own, which tell its main process of each import, are asked where ours know nothing.
const registered = Symbol.for("warpsmith.tests.hooks");
if (!globalThis[registered] && process.execArgv.some((argument) => argument.endsWith("register-hooks.mjs"))) {
  globalThis[registered] = true;
  register("./node-hooks.mjs", import.meta.url);
}

const { aroundFile } = await import("./around-file.ts");

aroundFile();

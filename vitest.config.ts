import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { warpsmith } from "./src/plugin.ts";

const src = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

/** Tests of what a process has once, its open devices: they run apart. In `npm test` the others share the modules that they have loaded. */
const apart = ["test/unit/runtime/device-registry.test.ts", "test/errors/errors.test.ts", "test/docs/snippets.test.ts"];

/** `npm test` is `vitest run --mode quick`: without the files named *.long.test.ts, and with fewer of what is random (test/support/amount.ts). */
export default defineConfig(({ mode }) => {
  const quick = mode === "quick";
  const shared = {
    plugins: [warpsmith.vite()],
    resolve: {
      alias: [
        { find: /^warpsmith$/, replacement: src("index.ts") },
        { find: /^warpsmith\/hooks$/, replacement: src("dsl/hooks.ts") },
        { find: /^warpsmith\/arrays$/, replacement: src("arrays/index.ts") },
        { find: /^warpsmith\/kernels$/, replacement: src("kernels/index.ts") },
        { find: /^warpsmith\/ptx$/, replacement: src("load-ptx/index.ts") },
        { find: /^warpsmith\/schedule$/, replacement: src("schedule/index.ts") },
        { find: /^warpsmith\/schedule\/hooks$/, replacement: src("schedule/hooks.ts") },
        { find: /^warpsmith\/testing$/, replacement: src("testing/index.ts") },
      ],
    },
  };
  const test = {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(quick ? ["**/*.long.test.ts"] : [])],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { WARPSMITH_VERIFY: "each", TESTS: quick ? "quick" : "all" },
  };
  return {
    ...shared,
    test: {
      maxWorkers: "100%",
      projects: [
        { ...shared, test: { ...test, name: "together", isolate: !quick, exclude: [...test.exclude, ...apart] } },
        { ...shared, test: { ...test, name: "apart", include: apart } },
      ],
    },
  };
});

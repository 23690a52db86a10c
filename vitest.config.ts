import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { warpsmith } from "./src/plugin.ts";

const src = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  plugins: [warpsmith.vite()],
  resolve: {
    alias: [
      { find: /^warpsmith$/, replacement: src("index.ts") },
      { find: /^warpsmith\/hooks$/, replacement: src("dsl/hooks.ts") },
      { find: /^warpsmith\/kernels$/, replacement: src("kernels/index.ts") },
      { find: /^warpsmith\/testing$/, replacement: src("testing/index.ts") },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    pool: "threads",
    maxWorkers: "100%",
    env: { WARPSMITH_VERIFY: "each" },
  },
});

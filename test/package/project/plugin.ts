// A build with the plugin: what it writes runs on plain Node, without the loader.
import { build } from "vite";
import { warpsmith } from "warpsmith/plugin";

await build({
  configFile: false,
  logLevel: "error",
  plugins: [warpsmith.vite()],
  build: { ssr: "main.ts", outDir: "bundled", minify: false, target: "es2022" },
});

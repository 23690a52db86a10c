/** The JavaScript that runs this where it is not Node's: it has no hooks for loading, which `warpsmith/register` is made of. */
export const otherRuntime = (): "Bun" | "Deno" | undefined =>
  "Bun" in globalThis ? "Bun" : "Deno" in globalThis ? "Deno" : undefined;

/** What to do there, as the end of a fix. */
export const bundleFirst = (runtime: string): string =>
  `bundle the program with warpsmith/plugin, such as esbuild with plugins: [warpsmith.esbuild()], and run what comes out with ${runtime}`;

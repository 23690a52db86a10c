/** `warpsmith/plugin`: the transform for Vite, vitest, Rollup, Rolldown, esbuild, webpack and Rspack. */
import { createUnplugin } from "unplugin";
import { checkOptions, optionsOf } from "../base/diag/index.ts";
import { readEnvironment } from "../base/env.ts";
import { displayName, mayHoldKernels, transformCached } from "../transform/cached.ts";

/** What the plugin of each bundler takes. W2601. */
export interface PluginOptions {
  /** Further module names that export `kernel` and `helper`, such as one of your own that re-exports them. */
  readonly modules?: readonly string[];
  /** What the output imports the hooks from. Default: `"warpsmith/hooks"`. */
  readonly hooksModule?: string;
  /** Directory of the cache, or `false` for none. Default: that of `WARPSMITH_CACHE`. */
  readonly cache?: string | false;
}

/** What Vite, Rollup and Rolldown take as a plugin. */
export interface NamedPlugin {
  /** "warpsmith". */
  readonly name: string;
}

/** What esbuild takes as a plugin. */
export interface SetupPlugin extends NamedPlugin {
  /** esbuild calls it with its build. */
  setup(build: object): void | Promise<void>;
}

/** What webpack and Rspack take as a plugin. */
export interface AppliedPlugin {
  /** The bundler calls it with its compiler. */
  apply(compiler: object): void;
}

/** One plugin, made for each bundler. The types are written out here, so that no bundler has to be installed to read them. */
export interface Plugins {
  /** For Vite and vitest: `plugins: [warpsmith.vite()]`. W2601. */
  vite(options?: PluginOptions): NamedPlugin;
  /** For Rollup: `plugins: [warpsmith.rollup()]`. W2601. */
  rollup(options?: PluginOptions): NamedPlugin;
  /** For Rolldown: `plugins: [warpsmith.rolldown()]`. W2601. */
  rolldown(options?: PluginOptions): NamedPlugin;
  /** For esbuild: `plugins: [warpsmith.esbuild()]`. W2601. */
  esbuild(options?: PluginOptions): SetupPlugin;
  /** For webpack: `plugins: [warpsmith.webpack()]`. W2601. */
  webpack(options?: PluginOptions): AppliedPlugin;
  /** For Rspack: `plugins: [warpsmith.rspack()]`. W2601. */
  rspack(options?: PluginOptions): AppliedPlugin;
}

const pluginOptions = optionsOf<PluginOptions>("warpsmith/plugin", { modules: true, hooksModule: true, cache: true });

const typescript = /\.[cm]?tsx?$/;

/**
 * One plugin for every bundler: `warpsmith.vite()`, `warpsmith.esbuild()`, ….
 *
 * It runs before all others, on the source as written, because annotations of parameters are read. Files with kernels come out
 * as JavaScript and not as TypeScript for the bundler to go on with: bundlers strip types, and the marks on methods are
 * decorators, which not all of them compile. Files without kernels are left to the bundler.
 */
export const warpsmith: Plugins = createUnplugin<PluginOptions | undefined, false>((options = {}) => {
  checkOptions(options, pluginOptions);
  const modules = ["warpsmith", ...(options.modules ?? [])];
  const directory = options.cache === undefined ? readEnvironment().values?.cache : options.cache || undefined;
  const hooks = options.hooksModule === undefined ? {} : { hooksModule: options.hooksModule };
  const path = (id: string): string => id.replace(/[?#].*$/, "");
  return {
    name: "warpsmith",
    enforce: "pre",
    transformInclude: (id) => typescript.test(path(id)) && !id.includes("/node_modules/"),
    async transform(text, id) {
      if (!mayHoldKernels(text, modules)) return undefined;
      const fileName = path(id);
      const { code, map, transformed, reads } = await transformCached(
        text,
        { fileName, displayName: displayName(fileName), modules, ...hooks },
        directory,
      );
      // Types alone lead there, so the bundler does not know of these files.
      for (const { path, digest } of reads ?? []) if (digest !== null) this.addWatchFile(path);
      return transformed ? { code, map: map ?? null } : undefined;
    },
  };
});

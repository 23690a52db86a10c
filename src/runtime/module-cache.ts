import type { LoadedModule, ModuleOptions } from "./backend.ts";

/** Loaded kernels of one device, by PTX text and options. */
export interface ModuleCache {
  load(ptx: string, options: ModuleOptions): LoadedModule;
  /** Unloads all of them. */
  clear(): void;
}

const optionsKey = (options: ModuleOptions): string =>
  JSON.stringify([
    options.entry,
    options.kernel,
    options.parameterBytes,
    options.dynamicSharedBytes,
    options.nonPortableCluster === true,
  ]);

/** Loads each kernel once. A load that fails is tried again next time. */
export function createModuleCache(load: (ptx: string, options: ModuleOptions) => LoadedModule): ModuleCache {
  const modules = new Map<string, Map<string, LoadedModule>>();
  return {
    load(ptx, options) {
      const variants = modules.get(ptx) ?? new Map<string, LoadedModule>();
      modules.set(ptx, variants);
      const key = optionsKey(options);
      const known = variants.get(key);
      if (known) return known;
      const module = load(ptx, options);
      variants.set(key, module);
      return module;
    },
    clear() {
      for (const variants of modules.values()) for (const module of variants.values()) module.unload();
      modules.clear();
    },
  };
}

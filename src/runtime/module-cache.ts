import type { LoadedModule, ModuleOptions } from "./backend.ts";

/** A kernel on the device, and how it leaves it. `unload` knows nothing of `module`: it is called when that is gone. */
export interface Loaded {
  readonly module: LoadedModule;
  readonly unload: () => void;
}

/** Loaded kernels of one device, by PTX text and options, each as long as somebody has it. */
export interface ModuleCache {
  load(ptx: string, options: ModuleOptions): LoadedModule;
  /** Unloads all of them. */
  clear(): void;
}

interface Entry {
  readonly module: WeakRef<LoadedModule>;
  readonly ptx: string;
  readonly key: string;
  readonly unload: () => void;
}

const optionsKey = (options: ModuleOptions): string =>
  JSON.stringify([
    options.entry,
    options.kernel,
    options.parameterBytes,
    options.dynamicSharedBytes,
    options.nonPortableCluster === true,
    options.profiled === true,
    options.ofLoops === true,
  ]);

/**
 * Loads each kernel once; a load that fails is tried again next time. Who may launch a kernel, or has launched it and not yet seen it end,
 * holds its module; when nobody does, it is unloaded some time after.
 */
export function createModuleCache(load: (ptx: string, options: ModuleOptions) => Loaded): ModuleCache {
  const modules = new Map<string, Map<string, Entry>>();
  const live = new Set<Entry>();
  const unload = (entry: Entry): void => {
    if (!live.delete(entry)) return;
    const variants = modules.get(entry.ptx);
    if (variants?.get(entry.key) === entry) variants.delete(entry.key);
    if (variants?.size === 0) modules.delete(entry.ptx);
    entry.unload();
  };
  const gone = new FinalizationRegistry(unload);
  return {
    load(ptx, options) {
      const key = optionsKey(options);
      const known = modules.get(ptx)?.get(key)?.module.deref();
      if (known) return known;
      const { module, unload: free } = load(ptx, options);
      const entry: Entry = { module: new WeakRef(module), ptx, key, unload: free };
      const variants = modules.get(ptx) ?? new Map<string, Entry>();
      modules.set(ptx, variants.set(key, entry));
      live.add(entry);
      gone.register(module, entry);
      return module;
    },
    clear() {
      for (const entry of [...live]) unload(entry);
    },
  };
}

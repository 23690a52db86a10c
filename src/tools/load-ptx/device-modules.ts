import {
  backendOf,
  type Device,
  type DeviceBackend,
  type LoadedModule,
  type ModuleImage,
  type ModuleOptions,
  type VariableMemory,
  variableMemory,
} from "../../runtime/index.ts";

/** A module on one device. */
export interface DeviceModule {
  readonly backend: DeviceBackend;
  readonly image: ModuleImage;
  readonly memory: VariableMemory;
  /** The kernel that a launch asks for: loaded once, and again for more dynamic shared memory or larger clusters. */
  kernel(options: ModuleOptions): LoadedModule;
}

function deviceModule(backend: DeviceBackend, image: ModuleImage, memory: VariableMemory): DeviceModule {
  const kernels = new Map<string, { readonly options: ModuleOptions; readonly module: LoadedModule }>();
  return {
    backend,
    image,
    memory,
    kernel(asked) {
      const known = kernels.get(asked.entry);
      const options = {
        ...asked,
        dynamicSharedBytes: Math.max(asked.dynamicSharedBytes, known?.options.dynamicSharedBytes ?? 0),
        nonPortableCluster: asked.nonPortableCluster || (known?.options.nonPortableCluster ?? false),
      };
      const { dynamicSharedBytes, nonPortableCluster } = options;
      if (known?.options.dynamicSharedBytes === dynamicSharedBytes && known.options.nonPortableCluster === nonPortableCluster)
        return known.module;
      const module = image.kernel(options);
      kernels.set(asked.entry, { options, module });
      return module;
    },
  };
}

/** Where a module has been loaded. */
export class DeviceModules {
  readonly #text: string;
  readonly file: string;
  readonly #known = new WeakMap<Device, DeviceModule>();

  constructor(text: string, file: string) {
    this.#text = text;
    this.file = file;
  }

  /** Loads the module where the device does not have it yet. W7007, W7023, W8006, and what the emulator's reader finds. */
  on(device: Device): DeviceModule {
    const backend = backendOf(device);
    const known = this.#known.get(device);
    if (known) return known;
    const image = backend.loadImage(this.#text, this.file);
    const made = deviceModule(backend, image, variableMemory(device, image));
    this.#known.set(device, made);
    return made;
  }
}

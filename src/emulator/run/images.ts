import { inWordsOfPtx } from "../../base/diag/index.ts";
import type { Loaded, LoadedModule, ModuleImage, ModuleOptions } from "../../runtime/index.ts";
import type { GlobalMemory } from "../machine/memory.ts";
import { type Image, loadImage, variableNamed } from "../program/image.ts";
import type { EmulatorModule } from "./module.ts";

interface Kept {
  readonly image: Image;
  /** Kernels of it that are loaded. */
  users: number;
}

type Make = (image: Image, options: ModuleOptions) => EmulatorModule;

/** A module of another compiler's. Those who hold a kernel of it, or its variables, hold its image. */
class EmulatorImage implements ModuleImage {
  readonly #image: Image;
  readonly #make: Make;

  constructor(image: Image, make: Make) {
    this.#image = image;
    this.#make = make;
  }

  kernel(options: ModuleOptions): LoadedModule {
    return inWordsOfPtx(() => this.#make(this.#image, options));
  }

  variable(name: string): { readonly address: bigint; readonly bytes: number } | undefined {
    const found = variableNamed(this.#image, name);
    return found && { address: BigInt(this.#image.globalAddress(found)), bytes: found.size };
  }
}

/** The images of a device by their text: kernels of one text share its variables, and the last to go frees them. */
export class Images {
  readonly #memory: GlobalMemory;
  readonly #kept = new Map<string, Kept>();
  readonly #gone = new FinalizationRegistry<Image["variables"]>((variables) => this.#free(variables));

  constructor(memory: GlobalMemory) {
    this.#memory = memory;
  }

  /** A kernel of that text, which `make` makes of its image. What the reader and `make` find. */
  load(ptx: string, kernel: string, make: (image: Image) => EmulatorModule): Loaded {
    const kept = this.#kept.get(ptx) ?? { image: loadImage(ptx, `${kernel}.ptx`, this.#memory), users: 0 };
    this.#kept.set(ptx, kept);
    kept.users += 1;
    const unload = this.#leaving(kept);
    try {
      return { module: make(kept.image), unload };
    } catch (error) {
      unload();
      throw error;
    }
  }

  /** One of its own, with variables of its own. What the reader finds. */
  own(ptx: string, file: string, make: Make): ModuleImage {
    const image = loadImage(ptx, file, this.#memory, true);
    if (image.variables.length > 0) this.#gone.register(image, image.variables);
    return new EmulatorImage(image, make);
  }

  #free(variables: Image["variables"]): void {
    for (const base of variables) this.#memory.free(base);
  }

  /** By itself: a function written beside the module would keep it. */
  #leaving(kept: Kept): () => void {
    return () => {
      kept.users -= 1;
      if (kept.users > 0) return;
      this.#kept.delete(kept.image.ptx);
      this.#free(kept.image.variables);
    };
  }
}

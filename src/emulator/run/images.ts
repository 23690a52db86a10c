import type { Loaded } from "../../runtime/module-cache.ts";
import type { GlobalMemory } from "../machine/memory.ts";
import { type Image, loadImage } from "../program/image.ts";
import type { EmulatorModule } from "./module.ts";

interface Kept {
  readonly image: Image;
  /** Kernels of it that are loaded. */
  users: number;
}

/** The images of a device by their text: kernels of one text share its variables, and the last to go frees them. */
export class Images {
  readonly #memory: GlobalMemory;
  readonly #kept = new Map<string, Kept>();

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

  /** By itself: a function written beside the module would keep it. */
  #leaving(kept: Kept): () => void {
    return () => {
      kept.users -= 1;
      if (kept.users > 0) return;
      this.#kept.delete(kept.image.ptx);
      for (const base of kept.image.variables) this.#memory.free(base);
    };
  }
}

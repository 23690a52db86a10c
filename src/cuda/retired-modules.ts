import type { CudaContext } from "./context.ts";
import type { CudaEvents } from "./events.ts";

/** Modules that nobody can launch any more. Each leaves the device when what was under way has ended: until then its code may run. */
export class RetiredModules {
  readonly #context: CudaContext;
  readonly #events: CudaEvents;
  readonly #waiting = new Set<bigint>();

  constructor(context: CudaContext, events: CudaEvents) {
    this.#context = context;
    this.#events = events;
  }

  add(module: bigint): void {
    this.#waiting.add(module);
    // Nobody waits for it. Where the device refuses to mark its streams, the module stays until the device is disposed.
    this.#unloadWhenQuiet(module).catch(() => {});
  }

  async #unloadWhenQuiet(module: bigint): Promise<void> {
    if (this.#context.lost) return;
    this.#context.enter();
    if ((await this.#events.quiet()) && this.#waiting.has(module)) {
      this.#context.enter();
      this.#unload(module);
    }
  }

  #unload(module: bigint): void {
    this.#waiting.delete(module);
    this.#context.driver.cuModuleUnload(module);
  }

  /** Nothing is under way any more, or the device is lost. */
  dispose(): void {
    for (const module of this.#waiting) this.#unload(module);
  }
}

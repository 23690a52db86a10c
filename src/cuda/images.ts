import { inWordsOfPtx } from "../base/diag/index.ts";
import type { LoadedModule, ModuleImage, ModuleOptions } from "../runtime/index.ts";
import type { CudaContext } from "./context.ts";
import { type Assemble, CudaModule } from "./module-loader.ts";
import { notFound } from "./results.ts";

/** A module in the device's memory, with its variables. */
class CudaImage implements ModuleImage {
  readonly #context: CudaContext;
  readonly #module: bigint;

  constructor(context: CudaContext, module: bigint) {
    this.#context = context;
    this.#module = module;
  }

  kernel(options: ModuleOptions): LoadedModule {
    this.#context.enter();
    return inWordsOfPtx(() => new CudaModule(this.#context, { module: this.#module }, options, this));
  }

  variable(name: string): { readonly address: bigint; readonly bytes: number } | undefined {
    this.#context.enter();
    const [address, bytes] = [new BigUint64Array(1), new BigUint64Array(1)];
    const code = this.#context.driver.cuModuleGetGlobal_v2(address, bytes, this.#module, name);
    if (code === notFound) return undefined;
    this.#context.check(code, `find the variable ${name}`);
    return { address: address[0] ?? 0n, bytes: Number(bytes[0]) };
  }
}

/** The modules of a device that are loaded whole. Each is given to `retire` when nobody holds it, or a kernel of it. */
export class CudaImages {
  readonly #context: CudaContext;
  readonly #assemble: Assemble;
  readonly #retire: (module: bigint) => void;
  readonly #live = new Set<bigint>();
  readonly #gone = new FinalizationRegistry<bigint>((module) => this.#leave(module));

  constructor(context: CudaContext, assemble: Assemble, retire: (module: bigint) => void) {
    this.#context = context;
    this.#assemble = assemble;
    this.#retire = retire;
  }

  /** W8006. */
  load(ptx: string, file: string): ModuleImage {
    const { module } = inWordsOfPtx(() => this.#assemble(ptx, file));
    const image = new CudaImage(this.#context, module);
    this.#live.add(module);
    this.#gone.register(image, module);
    return image;
  }

  clear(): void {
    for (const module of [...this.#live]) this.#leave(module);
  }

  #leave(module: bigint): void {
    if (this.#live.delete(module)) this.#retire(module);
  }
}

/** Arrays, texture and surface objects of a GPU, through the driver. */

import type { Sampling, TexelArray, TexelMemory } from "../base/texture.ts";
import type { BackendArray, BackendStream, TextureBackend } from "../runtime/index.ts";
import { type CudaContext, CudaStream } from "./context.ts";
import { fail } from "./errors.ts";
import { take64 } from "./out-values.ts";
import { arrayDescriptor, arrayResource, memoryResource, textureDescriptor, wholeCopy } from "./texture-structures.ts";

class CudaArray implements BackendArray {
  readonly role = "array";
  readonly handle: bigint;
  readonly array: TexelArray;

  constructor(handle: bigint, array: TexelArray) {
    this.handle = handle;
    this.array = array;
  }
}

export class CudaTextures implements TextureBackend {
  readonly #context: CudaContext;

  constructor(context: CudaContext) {
    this.#context = context;
  }

  /** A handle that a call of the driver gives. */
  #take(what: string, call: (out: BigUint64Array) => number): bigint {
    this.#context.enter();
    return take64(call, (code) => this.#context.check(code, what));
  }

  createArray(array: TexelArray): BackendArray {
    const { driver } = this.#context;
    const handle = this.#take("make an array of texels", (out) => driver.cuArray3DCreate_v2(out, arrayDescriptor(array)));
    return new CudaArray(handle, array);
  }

  destroyArray(array: BackendArray): void {
    this.#context.driver.cuArrayDestroy(arrayOf(array).handle);
  }

  fillArray(stream: BackendStream, array: BackendArray, address: bigint): void {
    this.#copy(stream, arrayOf(array), address, true);
  }

  readArray(stream: BackendStream, array: BackendArray, address: bigint): void {
    this.#copy(stream, arrayOf(array), address, false);
  }

  #copy(stream: BackendStream, { array, handle }: CudaArray, address: bigint, toArray: boolean): void {
    if (!(stream instanceof CudaStream)) fail("W7023", { what: "stream" });
    this.#context.enter();
    const code = this.#context.driver.cuMemcpy3DAsync_v2(wholeCopy(array, handle, address, toArray), stream.handle);
    this.#context.check(code, "copy an array of texels");
  }

  createTexture(source: BackendArray | (TexelMemory & { readonly address: bigint }), sampling: Sampling): bigint {
    const { driver } = this.#context;
    const resource = "role" in source ? arrayResource(arrayOf(source).handle) : memoryResource(source);
    return this.#take("make a texture object", (out) =>
      driver.cuTexObjectCreate(out, resource, textureDescriptor(sampling), null),
    );
  }

  destroyTexture(texture: bigint): void {
    this.#context.driver.cuTexObjectDestroy(texture);
  }

  createSurface(array: BackendArray): bigint {
    const { driver } = this.#context;
    const resource = arrayResource(arrayOf(array).handle);
    return this.#take("make a surface object", (out) => driver.cuSurfObjectCreate(out, resource));
  }

  destroySurface(surface: bigint): void {
    this.#context.driver.cuSurfObjectDestroy(surface);
  }
}

const arrayOf = (array: BackendArray): CudaArray => (array instanceof CudaArray ? array : fail("W7023", { what: "array" }));

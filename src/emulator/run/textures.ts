/** The arrays of a device, and its texture and surface objects. */

import { type Sampling, type TexelArray, type TexelMemory, texelBytes } from "../../base/texture.ts";
import type { BackendArray, BackendStream, TextureBackend } from "../../runtime/index.ts";
import { fail } from "../errors/index.ts";
import { extentBytes, type SurfaceObject, type Texels, type TextureObject, type TextureObjects } from "../machine/units/index.ts";

/** Handles are no addresses: no memory is there. */
const firstHandle = 2 ** 47;

class EmulatorArray implements BackendArray {
  readonly role = "array";
  readonly texels: Texels;
  readonly gather: boolean;

  constructor(texels: Texels, gather: boolean) {
    this.texels = texels;
    this.gather = gather;
  }
}

/** What it needs of its device. */
export interface TextureHost {
  /** Memory with the given size; its address. */
  allocate(bytes: number): number;
  /** When all work issued so far is done. */
  free(address: number): void;
  /** Runs when all work issued so far is done. */
  call(run: () => void): void;
  /** Copies when the stream comes to it. */
  copy(stream: BackendStream, to: number, from: number, bytes: number): void;
}

export class EmulatorTextures implements TextureBackend {
  readonly #host: TextureHost;
  readonly #objects = new Map<number, TextureObject | SurfaceObject>();
  #next = firstHandle;

  constructor(host: TextureHost) {
    this.#host = host;
  }

  get objects(): TextureObjects {
    return this.#objects;
  }

  createArray({ format, geometry, width, height, depth, gather }: TexelArray): BackendArray {
    const pitch = width * texelBytes(format);
    const address = this.#host.allocate(pitch * height * depth);
    return new EmulatorArray({ address, format, geometry, width, height, depth, pitch }, gather);
  }

  destroyArray(array: BackendArray): void {
    this.#host.free(arrayOf(array).texels.address);
  }

  fillArray(stream: BackendStream, array: BackendArray, address: bigint): void {
    const { texels } = arrayOf(array);
    this.#host.copy(stream, texels.address, Number(address), extentBytes(texels));
  }

  readArray(stream: BackendStream, array: BackendArray, address: bigint): void {
    const { texels } = arrayOf(array);
    this.#host.copy(stream, Number(address), texels.address, extentBytes(texels));
  }

  createTexture(source: BackendArray | (TexelMemory & { readonly address: bigint }), sampling: Sampling): bigint {
    if ("role" in source) {
      const { texels, gather } = arrayOf(source);
      return this.#add({ kind: "texture", texels, sampling, linear: false, gather });
    }
    const { format, geometry, width, height, pitch } = source;
    const texels = { address: Number(source.address), format, geometry, width, height, depth: 1, pitch };
    return this.#add({ kind: "texture", texels, sampling, linear: geometry === "1d", gather: false });
  }

  destroyTexture(texture: bigint): void {
    this.#host.call(() => this.#objects.delete(Number(texture)));
  }

  createSurface(array: BackendArray): bigint {
    return this.#add({ kind: "surface", texels: arrayOf(array).texels });
  }

  destroySurface(surface: bigint): void {
    this.destroyTexture(surface);
  }

  #add(object: TextureObject | SurfaceObject): bigint {
    const handle = this.#next;
    this.#next += 32;
    this.#objects.set(handle, object);
    return BigInt(handle);
  }
}

const arrayOf = (array: BackendArray): EmulatorArray =>
  array instanceof EmulatorArray ? array : fail("W7023", { what: "array" });

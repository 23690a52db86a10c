/** Texture and surface objects of a launch on a device, and the arrays behind them. */

import { type TexelArray, type TexelMemory, texelBytes } from "../../base/texture.ts";
import type { BackendArray, DeviceBackend } from "../../runtime/index.ts";
import type { AddressOf } from "./fill-bytes.ts";
import type { PtxArgument, PtxSurface, PtxTexture } from "./types.ts";

/** What an object covers of its buffer, in bytes. */
export function coveredBytes(source: TexelArray | TexelMemory): number {
  const row = source.width * texelBytes(source.format);
  return "pitch" in source ? (source.height - 1) * source.pitch + row : row * source.height * source.depth;
}

/** Texture and surface arguments, also those in structures. */
export const texturesIn = (args: readonly PtxArgument[]): readonly (PtxTexture | PtxSurface)[] =>
  args.flatMap((arg) =>
    arg.kind === "structure" ? texturesIn(arg.members) : arg.kind === "texture" || arg.kind === "surface" ? [arg] : [],
  );

export interface MadeTextures {
  handleOf(arg: PtxTexture | PtxSurface): bigint;
  /** What surfaces hold goes to their buffers. */
  copyBack(): void;
  free(): void;
}

/** Makes them, after the buffers have been filled. What the driver refuses: W8008. */
export function makeTextures(device: DeviceBackend, args: readonly PtxArgument[], addressAt: AddressOf): MadeTextures {
  const { textures, defaultStream } = device;
  const handles = new Map<PtxTexture | PtxSurface, bigint>();
  const surfaces: (() => void)[] = [];
  const frees: (() => void)[] = [];
  const filled = (array: TexelArray, address: bigint): BackendArray => {
    const made = textures.createArray(array);
    frees.unshift(() => textures.destroyArray(made));
    textures.fillArray(defaultStream, made, address);
    return made;
  };
  const made: MadeTextures = {
    handleOf: (arg) => handles.get(arg) ?? 0n,
    copyBack: () => {
      for (const copy of surfaces) copy();
    },
    free: () => {
      for (const free of frees) free();
    },
  };
  const make = (arg: PtxTexture | PtxSurface): void => {
    const address = addressAt(arg.address);
    if (arg.kind === "surface") {
      const array = filled(arg.array, address);
      const surface = textures.createSurface(array);
      frees.unshift(() => textures.destroySurface(surface));
      surfaces.push(() => textures.readArray(defaultStream, array, address));
      handles.set(arg, surface);
      return;
    }
    const { source, sampling } = arg;
    const texture = textures.createTexture("pitch" in source ? { ...source, address } : filled(source, address), sampling);
    frees.unshift(() => textures.destroyTexture(texture));
    handles.set(arg, texture);
  };
  try {
    for (const arg of texturesIn(args)) make(arg);
  } catch (error) {
    made.free();
    throw error;
  }
  return made;
}

import { noSpans } from "../diag/index.ts";
import {
  backendOf,
  checkFits,
  checkLaunchShape,
  type Device,
  type DeviceBackend,
  decodeElements,
  encodeMap,
  type LoadedModule,
} from "../runtime/index.ts";
import { elementBytes, mapBytes } from "../tensor-map.ts";
import { fillBytes, type PlaceOf, type ReadFile } from "./fill-bytes.ts";
import { type MadeTextures, makeTextures } from "./make-textures.ts";
import type { PtxArgument, PtxBuffer, PtxLaunch, PtxResult } from "./types.ts";

/** Memory of the device that a buffer got. */
interface Place {
  readonly buffer: PtxBuffer;
  readonly address: bigint;
}

const portableCluster = 8;

/**
 * Runs one launch on a device of either kind; gives the buffers marked `out`. Frees what it took. W7016–W7024 for the launch,
 * W7803 for a file, W8006 where the device refuses the text.
 */
export async function launchPtx(device: Device, ptx: string, launch: PtxLaunch, read: ReadFile): Promise<readonly PtxResult[]> {
  const backend = backendOf(device);
  const { grid, block, cluster, sharedBytes, entry } = launch;
  const nonPortableCluster = cluster.reduce((n, extent) => n * extent, 1) > portableCluster;
  checkLaunchShape({ grid, block, cluster, nonPortableCluster, sharedBytes });
  const module = backend.loadModule(ptx, {
    entry,
    kernel: entry,
    parameterBytes: launch.args.map((arg) => sizeOf(arg).bytes),
    dynamicSharedBytes: sharedBytes,
    nonPortableCluster,
  });
  checkFits(module, block);
  const places = new Map<string, Place>();
  let textures: MadeTextures | undefined;
  try {
    const placeOf: PlaceOf = ({ buffer, offset }) => (places.get(buffer)?.address ?? 0n) + BigInt(offset);
    for (const buffer of launch.buffers) {
      const address = backend.allocate(buffer.count * elementBytes[buffer.dtype]);
      places.set(buffer.name, { buffer, address });
    }
    for (const { buffer, address } of places.values())
      backend.upload(backend.defaultStream, address, fillBytes(buffer, read, placeOf));
    textures = makeTextures(backend, launch.args, placeOf);
    start(backend, module, launch, placeOf, textures);
    textures.copyBack();
    const results: PtxResult[] = [];
    for (const place of places.values()) if (place.buffer.out) results.push(await download(backend, place));
    await device.sync();
    return results;
  } finally {
    textures?.free();
    for (const { address } of places.values()) backend.free(address);
  }
}

async function download(device: DeviceBackend, { buffer: { name, dtype, count }, address }: Place): Promise<PtxResult> {
  const bytes = await device.download(device.defaultStream, address, count * elementBytes[dtype]);
  return { name, dtype, bytes, values: decodeElements(dtype, bytes.slice()) as ArrayLike<number | bigint> };
}

function start(device: DeviceBackend, module: LoadedModule, launch: PtxLaunch, placeOf: PlaceOf, textures: MadeTextures): void {
  const parameters = device.parameters(module);
  launch.args.forEach((arg, i) => {
    const view = parameters.views[i];
    if (view) new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(bytesOf(device, arg, placeOf, textures));
  });
  const { grid, block, cluster, sharedBytes, cooperative } = launch;
  const stream = device.defaultStream;
  const shape = { grid, block, cluster, sharedBytes, cooperative };
  device.launch({ module, parameters, ...shape, stream, overlapPrevious: false, spans: noSpans });
}

interface Size {
  readonly bytes: number;
  readonly align: number;
}

const roundUp = (x: number, to: number): number => Math.ceil(x / to) * to;

/** Where members lie and what they take together, as C lays them out. */
function layOut(members: readonly PtxArgument[]): Size & { readonly offsets: readonly number[] } {
  let [end, align] = [0, 1];
  const offsets = members.map((member) => {
    const size = sizeOf(member);
    const at = roundUp(end, size.align);
    end = at + size.bytes;
    align = Math.max(align, size.align);
    return at;
  });
  return { bytes: roundUp(end, align), align, offsets };
}

/** What an argument takes as a parameter. */
export function sizeOf(arg: PtxArgument): Size {
  switch (arg.kind) {
    case "address":
    case "texture":
    case "surface":
      return { bytes: 8, align: 8 };
    case "bytes":
      return { bytes: arg.bytes.length, align: arg.align };
    case "map":
      return { bytes: mapBytes, align: 64 };
    case "structure":
      return layOut(arg.members);
  }
}

function bytesOf(device: DeviceBackend, arg: PtxArgument, placeOf: PlaceOf, textures: MadeTextures): Uint8Array {
  if (arg.kind === "bytes") return arg.bytes;
  if (arg.kind === "map") {
    return encodeMap(device, placeOf(arg.address), arg.map);
  }
  const bytes = new Uint8Array(sizeOf(arg).bytes);
  if (arg.kind !== "structure") {
    const word = arg.kind === "address" ? placeOf(arg) : textures.handleOf(arg);
    new DataView(bytes.buffer).setBigUint64(0, word, true);
    return bytes;
  }
  const { offsets } = layOut(arg.members);
  arg.members.forEach((member, i) => {
    bytes.set(bytesOf(device, member, placeOf, textures), offsets[i]);
  });
  return bytes;
}

import { elementBytes } from "../../base/element-types.ts";
import { mapBytes } from "../../base/tensor-map.ts";
import {
  addressOf,
  backendOf,
  checkLaunchShape,
  countElements,
  type Device,
  type DeviceTensor,
  decodeElements,
  encodeElements,
} from "../../runtime/index.ts";
import type { PtxEntry, PtxModule } from "../load-ptx/index.ts";
import { address, mapAt, parameterNames, rawBytes, structOf, type Value } from "../load-ptx/index.ts";
import { fail } from "./errors.ts";
import { type AddressOf, fillBytes, type ReadFile, readArraysOf } from "./fill-bytes.ts";
import { type MadeTextures, makeTextures } from "./make-textures.ts";
import type { PtxArgument, PtxBuffer, PtxLaunch, PtxResult } from "./types.ts";

/** A buffer of a launch in the memory of the device. */
interface Made {
  readonly buffer: PtxBuffer;
  readonly tensor: DeviceTensor;
}

/** Of a buffer's name. The names have been checked. */
type TensorOf = (name: string) => DeviceTensor;

/**
 * Runs one launch on a device of either kind; gives the buffers marked `out`. Frees what it took. What `entry.launch` throws, and
 * W7803 and W71xx for a file.
 */
export async function launchPtx(
  device: Device,
  module: PtxModule,
  launch: PtxLaunch,
  read: ReadFile,
): Promise<readonly PtxResult[]> {
  const made = new Map<string, Made>();
  const tensorOf: TensorOf = (name) => {
    const found = made.get(name);
    if (!found) throw new Error(`there is no buffer ${name}`);
    return found.tensor;
  };
  const { grid, block, cluster, sharedBytes: smem, cooperative = false } = launch;
  // Before there are buffers, and files are read for them.
  checkLaunchShape({ ...launch, nonPortableCluster: true }, backendOf(device).target);
  const arrays = await readArraysOf(launch.buffers);
  let textures: MadeTextures | undefined;
  try {
    for (const buffer of launch.buffers)
      made.set(buffer.name, { buffer, tensor: device.empty(buffer.dtype, buffer.shape) as DeviceTensor });
    const addressAt: AddressOf = ({ buffer, offset }) => addressOf(tensorOf(buffer)) + BigInt(offset);
    const backend = backendOf(device);
    for (const { buffer, tensor } of made.values())
      backend.upload(backend.defaultStream, addressOf(tensor), fillBytes(buffer, { read, arrays, addressAt }));
    textures = makeTextures(backend, launch.args, addressAt);
    const { handleOf } = textures;
    const args = launch.args.map((arg) => argumentValue(arg, { tensorOf, handleOf }));
    module.entry(launch.entry).launch({ device, grid, block, cluster, smem, cooperative }, ...args);
    textures.copyBack();
    const results: PtxResult[] = [];
    for (const one of made.values()) if (one.buffer.out) results.push(await download(device, one));
    await device.sync();
    return results;
  } finally {
    textures?.free();
    for (const { tensor } of made.values()) tensor.dispose();
  }
}

async function download(device: Device, { buffer: { name, dtype, shape }, tensor }: Made): Promise<PtxResult> {
  const backend = backendOf(device);
  const bytes = await backend.download(backend.defaultStream, addressOf(tensor), countElements(shape) * elementBytes[dtype]);
  return { name, dtype, shape, bytes, values: decodeElements(dtype, bytes.slice()) as ArrayLike<number | bigint> };
}

/** What stands for what arguments name. */
interface Named {
  readonly tensorOf: TensorOf;
  readonly handleOf: MadeTextures["handleOf"];
}

function argumentValue(arg: PtxArgument, named: Named): Value {
  const { tensorOf, handleOf } = named;
  switch (arg.kind) {
    case "texture":
    case "surface":
      return rawBytes(encodeElements("u64", [handleOf(arg)]), 8);
    case "address":
      return address(tensorOf(arg.buffer), arg.offset);
    case "bytes":
      return rawBytes(arg.bytes, arg.align);
    case "map":
      return mapAt(tensorOf(arg.address.buffer), arg.address.offset, arg.map);
    case "structure":
      return structOf(arg.members.map((member) => argumentValue(member, named)));
  }
}

const blank = (bytes: number, align: number): Value => rawBytes(new Uint8Array(bytes), align);

/** An argument as far as it is known without a device: what it takes. */
function outline(arg: PtxArgument): Value {
  switch (arg.kind) {
    case "address":
    case "texture":
    case "surface":
      return blank(8, 8);
    case "bytes":
      return blank(arg.bytes.length, arg.align);
    case "map":
      return blank(mapBytes, 64);
    case "structure":
      return structOf(arg.members.map(outline));
  }
}

/** Refuses arguments that are not the entry's, before there is a device. W7805, W7806. */
export function checkArguments(entry: PtxEntry, args: readonly PtxArgument[]): void {
  const { demangled, parameters } = entry;
  if (args.length !== parameters.length)
    fail("W7805", { entry: demangled, parameters: parameterNames(entry), given: args.length });
  args.forEach((arg, i) => {
    const [given, bytes] = [outline(arg).bytes, parameters[i]?.bytes ?? 0];
    if (given !== bytes) fail("W7806", { entry: demangled, index: i, parameter: parameters[i]?.name ?? "", given, bytes });
  });
}

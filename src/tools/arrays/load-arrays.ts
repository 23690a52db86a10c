import { display, exactMethods, nearest, placeOnStack, refuseMore } from "../../base/diag/index.ts";
import type { DType } from "../../base/types.ts";
import { addressOf, backendOf, type Device, type DeviceTensor } from "../../runtime/index.ts";
import { type ArrayFile, type Asked, type Entry, entryNamed, nameOf } from "./array-file.ts";
import { makeError } from "./errors.ts";
import { NamedArrays } from "./named-arrays.ts";
import { ask, withArrays } from "./open-arrays.ts";
import { checkManyOptions, checkOneOptions, type Expected, entriesNamed, readEntry, typeOf } from "./read-arrays.ts";
import type { DeviceArrays, ReadArrayOptions, ReadArraysOptions } from "./types.ts";

/** What an array of a device was read from. */
class LoadedArrays extends NamedArrays<DeviceTensor> implements DeviceArrays {
  readonly #file: string;

  constructor(file: string, arrays: Iterable<readonly [string, DeviceTensor]>, metadata: Readonly<Record<string, string>>) {
    super(arrays, metadata);
    this.#file = file;
  }

  tensor<D extends DType = DType, R extends number = number>(name: string, dtype?: D, rank?: R): DeviceTensor<D, R> {
    const spans = placeOnStack();
    const found = this.get(name);
    const said = typeof name === "string" ? name : display(name);
    if (!found) {
      const names = [...this.keys()];
      throw makeError("W7104", { file: this.#file, name: said, near: nearest(said, names), names }, spans);
    }
    checkOneOptions({ dtype, rank }, "tensor()", { file: this.#file, spans });
    typeOf({ ...found, stored: found.dtype, bytes: 0 }, `the array ${said} of ${this.#file}`, { dtype, rank }, spans);
    return found as DeviceTensor<D, R>;
  }

  dispose(): void {
    for (const tensor of this.values()) tensor.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
exactMethods(LoadedArrays);

/** One array of the device with the elements as they lie in the file: nothing is rounded or converted. W7108. */
async function load(device: Device, file: ArrayFile, entry: Entry, expected: Expected): Promise<DeviceTensor> {
  const { spans } = file.asked;
  const { shape } = await entry.describe();
  if (shape.includes(0)) throw makeError("W7108", { array: nameOf(file, entry), shape }, spans);
  const { dtype, bytes } = await readEntry(file, entry, expected);
  const tensor = device.empty(dtype, shape.length === 0 ? [1] : shape);
  try {
    const backend = backendOf(device, spans);
    backend.upload(backend.defaultStream, addressOf(tensor), bytes);
    return tensor;
  } catch (error) {
    tensor.dispose();
    throw error;
  }
}

/** Refuses what is no open device, and what no graph can hold, before a file is read. W7007, W7023, W7029. */
const checkDevice = (device: Device, { spans }: Asked): void => void backendOf(device, spans);

/**
 * Tensors of a device with the arrays of a .npy, .npz or .safetensors file. The host holds one array at a time. An array without dimensions becomes a tensor of shape
 * `[1]`. W7101 to W7104, W7106 to W7109, W8005.
 */
export async function loadArrays(device: Device, path: string | URL, options: ReadArraysOptions = {}): Promise<DeviceArrays> {
  refuseMore(loadArrays, arguments);
  const asked = ask(path);
  checkManyOptions(options, "loadArrays()", asked);
  checkDevice(device, asked);
  return withArrays(asked, async (file) => {
    const loaded: (readonly [string, DeviceTensor])[] = [];
    try {
      for (const entry of entriesNamed(file, options.names)) loaded.push([entry.name, await load(device, file, entry, {})]);
    } catch (error) {
      for (const [, tensor] of loaded) tensor.dispose();
      throw error;
    }
    return new LoadedArrays(asked.file, loaded, file.metadata);
  });
}

/** A tensor of a device with one array of a file: that of the name, or the only one. W7101 to W7106, W7108, W7109, W8005. */
export async function loadArray<D extends DType = DType, R extends number = number>(
  device: Device,
  path: string | URL,
  options: ReadArrayOptions<D, R> = {},
): Promise<DeviceTensor<D, R>> {
  refuseMore(loadArray, arguments);
  const asked = ask(path);
  checkOneOptions(options, "loadArray()", asked);
  checkDevice(device, asked);
  return withArrays(asked, async (file) => {
    return (await load(device, file, entryNamed(file, options.name), options)) as DeviceTensor<D, R>;
  });
}

/** The bytes of a launch of a built kernel. */

import { mapBytes, mapOver } from "../../base/tensor-map.ts";
import {
  addressOf,
  type DeviceBackend,
  type DeviceTensor,
  encodeMap,
  type ScalarValue,
  scalarParameter,
} from "../../runtime/index.ts";
import type { Named } from "./arguments.ts";
import { fail } from "./errors.ts";
import type { ScalarParameter, Slot } from "./manifest.ts";

const most = 2 ** 31 - 1;

/** W7514. */
function writeExtent(
  { name, kernel }: Named,
  slot: Extract<Slot, { dimension: number }>,
  view: DataView,
  tensor: DeviceTensor,
): void {
  const { kind, of, dimension } = slot;
  const value = (kind === "shape" ? tensor.shape : tensor.strides)[dimension] ?? 1;
  if (value > most) {
    const dims = kind === "shape" ? "shape" : "strides";
    const parameter = kernel.parameters[of]?.name ?? "";
    fail("W7514", { kernel: name, name: parameter, dimension: `${dims}[${dimension}]`, value: String(value) });
  }
  view.setInt32(0, value, true);
}

/** Writes every parameter of the entry; the arguments have been checked. W4003, W4005–W4007, W7514. */
export function pack(named: Named, args: readonly unknown[], backend: DeviceBackend, views: readonly DataView[]): void {
  const { kernel } = named;
  for (const [i, slot] of kernel.slots.entries()) {
    const view = views[i];
    if (!view) throw new Error(`no place for parameter ${i} of ${named.name}`);
    if (slot.kind === "constant") {
      new Uint8Array(view.buffer, view.byteOffset, slot.bytes).set(Buffer.from(slot.value, "hex"));
      continue;
    }
    const tensor = args[slot.of] as DeviceTensor;
    if (slot.kind === "address") view.setBigUint64(0, addressOf(tensor), true);
    else if (slot.kind === "scalar")
      scalarParameter((kernel.parameters[slot.of] as ScalarParameter).type)?.write(view, args[slot.of] as ScalarValue);
    else if (slot.kind === "map") {
      const map = slot.resized ? mapOver(slot.map, tensor) : slot.map;
      new Uint8Array(view.buffer, view.byteOffset, mapBytes).set(encodeMap(backend, addressOf(tensor), map));
    } else if (slot.kind === "shape" || slot.kind === "stride") writeExtent(named, slot, view, tensor);
  }
}

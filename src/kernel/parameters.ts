/** The parameter block of a launch: what stands where, in the order that the lowered kernel takes its parameters. */

import { mapBytes } from "../base/tensor-map.ts";
import type { TMA } from "../dsl/index.ts";
import { dynamicExtents } from "../dsl/index.ts";
import {
  addressOf,
  type DeviceBackend,
  type DeviceTensor,
  encodeMap,
  isDeviceTensor,
  type ScalarValue,
  scalarParameter,
} from "../runtime/index.ts";
import type { Arguments } from "./arguments.ts";
import { fail } from "./errors.ts";
import type { HiddenParam } from "./executable.ts";
import type { KernelSource } from "./source.ts";

const encoded = new WeakMap<TMA, { readonly backend: DeviceBackend; readonly bytes: Uint8Array }>();

/** The 128 bytes of a tensor map, made on its first launch. W4003, W7505. */
function encodedMap(tma: TMA, backend: DeviceBackend): Uint8Array {
  const known = encoded.get(tma);
  if (known?.backend === backend) return known.bytes;
  const { tensor } = tma;
  if (!isDeviceTensor(tensor)) return fail("W7505", { kernel: "a launch", name: "a tensor map" });
  const bytes = encodeMap(backend, addressOf(tensor), tma.map);
  encoded.set(tma, { backend, bytes });
  return bytes;
}

/** An argument that is a scalar, and the parameter it is written to. */
export interface ScalarSlot {
  readonly argument: number;
  readonly parameter: number;
  readonly write: (view: DataView, value: ScalarValue) => void;
  fits(value: unknown): boolean;
}

/** Bytes of each parameter, in the order of the launch. */
export function parameterBytes(sorted: Arguments, hidden: readonly HiddenParam[]): number[] {
  const bytes = sorted.params.flatMap((p) => {
    if (p.kind === "tma") return [mapBytes, ...Array<number>(p.dynamic.length).fill(4)];
    if (p.kind === "scalar") return [scalarParameter(p.type)?.bytes ?? 0];
    const { shape, strides } = dynamicExtents(p.spec.rank, p.dynamic);
    return [8, ...Array<number>(shape.length + strides.length).fill(4)];
  });
  return [...bytes, ...hidden.map((p) => p.bytes)];
}

/** The places of hidden parameters of one kind. */
export const hiddenViews = (
  views: readonly DataView[],
  hidden: readonly HiddenParam[],
  kind: HiddenParam["kind"],
): readonly DataView[] => views.slice(views.length - hidden.length).filter((_, i) => hidden[i]?.kind === kind);

/** Writes every parameter but the hidden ones; gives where the scalars went. */
export function pack(
  source: KernelSource,
  sorted: Arguments,
  backend: DeviceBackend,
  views: readonly DataView[],
): Map<number, number> {
  const places = new Map<number, number>();
  let next = 0;
  const view = (): DataView => views[next++] ?? fail("W7502", { kernel: source.name, expected: views.length, given: next });
  sorted.params.forEach((p, i) => {
    if (p.kind === "tma") {
      const place = view();
      new Uint8Array(place.buffer, place.byteOffset, mapBytes).set(encodedMap(p.tma, backend));
      const { shape } = dynamicExtents(p.tma.shape.length, p.dynamic);
      for (const d of shape) view().setInt32(0, extent(source, p.name, `shape[${d}]`, p.tma.shape[d]), true);
    } else if (p.kind === "scalar") {
      places.set(i, next);
      scalarParameter(p.type)?.write(view(), sorted.values[i] as ScalarValue);
    } else {
      view().setBigUint64(0, addressOf(sorted.values[i] as DeviceTensor), true);
      const { shape, strides } = dynamicExtents(p.spec.rank, p.dynamic);
      for (const d of shape) view().setInt32(0, extent(source, p.name, `shape[${d}]`, p.spec.shape[d]), true);
      for (const d of strides) view().setInt32(0, extent(source, p.name, `strides[${d}]`, p.spec.strides[d]), true);
    }
  });
  return places;
}

function extent(source: KernelSource, name: string, dimension: string, value: number | undefined): number {
  if (value === undefined || value > 2 ** 31 - 1)
    return fail("W7514", { kernel: source.name, name, dimension, value: String(value) });
  return value;
}

/** Where the scalars among the arguments went; `places` is what `pack` gave. */
export function scalarsOf(source: KernelSource, sorted: Arguments, places: ReadonlyMap<number, number>): readonly ScalarSlot[] {
  return source.parameters.flatMap((p, argument) => {
    if (p.kind !== "scalar") return [];
    const parameter = places.get(sorted.params.findIndex((q) => q.kind === "scalar" && q.name === p.name));
    const how = scalarParameter(p.type);
    return parameter === undefined || !how ? [] : [{ argument, parameter, write: how.write, fits: how.fits }];
  });
}

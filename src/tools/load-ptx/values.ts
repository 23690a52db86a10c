/** Values as the bytes of a parameter. */

import { display, refuseMore } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import { mapBytes } from "../../base/tensor-map.ts";
import type { DType, Element } from "../../base/types.ts";
import {
  addressOf,
  backendOf,
  type DeviceBackend,
  type DeviceTensor,
  encodeElements,
  encodeMap,
  isDeviceTensor,
  spanElements,
} from "../../runtime/index.ts";
import { fail } from "./errors.ts";
import type { PtxArgument, PtxTensorMap, PtxValue } from "./types.ts";

/** A value and what a launch has to know of it. */
export class Value implements PtxValue {
  readonly bytes: number;
  readonly align: number;
  /** Memory that it points to. */
  readonly tensors: readonly DeviceTensor[];
  /** Its bytes on that device. */
  readonly encode: (backend: DeviceBackend) => Uint8Array;

  constructor(value: PtxValue & { readonly tensors?: readonly DeviceTensor[] }, encode: Value["encode"]) {
    this.bytes = value.bytes;
    this.align = value.align;
    this.tensors = value.tensors ?? [];
    this.encode = encode;
  }
}

/** Bytes as they are. */
export const rawBytes = (bytes: Uint8Array, align: number): Value => new Value({ bytes: bytes.length, align }, () => bytes);

export const address = (tensor: DeviceTensor, offset: number): Value =>
  new Value({ bytes: 8, align: 8, tensors: [tensor] }, () =>
    encodeElements("u64", [BigInt.asUintN(64, addressOf(tensor) + BigInt(offset))]),
  );

/** A map of the memory that begins so many bytes behind the first element. */
export const mapAt = (tensor: DeviceTensor, offset: number, map: PtxTensorMap["map"]): Value =>
  new Value({ bytes: mapBytes, align: 64, tensors: [tensor] }, (backend) =>
    encodeMap(backend, addressOf(tensor) + BigInt(offset), map),
  );

/** The tensor that a map is of. W7505. */
const mappedTensor = ({ tensor }: PtxTensorMap): DeviceTensor =>
  isDeviceTensor(tensor) ? tensor : fail("W7505", { kernel: "a launch", name: "a tensor map" });

const isTensorMap = (x: unknown): x is PtxTensorMap => {
  if (typeof x !== "object" || x === null || !("map" in x) || !("tensor" in x)) return false;
  const { map } = x;
  return typeof map === "object" && map !== null && "mode" in map && (map.mode === "tiled" || map.mode === "im2col");
};

const viewAlign = (view: ArrayBufferView): number => ("BYTES_PER_ELEMENT" in view ? Number(view.BYTES_PER_ELEMENT) : 1);

/** Values that say their own type; undefined for the others. */
export function typedValue(argument: unknown): Value | undefined {
  if (argument instanceof Value) return argument;
  if (isDeviceTensor(argument)) return address(argument, 0);
  if (ArrayBuffer.isView(argument)) {
    const bytes = new Uint8Array(argument.buffer, argument.byteOffset, argument.byteLength).slice();
    return rawBytes(bytes, viewAlign(argument));
  }
  return isTensorMap(argument) ? mapAt(mappedTensor(argument), 0, argument.map) : undefined;
}

/** A number of that element type, where the PTX does not say which (`.b32`) or in a structure. W7002, W7005. */
export function scalar<D extends DType>(dtype: D, value: Element<D>): PtxValue {
  refuseMore(scalar, arguments);
  const bytes = encodeElements(dtype, [value]);
  return rawBytes(bytes, bytes.length);
}

const roundUp = (x: number, to: number): number => Math.ceil(x / to) * to;

/** Members one after the other, as C lays them out. */
export function structOf(members: readonly Value[]): Value {
  let [end, align] = [0, 1];
  const offsets = members.map((member) => {
    const at = roundUp(end, member.align);
    end = at + member.bytes;
    align = Math.max(align, member.align);
    return at;
  });
  const bytes = roundUp(end, align);
  return new Value({ bytes, align, tensors: members.flatMap((m) => m.tensors) }, (backend) => {
    const packed = new Uint8Array(bytes);
    members.forEach((member, i) => {
      packed.set(member.encode(backend), offsets[i]);
    });
    return packed;
  });
}

const membersExpected = "scalar(), struct(), pointer(), a tensor, a tensor map or a typed array";

/** A structure by value, laid out as C does. An array is its elements, one after the other. W7809. */
export function struct(...members: readonly Exclude<PtxArgument, number | bigint | boolean>[]): PtxValue {
  refuseMore(struct, arguments);
  return structOf(
    members.map(
      (member, i) =>
        typedValue(member) ??
        fail("W7809", { place: `Member ${i} of a structure`, given: display(member), expected: membersExpected }),
    ),
  );
}

/** An address inside a tensor: that many bytes behind its first element. W7023, W7813. */
export function pointer(tensor: DeviceTensor, bytes: number): PtxValue {
  refuseMore(pointer, arguments);
  if (!isDeviceTensor(tensor)) return fail("W7023", { what: "tensor" });
  const size = spanElements(tensor.shape, tensor.strides) * elementBytes[tensor.dtype];
  if (!Number.isInteger(bytes) || bytes < 0 || bytes > size) fail("W7813", { given: display(bytes), size });
  return address(tensor, bytes);
}

/** The 128 bytes of a tensor map, to be written where a kernel finds them: into a variable or another tensor. W4003, W7505. */
export function tensorMapBytes(map: PtxTensorMap): Uint8Array {
  refuseMore(tensorMapBytes, arguments);
  if (!isTensorMap(map))
    return fail("W7809", { place: "The tensor map", given: display(map), expected: "new TMA(tensor, { box })" });
  const tensor = mappedTensor(map);
  return mapAt(tensor, 0, map.map).encode(backendOf(tensor.device));
}

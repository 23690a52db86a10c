import {
  addressOf,
  type BackendStream,
  type DeviceBackend,
  type DeviceTensor,
  elementBytes,
  spanElements,
} from "../runtime/index.ts";

/** What tensors hold, put aside. */
export interface KeptTensors {
  /** Makes the tensors what they were, when the stream comes to it. */
  putBack(): void;
  free(): void;
}

/** Copies what tensors hold, when the stream comes to it. W8005. */
export function keepTensors(backend: DeviceBackend, stream: BackendStream, tensors: readonly DeviceTensor[]): KeptTensors {
  const copies: { readonly from: bigint; readonly to: bigint; readonly bytes: number }[] = [];
  const free = (): void => {
    for (const { to } of copies) backend.free(to);
  };
  const extents = new Map<bigint, number>();
  for (const tensor of tensors) {
    const bytes = spanElements(tensor.shape, tensor.strides) * elementBytes(tensor.dtype);
    const address = addressOf(tensor);
    extents.set(address, Math.max(bytes, extents.get(address) ?? 0));
  }
  try {
    for (const [from, bytes] of extents) if (bytes > 0) copies.push({ from, to: backend.allocate(bytes), bytes });
  } catch (error) {
    free();
    throw error;
  }
  // New memory is there for the device's own stream, and for others behind it.
  if (stream !== backend.defaultStream) backend.orderAfter(stream, backend.defaultStream);
  for (const { from, to, bytes } of copies) backend.copy(stream, to, from, bytes);
  return {
    putBack: () => {
      for (const { from, to, bytes } of copies) backend.copy(stream, from, to, bytes);
    },
    free,
  };
}

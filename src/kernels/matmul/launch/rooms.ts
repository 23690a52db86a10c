/** Memory that is kept on a device for launches that need it for a while. */
import type { Device, DeviceTensor } from "warpsmith";
import type { FloatType } from "../../common/tensors.ts";

/**
 * Of each type of elements as much as was ever needed at a time, rounded up to a power of two, so that all that came before it is no more than it is.
 * It is freed with its device: graphs hold it. Launches in other streams that use it wait for each other.
 */
const rooms = new WeakMap<Device, Map<FloatType, DeviceTensor<FloatType, 1>>>();

/** So many elements, which whoever launches next may overwrite. W8005; W7029 where a graph is captured. */
export function roomFor<D extends FloatType>(device: Device, dtype: D, elements: number): DeviceTensor<D, 1> {
  const ofDevice = rooms.get(device) ?? new Map<FloatType, DeviceTensor<FloatType, 1>>();
  rooms.set(device, ofDevice);
  const before = ofDevice.get(dtype);
  if (before && before.shape[0] >= elements) return before as DeviceTensor<D, 1>;
  const room = device.empty(dtype, [2 ** Math.ceil(Math.log2(elements))]) as DeviceTensor<D, 1>;
  ofDevice.set(dtype, room as DeviceTensor<FloatType, 1>);
  return room;
}

import type { Device, DeviceTensor, DType } from "warpsmith";

/** Takes memory on the device. */
export type Take = <D extends DType>(dtype: D, shape: readonly number[]) => DeviceTensor<D>;

/** What `make` gives; where it fails, memory that it took is freed. */
export function taking<R>(device: Device, make: (take: Take) => R): R {
  const taken: DeviceTensor[] = [];
  try {
    return make((dtype, shape) => {
      const tensor = device.empty(dtype, [...shape]);
      taken.push(tensor);
      return tensor;
    });
  } catch (error) {
    for (const tensor of taken) tensor.dispose();
    throw error;
  }
}

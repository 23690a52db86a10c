import { checkOptions, display, optionsOf } from "../../base/diag/index.ts";
import type { DType, Shape } from "../../base/types.ts";
import { chooseDevice, type DeviceTensor, elementBytes } from "../../runtime/index.ts";
import type { DeviceModules } from "./device-modules.ts";
import { fail } from "./errors.ts";
import type { PtxVariable, PtxVariableOptions } from "./types.ts";

const variableOptions = optionsOf<PtxVariableOptions>("variable()", { device: true, dtype: true, shape: true });

/** The element type that a type of PTX is to the host. Packed ones are their bits. */
const dtypes: Readonly<Record<string, DType>> = {
  b8: "u8",
  b16: "u16",
  b32: "u32",
  b64: "u64",
  s8: "i8",
  s16: "i16",
  s32: "i32",
  s64: "i64",
  u8: "u8",
  u16: "u16",
  u32: "u32",
  u64: "u64",
  f16: "f16",
  bf16: "bf16",
  f16x2: "u32",
  bf16x2: "u32",
  f32: "f32",
  f64: "f64",
};

/** Types without an element type of their own are bytes. */
const dtypeOf = ({ type }: PtxVariable): DType => dtypes[type] ?? "u8";

/** A variable on a device. W2601, W7002, W7003, W7013, W7808, W7811. */
export function openVariable<D extends DType>(
  variable: PtxVariable,
  modules: DeviceModules,
  options: PtxVariableOptions<D>,
): DeviceTensor<D> {
  checkOptions(options, variableOptions);
  const { name, bytes } = variable;
  const dtype = (options.dtype ?? dtypeOf(variable)) as D;
  const size = elementBytes(dtype);
  // What is no number is refused with the shape, further down.
  const count = (extents: Shape): number => extents.reduce((n, extent) => n * (Number.isInteger(extent) ? extent : 1), size);
  const asDeclared: Shape = variable.shape.length > 0 ? variable.shape : [1];
  const shape = options.shape ?? (count(asDeclared) === bytes ? asDeclared : [Math.floor(bytes / size)]);
  if (bytes < size || (Array.isArray(shape) && count(shape) > bytes))
    fail("W7811", { name, bytes, dtype, shape: display(shape) });
  const { image, memory } = modules.on(chooseDevice([], options.device));
  const found = image.variable(name) ?? fail("W7808", { file: modules.file, name, near: undefined, variables: [] });
  return memory.tensor(dtype, shape, found.address);
}

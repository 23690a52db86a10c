import type { Device } from "warpsmith";
import { sortArguments } from "../../src/kernel/arguments.ts";
import { shapeOf } from "../../src/kernel/instance.ts";
import { partsOf } from "../../src/kernel/value.ts";
import { backendOf } from "../../src/runtime/index.ts";
import { type Recorded, recordOn } from "./watch-records.ts";

/** Lets an emulator compile and run watched kernels. */
export const watchOn = (device: Device): Recorded => recordOn(backendOf(device));

/** What compiling a kernel for `watch` gives, for arguments as `compile` takes them. */
export function compileWatched(kernel: unknown, args: readonly unknown[]): { readonly ptx: string } {
  const parts = partsOf(kernel);
  if (!parts) throw new TypeError("not a kernel");
  const { source, instances } = parts;
  const { options } = shapeOf(source, args);
  return instances.get(sortArguments(source, args), { ...options, watch: true });
}

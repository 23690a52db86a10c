import type { Device } from "warpsmith";
import type { Closeness } from "warpsmith/testing";

/** One kernel of this folder, at one size, against a reference. */
export interface KernelCheck {
  readonly name: string;
  /** Throws where a result is wrong. */
  run(gpu: Device): Promise<Closeness>;
}

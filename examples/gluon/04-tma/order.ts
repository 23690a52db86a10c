import type { Device } from "warpsmith";

/** One order of accesses by threads and by copies to the same buffer, with a fence between them and without. */
export interface Order {
  readonly name: string;
  run(gpu: Device, fenced: boolean): Promise<void>;
}

import type { Device } from "warpsmith";

/** A kernel of the library that ptxas is asked about: what it is for, and its PTX. */
export interface Assembling {
  readonly title: string;
  ptx(on: Devices): string;
}

/** Where operands are: of a driver that only remembers, or, where a kernel has to run to make one, on the emulator. */
export interface Devices {
  readonly fake: Device;
  readonly emulator: Device;
}

/** What a launch is made of, whatever its kernel takes. */
interface Ready {
  readonly kernel: { compile(...args: never[]): { readonly ptx: string } };
  readonly args: unknown;
}

export const ptxOf = ({ kernel, args }: Ready): string => kernel.compile(...(args as never[])).ptx;

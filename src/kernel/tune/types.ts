/** What the host sees of a search. Types only. */
import type { WarpsmithError } from "../../base/diag/index.ts";
import type { Device, DeviceTensor, Stream } from "../../runtime/index.ts";
import type { Kernel } from "../types.ts";

/** For each knob the values that it may have. */
export type TuneSpace = Readonly<Record<string, readonly unknown[]>>;
/** One value for each knob of a space. */
export type TuneConfig<S extends TuneSpace> = { readonly [K in keyof S]: S[K][number] };

/** What a configuration takes of a multiprocessor, as far as it is known before anything is compiled. What is left out is not looked at. */
export interface TuneResources {
  /** Threads of a block. */
  readonly threads?: number;
  /** Bytes of shared memory of a block. */
  readonly sharedBytes?: number;
  /** Registers that a thread cannot do without, such as those of its sums. */
  readonly registers?: number;
  /** Blocks of the launch. */
  readonly blocks?: number;
}

/** What became of a configuration. */
export interface TuneTrial<C = unknown> {
  /** One value for each knob. */
  readonly config: C;
  /**
   * Whether it was measured; left out before it was made (`fits` or `resources`, or because the budget had no room for it); refused with an error; or
   * gave a wrong result. On the emulator the first that is right is chosen without measuring, and those behind it are not tried.
   */
  readonly outcome: "measured" | "pruned" | "refused" | "wrong" | "chosen without measuring" | "not tried";
  /** The median, in microseconds of the GPU, the L2 cache overwritten before each launch. Undefined where it was not measured. */
  readonly time: number | undefined;
  /** Why it was left out, refused or is wrong. */
  readonly reason: string | undefined;
  /** What the schedule, the compiler, the driver or the launch said. */
  readonly error: WarpsmithError | undefined;
}

/** What a search has found. */
export interface TuneResult<C = unknown> {
  /** The configuration that was fastest. */
  readonly config: C;
  /** Its kernel. */
  // biome-ignore lint/suspicious/noExplicitAny: a kernel of whatever parameters
  readonly kernel: Kernel<any[]>;
  /** Its median in microseconds; undefined on the emulator. */
  readonly time: number | undefined;
  /** The choice was read from disk, and nothing was measured. */
  readonly kept: boolean;
  /** All configurations, in the order of the space. Empty where the choice was kept. */
  readonly trials: readonly TuneTrial<C>[];
  /** The trials as text, a line each, the fastest first. */
  table(): string;
}

/** How a search goes on, whatever is searched. */
export interface SearchOptions<C = unknown> {
  /** Leaves a configuration out before it is made: false for one that is none. */
  readonly fits?: (config: C) => boolean;
  /** What a configuration takes. One that no multiprocessor has room for is left out, and so is one that leaves most of them idle where another does not. */
  readonly resources?: (config: C) => TuneResources;
  /** Where the kernels run. */
  readonly device: Device;
  /** The stream that they are launched in. Default: the device's own. */
  readonly stream?: Stream;
  /** A kernel with the same arguments, or a function of them that launches something, whose results are right. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the arguments are
  readonly reference?: Kernel<any[]> | ((...args: any[]) => unknown);
  /** Tensors that hold the results. Default: those that the program writes; without a program all tensors among the arguments. */
  readonly results?: readonly DeviceTensor[];
  /** How far an element may be off, as a part of itself and of the root mean square of all. Default: 0.01 of floating-point numbers, else 0. */
  readonly tolerance?: number;
  /** Seconds of the GPU for measuring all of them together, about. Default: 2. */
  readonly seconds?: number;
  /** Configurations that are compiled at most, spread evenly over those that are left. Default: all of them. */
  readonly budget?: number;
  /** Whether the choice is kept on disk, and taken from there. Default: true. */
  readonly keep?: boolean;
}

/** What a call of a function here launches, as data: one kernel, and whatever has to come before and after it. */
import type { DeviceTensor, Kernel } from "warpsmith";
import type { Calls } from "./explain.ts";

/** One launch of a kernel. */
export interface KernelLaunch {
  /** The kernel: `launch` it with `args`. */
  // biome-ignore lint/suspicious/noExplicitAny: kernels of different functions have different parameters
  readonly kernel: Kernel<any[]>;
  /** Its arguments. */
  readonly args: readonly unknown[];
  /** Blocks of the launch, where the kernel's options do not say them. */
  readonly grid?: number;
}

/** A launch that a call needs beside that of its kernel, in the same stream. */
export interface FurtherLaunch extends KernelLaunch {
  /** What it is there for, as a sentence. */
  readonly why: string;
  /** How to do without it. */
  readonly without: string;
}

/** What a function of this package would launch. */
export interface ReadyKernel extends KernelLaunch {
  /** Where the result goes: what the options name, or new memory that is the caller's to dispose of. */
  readonly out: DeviceTensor;
  /** Launches that have to come before, in order. The first launch of a call starts as the author asks; all others let the launch before them go on (`overlapPrevious`). */
  readonly before: readonly FurtherLaunch[];
  /** Launches that have to come after, in order. */
  readonly after: readonly FurtherLaunch[];
}

/** A call that is ready to be launched. */
export interface Ready extends KernelLaunch {
  readonly out: DeviceTensor;
  readonly before?: readonly FurtherLaunch[];
  readonly after?: readonly FurtherLaunch[];
  /** The author's function that the kernel calls, and what it is to the author. */
  readonly calls?: Calls;
  /** Other results, in memory that was made for them: freed where a launch fails. */
  readonly made?: readonly DeviceTensor[];
  /** Memory that nobody needs once all is launched. */
  readonly temporaries?: readonly DeviceTensor[];
}

/** None. */
export const none: readonly FurtherLaunch[] = Object.freeze([]);

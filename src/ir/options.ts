import type { Target } from "../base/target.ts";

/** Registers of a kernel's entry, as its author sets them. CUDA `__maxnreg__` and the second number of `__launch_bounds__`. */
export interface RegisterBounds {
  /** Registers per thread at entry (`.maxnreg`). */
  readonly registers?: number;
  /** Blocks that must fit one SM (`.minnctapersm`). */
  readonly blocksPerSM?: number;
}

/** What an author turns on or off for a kernel. Off where nothing is said, but for `debug` on the emulator. */
export interface Switches {
  /**
   * Compile `assert` in, and check on the GPU what the text does: every index against its extent where memory is touched, i32 and
   * i64 arithmetic against its range, integers that become narrower, counts that may not be negative. `(a + b) | 0`, `>>> 0` and `Math.imul` wrap by definition.
   * Default: on in the emulator, off on the GPU.
   */
  readonly debug?: boolean;
  /** Let `a * b + c` and `a * b - c` of floats become one rounding. Default false: every operation rounds as written; `fma(a, b, c)` asks for one. */
  readonly contract?: boolean;
}

/** What a kernel records for a profile: its marks, where the device sees the rest by itself, or a whole timeline. */
export type ProfileRecords = "marks" | "timeline";

/** How a kernel is launched, as far as its code depends on it. */
export interface LaunchBounds extends RegisterBounds {
  readonly block: readonly [number, number, number];
  readonly cluster: readonly [number, number, number];
}

/**
 * All that changes the program beside the kernel's text and arguments. It is known before tracing, goes whole through tracing, passes
 * and lowering, and is part of the key under which what is compiled is kept. A new option is a field here, of `RegisterBounds` or of
 * `Switches`; the type checker then asks for its spelling (option-text.ts) and, where authors set it, for its check (kernel/options.ts).
 */
export interface ProgramOptions extends Required<Switches> {
  readonly target: Target;
  readonly launch: LaunchBounds;
  /** Record the marks of a profile, or all that a timeline has; left out where there is none. */
  readonly profile?: ProfileRecords;
  /** Record where its warps wait, so that a launch that does not end can be told of; left out where nobody asks for it. */
  readonly watch?: true;
  /** Bytes at the start of shared memory that `sharedMemory.dynamic` places by hand. */
  readonly dynamicShared: number;
}

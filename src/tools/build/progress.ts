/** How far a build has come, for the command: compiling and assembling take seconds, and go on while the author's file is loaded. */

/** "compiling gemm", and which kernel of how many it is. */
export interface BuildStep {
  readonly doing: "compiling" | "assembling";
  readonly kernel: string;
  readonly number: number;
  readonly of: number;
}

let listener: ((step: BuildStep) => void) | undefined;

/** Tells of each step of the builds of this process that begins from now on; undefined: of none. */
export function tellBuildSteps(listen: ((step: BuildStep) => void) | undefined): void {
  listener = listen;
}

/** Goes through named things one after the other, and tells which one is next; of what takes no time nothing. */
export function inSteps<T, R>(
  doing: BuildStep["doing"] | undefined,
  all: readonly (readonly [kernel: string, of: T])[],
  each: (kernel: string, of: T) => R,
): Map<string, R> {
  return new Map(
    all.map(([kernel, of], i) => {
      if (doing) listener?.({ doing, kernel, number: i + 1, of: all.length });
      return [kernel, each(kernel, of)];
    }),
  );
}

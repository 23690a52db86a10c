import { defaultTarget } from "../../src/base/target.ts";
import type { LaunchBounds, ProgramOptions } from "../../src/ir/index.ts";

type Given = Partial<Omit<ProgramOptions, "launch"> & LaunchBounds>;

/** What a kernel is compiled with where a test says nothing else: blocks of one thread, no clusters, every switch off. */
export function programOptions(given: Given = {}): ProgramOptions {
  const { block = [1, 1, 1], cluster = [1, 1, 1], registers, blocksPerSM, ...rest } = given;
  const bounds = { ...(registers === undefined ? {} : { registers }), ...(blocksPerSM === undefined ? {} : { blocksPerSM }) };
  return {
    target: defaultTarget,
    debug: false,
    contract: false,
    dynamicShared: 0,
    launch: { block, cluster, ...bounds },
    ...rest,
  };
}

import type { Dim3 } from "../../base/types.ts";
import type { Launch } from "../../runtime/index.ts";
import { makeError } from "../errors/index.ts";
import { type EmulatorModule, machine } from "./module.ts";

/** Threads of a block, or blocks of a grid or cluster. */
export const product = ([x, y, z]: Dim3): number => x * y * z;

/** What a driver refuses. W8007. */
export function checkLaunch(launch: Launch, module: EmulatorModule): void {
  const { kernel, program } = module;
  const refuse = (reason: string): never => {
    throw makeError("W8007", { kernel, reason }, launch.spans);
  };
  const { reqntid, reqnctapercluster } = program.directives;
  const same = (required: readonly number[] | undefined, given: Dim3) =>
    required === undefined || given.every((extent, axis) => extent === (required[axis] ?? 1));
  if (product(launch.block) > machine.threadsPerBlock) refuse(`a block has at most ${machine.threadsPerBlock} threads`);
  if (!same(reqntid, launch.block)) refuse(`it was compiled for blocks of ${reqntid} threads, not ${launch.block}`);
  if (!same(reqnctapercluster, launch.cluster))
    refuse(`it was compiled for clusters of ${reqnctapercluster} blocks, not ${launch.cluster}`);
  if (launch.grid.some((extent, axis) => extent % (launch.cluster[axis] ?? 1) !== 0))
    refuse("the grid is no whole number of clusters");
  const shared = program.staticSharedBytes + launch.sharedBytes;
  if (shared > machine.sharedBytesPerBlock)
    refuse(`it needs ${shared} bytes of shared memory; a block has at most ${machine.sharedBytesPerBlock}`);
  const most = machine.multiprocessors * module.blocksPerSM(product(launch.block), launch.sharedBytes);
  if (launch.cooperative && product(launch.grid) > most)
    refuse(`a cooperative launch has all its blocks at the same time: at most ${most} of these, not ${product(launch.grid)}`);
}

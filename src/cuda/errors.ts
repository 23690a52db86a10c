/** Errors of cuda: the driver and faults of a GPU. */
import { defineErrors, type Fail, type MakeError, raising } from "../base/diag/index.ts";
import { runtimeErrors } from "../runtime/errors/index.ts";

/** What the hardware says of threads that it stopped. */
export interface Fault {
  readonly kernel: string;
  /** "thread 33 of block (0, 0, 0)"; undefined where nobody knows. */
  readonly who: string | undefined;
  /** What they were at, as PTX names it. */
  readonly instruction: string | undefined;
  /** Other warps that were stopped for a reason of their own. */
  readonly more: number;
  readonly reason: string;
}

const where = ({ who, instruction, more }: Fault): string => {
  const others = more > 0 ? `, and ${more === 1 ? "one more warp" : `${more} more warps`}` : "";
  const parts = [...(who ? [`${who}${others}`] : []), ...(instruction ? [`at ${instruction}`] : [])];
  return parts.length > 0 ? `: ${parts.join(", ")}.` : ".";
};

const lost = "CUDA gives this process no device any more: start the program again";

const places = (names: readonly string[]): string =>
  names.length > 4 ? `${names.slice(0, 4).join(", ")} and ${names.length - 4} more` : names.join(", ");
/** W7756–W7762: what a GPU stops a kernel for. */
export const cudaErrors = defineErrors({
  W7756: {
    message: (a: Fault) => `${a.kernel} used memory that is not there${where(a)}`,
    fix: () =>
      `see that every index stays within its tensor, and that no tensor is disposed before the launch has ended; on the emulator, or with debug: true, the error names the index. ${lost}`,
  },
  W7757: {
    message: (a: Fault) => `${a.kernel} used an address that is not a multiple of what is read or written there${where(a)}`,
    fix: () =>
      `begin vectors at a multiple of their bytes, rows of matrices in shared memory and bulk copies at a multiple of 16; the emulator names the address. ${lost}`,
  },
  W7758: {
    message: (a: Fault) => `${a.kernel} used shared memory that its block does not have${where(a)}`,
    fix: () =>
      `see that every index stays within what was allocated, and that the rank of a block is one of its cluster; on the emulator, or with debug: true, the error names the index. ${lost}`,
  },
  W7759: {
    message: (a: Fault) => `${a.kernel} was stopped at an instruction that the GPU refuses${where(a)}`,
    fix: () =>
      `see what the line hands to it: an address far outside of shared memory, an arrival that an mbarrier does not wait for, a matrix that is not as its layout says; the emulator says more of each. ${lost}`,
  },
  W7760: {
    message: (a: Fault) => `${a.kernel} trapped${where(a)}`,
    fix: () => `see why the line is reached; an \`assert\` in its place says what does not hold, with a message. ${lost}`,
  },
  W7761: {
    message: (a: Fault) =>
      `${a.kernel} used the shared memory of a block of its cluster that has ended, or is not there${where(a)}`,
    fix: () =>
      `let every block wait for the others, \`cluster.sync()\`, before it ends; the emulator names the line and the thread. ${lost}`,
  },
  W7762: {
    message: (a: Fault) => `${a.kernel} was stopped by the GPU, because ${a.reason}${where(a)}`,
    fix: () => `run it on the emulator, which checks more than a GPU does. ${lost}`,
  },
  W8008: {
    message: (a: { reason: string; kernels: readonly string[]; unwatched: boolean }) =>
      a.kernels.length === 0
        ? `The device failed: ${a.reason}.`
        : a.kernels.length === 1
          ? `The kernel ${a.kernels[0]} failed on the device: ${a.reason}.`
          : `One of the ${a.kernels.length} kernels launched since the last wait failed on the device: ${a.reason}. They are ${places(a.kernels)}.`,
    fix: ({ kernels, unwatched }) => {
      const watch = unwatched ? "under WARPSMITH_WATCH=on, which names the line and the threads, or " : "";
      const how = `${watch}compiled with debug: true, which checks bounds and assertions`;
      return kernels.length > 1
        ? `run it again ${how}`
        : `start the program again, as CUDA gives this process no device any more: ${how}`;
    },
  },
  W8011: {
    message: (a: { path: string; reason: string }) => `${a.path} (WARPSMITH_PTXAS) could not assemble the kernel: ${a.reason}`,
    fix: () => "give the path of a ptxas of CUDA 12.0 or newer, or unset WARPSMITH_PTXAS to use the driver's",
  },
  W8012: {
    message: (a: { which: string; reason: string }) =>
      `A kernel of this process has failed on ${a.which}, and CUDA gives the process no device after that: ${a.reason}.`,
    fix: () => "start the program again; run kernels that may fail in a process of their own",
  },
});

/** What this room raises: its own, and of rooms below. */
const raised = { ...runtimeErrors, ...cudaErrors };

export type ErrorCode = keyof typeof raised;
export const makeError: MakeError<typeof raised> = raising(raised).makeError;
export const fail: Fail<typeof raised> = raising(raised).fail;

/** Functions that a device brings along: a module declares them `.extern` and calls them. */
import { KernelFault } from "../../machine/fault.ts";
import type { Warp } from "../../machine/warp.ts";
import { formatPrintf, readText } from "./printf.ts";

export interface Builtin {
  /** Bytes of each parameter. */
  readonly params: readonly (4 | 8)[];
  /** Gives out or takes back memory. */
  readonly heap: boolean;
  /** For one lane. Arguments are whole numbers without sign; so is the result, of 64 bits exact below 2 ** 53. */
  run(warp: Warp, lane: number, args: readonly number[]): number;
}

/** `vprintf(format, arguments)`: how many arguments there were (CUDA C++ Programming Guide, formatted output). */
const vprintf: Builtin = {
  heap: false,
  params: [8, 8],
  run(warp, lane, [format = 0, args = 0]) {
    if (format === 0) return 0xffff_ffff;
    const { text, count } = formatPrintf(warp, lane, readText(warp, lane, format), args);
    warp.block.launch.console.write(text);
    return count;
  },
};

/** `__assertfail(message, file, line, function, bytes of a character)`: does not return. */
const assertfail: Builtin = {
  heap: false,
  params: [8, 8, 4, 8, 8],
  run(warp, lane, [message = 0, file = 0, line = 0, fn = 0]) {
    const text = (address: number): string => (address === 0 ? "" : readText(warp, lane, address));
    const thread = [0, 1, 2].map((axis) => warp.tid[32 * axis + lane]).join(", ");
    throw new KernelFault(
      `its assertion ${text(message)} does not hold (${text(file)}:${line}, ${text(fn)}), in thread (${thread})`,
    );
  },
};

const malloc: Builtin = {
  heap: true,
  params: [8],
  run: (warp, _, [bytes = 0]) => warp.block.launch.heap.allocate(bytes),
};

const free: Builtin = {
  heap: true,
  params: [8],
  run(warp, _, [address = 0]) {
    warp.block.launch.heap.free(address);
    return 0;
  },
};

export const builtins: ReadonlyMap<string, Builtin> = new Map([
  ["vprintf", vprintf],
  ["__assertfail", assertfail],
  ["malloc", malloc],
  ["free", free],
]);

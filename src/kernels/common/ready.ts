/** Launches that are ready, of any function here: found again, launched, or looked at. */
import type { DeviceTensor, Kernel, Stream } from "warpsmith";
import { display, fail } from "../../diag/index.ts";
import { explain } from "./explain.ts";
import { KnownLaunches } from "./known-launches.ts";

/** A launch that is ready: the kernel, what it is called with, and where its result goes. */
export interface Ready {
  // biome-ignore lint/suspicious/noExplicitAny: kernels of different functions have different parameters
  readonly kernel: Kernel<any[]>;
  readonly args: readonly unknown[];
  readonly out: DeviceTensor;
  /** Other results, in memory that was made for them: freed where the launch fails. */
  readonly made?: readonly DeviceTensor[];
  /** Memory that nobody needs once it is launched. */
  readonly spare?: readonly DeviceTensor[];
}

/** How a function of this family runs. */
export interface RunOptions {
  /** Where it runs. Default: the device's own stream, in order. */
  readonly stream?: Stream;
  /** Let it start before the previous kernel of its stream ends, and the next one that asks for it before this one does. */
  readonly overlapPrevious?: boolean;
}

/** W7046. */
export function checkRun(of: string, { overlapPrevious }: RunOptions): void {
  if (overlapPrevious !== undefined && typeof overlapPrevious !== "boolean")
    fail("W7046", { of, option: "overlapPrevious", given: display(overlapPrevious), expected: "true or false" });
}

/** Launches made before into memory of the author's. */
const known = new KnownLaunches<readonly unknown[], Ready>(16);

/**
 * The launch made before for the same: `asked` has the function, the operands behind the first and the options, in an order of the function's own. Else a new one, which is
 * kept where its result goes to memory of the author's: memory that is made for one call is asked for once.
 */
export function readyFor(first: DeviceTensor, asked: readonly unknown[], kept: boolean, make: () => Ready): Ready {
  const isKey = typeof first === "object" && first !== null;
  const found = isKey ? known.recall(first, (before) => sameList(before, asked)) : undefined;
  if (found) return found;
  const ready = make();
  if (kept) known.remember(first, asked, ready);
  return ready;
}

function sameList(before: readonly unknown[], asked: readonly unknown[]): boolean {
  if (before.length !== asked.length) return false;
  for (let i = 0; i < asked.length; i++) if (before[i] !== asked[i]) return false;
  return true;
}

const inOrder = Object.freeze({});
const overlapping = Object.freeze({ overlapPrevious: true });

/** Launches it; what was made for it is freed where that fails. `file` has the kernel, `callback` is the function that map() was given. */
export function launch(
  ready: Ready,
  { stream, overlapPrevious = false }: RunOptions,
  given: DeviceTensor | undefined,
  file: string,
  callback?: unknown,
): Ready {
  const { kernel, args, out, made = [], spare = [] } = ready;
  try {
    kernel.launch(stream ? { stream, overlapPrevious } : overlapPrevious ? overlapping : inOrder, ...args);
  } catch (error) {
    for (const result of made) result.dispose();
    if (out !== given) out.dispose();
    throw explain(error, file, callback, "function of map()");
  } finally {
    for (const tensor of spare) tensor.dispose();
  }
  return ready;
}

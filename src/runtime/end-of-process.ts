/**
 * What no `read`, `sync` or `dispose` has waited for when the process ends: it is waited for then, and what has failed is told with
 * exit status 1. After `process.exit()` nothing can be waited for, and what is known by then is told.
 */
import { WarpsmithError } from "../base/diag/index.ts";
import { type Home, settle } from "./home.ts";

/** Waits for a device; gives what has failed on it and nobody has been told of. */
export async function settleUntold(home: Home): Promise<unknown> {
  const failure = await settle(home, home.backend.synchronize()).catch((error: unknown) => error);
  return failure instanceof WarpsmithError && failure.code === "W8009" ? undefined : failure;
}

/** The part of Node's `process` that this needs; a page has none. */
interface Ending {
  exitCode?: number | string | null | undefined;
  on(event: "beforeExit" | "exit", listener: () => void): unknown;
}

/** Prints a failure that no error brings to the author. */
export function tell(failure: unknown): void {
  console.error(failure instanceof WarpsmithError ? failure.message : failure);
}

/** Watches the devices in `homes` until the process ends. Once for all of them. */
export function watchEnd(homes: ReadonlySet<Home>, ending: Ending | undefined = globalThis.process): void {
  // The launches that this has waited for. Each wait is followed by another end of the process, which has to find nothing new.
  const seen = new WeakMap<Home, number>();
  const settleAll = async (): Promise<void> => {
    for (const home of homes) {
      if (home.launches === (seen.get(home) ?? 0)) continue;
      seen.set(home, home.launches);
      const failure = await settleUntold(home);
      if (failure === undefined) continue;
      tell(failure);
      if (ending && !Number(ending.exitCode)) ending.exitCode = 1;
    }
  };
  ending?.on("beforeExit", () => void settleAll());
  ending?.on("exit", () => {
    for (const home of homes) {
      const failure = home.backend.untold?.();
      if (failure === undefined) continue;
      tell(failure);
      // An exit code that the author gave is the author's.
      ending.exitCode ??= 1;
    }
  });
}

/** The two searches of `warpsmith check`: the first run that fails, and the fewest of its choices that still fail. */

/** A run that failed, and the place of what it ran in the list. */
export interface Failing<F> {
  readonly index: number;
  readonly failure: F;
}

/**
 * Runs the items, several at a time, and gives the first one in their order that fails; those behind a failure are not begun, or
 * given up. `run` gives undefined where nothing fails.
 */
export async function firstFailing<T, F>(
  items: readonly T[],
  jobs: number,
  run: (item: T, givenUp: AbortSignal) => Promise<F | undefined>,
): Promise<Failing<F> | undefined> {
  const running = new Map<number, AbortController>();
  let first: Failing<F> | undefined;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < (first?.index ?? items.length)) {
      const index = next++;
      const control = new AbortController();
      running.set(index, control);
      const failure = await run(items[index] as T, control.signal);
      running.delete(index);
      if (failure === undefined || control.signal.aborted || (first && first.index < index)) continue;
      first = { index, failure };
      for (const [other, later] of running) if (other > index) later.abort();
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, jobs) }, work));
  return first;
}

/** Asks whether some of the items fail at least as well as all. */
export type Fails<T> = (items: readonly T[]) => Promise<boolean>;

/** The shortest beginning that fails, found by halves; right where longer beginnings of it fail, too. */
async function shortestPrefix<T>(items: readonly T[], fails: Fails<T>): Promise<readonly T[]> {
  let [passes, enough] = [-1, items.length];
  while (enough - passes > 1) {
    const middle = (passes + enough) >> 1;
    if (await fails(items.slice(0, middle))) enough = middle;
    else passes = middle;
  }
  return items.slice(0, enough);
}

/** Leaves parts out as long as the rest fails; of parts that can be left out, smaller ones follow bigger ones. */
async function withoutParts<T>(items: readonly T[], fails: Fails<T>): Promise<readonly T[]> {
  let rest = items;
  for (let size = Math.ceil(rest.length / 2); size >= 1 && rest.length > 0; ) {
    let shorter = false;
    for (let at = 0; at < rest.length; ) {
      const without = [...rest.slice(0, at), ...rest.slice(at + size)];
      if (await fails(without)) {
        rest = without;
        shorter = true;
      } else at += size;
    }
    if (size === 1 && !shorter) return rest;
    size = size === 1 ? 1 : Math.ceil(Math.min(size, rest.length) / 2);
  }
  return rest;
}

/**
 * Items that fail, of items that fail: none of them can be left out, unless `attempts` were not enough to find that out.
 * `fails` is asked about lists in the order of the items. After Zeller and Hildebrandt, Simplifying and isolating failure-inducing input (2002).
 */
export async function minimise<T>(items: readonly T[], fails: Fails<T>, attempts: number): Promise<readonly T[]> {
  let left = attempts;
  const limited: Fails<T> = async (some) => {
    if (left === 0) return false;
    left -= 1;
    return fails(some);
  };
  return withoutParts(await shortestPrefix(items, limited), limited);
}

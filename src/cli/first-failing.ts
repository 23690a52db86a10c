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

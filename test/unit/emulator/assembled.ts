import { assemble } from "../../support/ptxas.ts";
import { type Kernel, ptxOf, wordsOf } from "./run-ptx.ts";

/** Throws what ptxas says against the kernel, where there is one. `%tid` is a register of the harness that ptxas takes for another. */
export function expectAssembles(k: Pick<Kernel, "body" | "module">): void {
  const assembled = assemble(ptxOf(k).replace(/%tid\b(?!\.)/g, "%thread"));
  if (assembled && !assembled.ok) throw new Error(assembled.log);
}

/** The words that 32 threads leave in `%r0`; the text is one that ptxas takes. */
export async function assembledWords(body: string, module: string, rest: Partial<Kernel> = {}): Promise<number[]> {
  expectAssembles({ body, module });
  return [...(await wordsOf(body, 32, { module, ...rest }))];
}

/** What it fails with. */
export const assembledFailure = (body: string, module: string, rest: Partial<Kernel> = {}): Promise<unknown> =>
  assembledWords(body, module, rest).then(
    () => undefined,
    (e: unknown) => e,
  );

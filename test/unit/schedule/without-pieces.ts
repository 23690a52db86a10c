import { openDevice, WarpsmithError } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";
import type { Program } from "../../../src/schedule/ir/types.ts";
import { programKernel } from "../../../src/schedule/lower/index.ts";
import { specsOf } from "../../../src/schedule/lower/tensors/specs.ts";
import { makeMap, mapsOf } from "../../../src/schedule/lower/tensors/tensor-maps.ts";

/** Lines of PTX: a wait for a phase is two, the question and the jump back. */
export const waits = "^.*mbarrier\\.try_wait.*\\n.*bra.*\\n";
export const line = (text: string): string => `^.*${text}.*\\n`;

/** A program of one block, and what running it on zeros says without pieces of its PTX: of the lines that are like a pattern those of these numbers. */
export function withoutPieces(program: Program) {
  const specs = specsOf(program);
  const { ptx, resources } = programKernel(program).compile(...specs);
  const run = async (text: string): Promise<string> => {
    const device = await openDevice("emulator", { check: "strict" });
    const tensors = specs.map(({ dtype, shape }) => device.zeros(dtype, shape));
    try {
      const maps = mapsOf(program).map((use) => makeMap(program.name, use, tensors));
      loadPtx(text)
        .entry()
        .launch({ grid: 1, smem: resources.sharedBytes }, ...tensors, ...maps);
      await tensors.at(-1)?.read();
      return "nothing";
    } catch (error) {
      return error instanceof WarpsmithError ? error.code : String(error);
    } finally {
      await Promise.resolve(device[Symbol.asyncDispose]()).catch(() => undefined);
    }
  };
  return {
    whole: () => run(ptx),
    without: (pattern: string, ...numbers: readonly number[]) => {
      const all = [...ptx.matchAll(new RegExp(pattern, "gm"))];
      const found = numbers.toSorted((a, b) => b - a).map((n) => all.at(n));
      return run(
        found.reduce((text, piece) => {
          if (!piece) throw new Error(`there is no ${pattern}`);
          return `${text.slice(0, piece.index)}${text.slice(piece.index + piece[0].length)}`;
        }, ptx),
      );
    },
    count: (pattern: string): number => [...ptx.matchAll(new RegExp(pattern, "gm"))].length,
  };
}

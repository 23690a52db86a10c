import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tensorSpec } from "warpsmith";
import { assemble, noPtxas } from "../support/ptxas.ts";
import { verifyAfterEachPass } from "../support/verify-after-each-pass.ts";

verifyAfterEachPass();

/** The products of the lessons, as they are timed: ptxas keeps the sums in registers, and does not serialise wgmma (C7510 and its like). */
interface Ready {
  readonly multiply: { compile(...args: unknown[]): { readonly ptx: string } };
  readonly args: readonly unknown[];
}
type Prepare = (...given: readonly unknown[]) => Ready;
const load = async <K extends string>(lesson: string, ..._names: readonly K[]): Promise<Readonly<Record<K, Prepare>>> =>
  (await import(/* @vite-ignore */ join(import.meta.dirname, "../../examples/gluon", lesson, "main.ts"))) as Record<K, Prepare>;
const [five, seven, eight] = await Promise.all([
  load("05-wgmma", "blocked", "pipelined"),
  load("07-persistence", "pipelined", "persistent", "overlapped"),
  load("08-warp-specialization", "matmul"),
]);

const half = (rows: number, columns: number) => tensorSpec("f16", [rows, columns]);
const matrices = [half(8192, 16384), half(16384, 8192), half(8192, 8192)] as const;
const wide = { tile: [128, 256, 64], warpgroups: 2, stages: 4, order: { group: 8 } } as const;
const pairs = { tile: [64, 256, 128], warpgroups: 1, blocksPerSM: 2 } as const;
const narrow = { tile: [128, 128, 64], warpgroups: 1, stages: 3, blocksPerSM: 2 } as const;

const plans = {
  "05 blocked": () => five.blocked(...matrices, pairs),
  "05 pipelined": () => five.pipelined(...matrices, narrow),
  "07 pipelined": () => seven.pipelined(...matrices, wide),
  "07 persistent": () => seven.persistent(...matrices, wide, 132),
  "07 overlapped": () => seven.overlapped(...matrices, wide, 132),
  "08 matmul": () => eight.matmul(...matrices, wide, 132),
};

describe.skipIf(noPtxas !== undefined)("the lessons' products assemble as they should", () => {
  it.each(Object.entries(plans))("%s", (_, make) => {
    const { multiply, args } = make();
    const { ptx } = multiply.compile(...args);
    const { ok, spills, warnings, log } = assemble(ptx) ?? { ok: false, spills: 0, warnings: [], log: "" };
    expect({ ok, spills, warnings }, log).toEqual({ ok: true, spills: 0, warnings: [] });
  });
});

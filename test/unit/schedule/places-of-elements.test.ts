import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { elementBytes } from "../../../src/base/element-types.ts";
import { registerEmulator } from "../../../src/emulator/index.ts";
import { monitorOf } from "../../../src/emulator/machine/monitor.ts";
import type { Watch } from "../../../src/emulator/run/watcher.ts";
import { int, load, sub } from "../../../src/schedule/ir/build.ts";
import type { Buffer, Expr, Stmt, Var } from "../../../src/schedule/ir/types.ts";
import { sharedBytesOf } from "../../../src/schedule/lower/buffers/shared-bytes.ts";
import { programKernel } from "../../../src/schedule/lower/index.ts";
import { addressesIn } from "../../../src/schedule/pictures/banks.ts";
import { ofProperty } from "../../support/amount.ts";
import { buffer, nest, programOf, put } from "./programs.ts";

/** A buffer of shared memory. */
interface Case {
  readonly dtype: "u8" | "bf16" | "f32" | "f64";
  readonly rows: number;
  readonly columns: number;
  readonly more: Pick<Buffer, "padding" | "swizzle">;
  readonly packed: boolean;
}

const swizzles = ["xor", "32B", "64B", "128B"] as const;
const cases: fc.Arbitrary<Case> = fc
  .record({
    dtype: fc.constantFrom(...(["u8", "bf16", "f32", "f64"] as const)),
    rows: fc.integer({ min: 1, max: 20 }),
    columns: fc.oneof(fc.integer({ min: 1, max: 160 }), fc.constantFrom(1, 2, 4, 8, 16, 32, 64, 128, 256)),
    more: fc.oneof(fc.record({ padding: fc.integer({ min: 0, max: 9 }) }), fc.record({ swizzle: fc.constantFrom(...swizzles) })),
    packed: fc.boolean(),
  })
  .map((c) => {
    // Only rows of a power of two of bytes are permuted by "xor".
    const columns = "swizzle" in c.more && c.more.swizzle === "xor" ? 2 ** Math.floor(Math.log2(c.columns)) : c.columns;
    return { ...c, columns };
  });

const everyX = (columns: number, to: Buffer, value: (x: Expr) => Expr): Stmt =>
  nest([["x", columns, "threadIdx.x"]], (x) => put(to, [x as Var], value(x as Var)));
const everyColumn = ({ rows, columns }: Case, to: Buffer, value: (y: Expr, x: Expr) => Expr): Stmt =>
  nest(
    [
      ["x", columns, "threadIdx.x"],
      ["y", rows],
    ],
    (x, y) => put(to, [y as Var, x as Var], value(y as Var, x as Var)),
  );

/**
 * Thread x stores element x of another buffer, then those of column x of `S`, a row after the other; all are read by other threads. Packed buffers lie in the
 * same bytes where they can: so do the two others, and `S` behind them where it is the smaller one.
 */
function kernelOf(c: Case, S: Buffer) {
  const { dtype, rows, columns, packed } = c;
  const [X, Z] = [buffer("X", dtype, [rows, columns]), buffer("Z", dtype, [rows, columns])];
  const [Y, V, W] = [buffer("Y", "f64", [columns]), buffer("V", "f64", [columns]), buffer("W", "f64", [columns])];
  const [before, after] = [buffer("before", "f64", [columns], "shared"), buffer("after", "f64", [columns], "shared")];
  const mirrored = (x: Expr): Expr => sub(int(columns - 1), x);
  const program = programOf(
    `places_${dtype}`,
    [X, Y, Z, V, W],
    [before, S, after],
    everyX(columns, before, (x) => load(Y, [x])),
    everyColumn(c, S, (y, x) => load(X, [y, x])),
    everyX(columns, V, (x) => load(before, [mirrored(x)])),
    everyX(columns, after, (x) => load(Y, [x])),
    everyX(columns, W, (x) => load(after, [mirrored(x)])),
    everyColumn(c, Z, (y, x) => load(S, [y, mirrored(x)])),
  );
  return programKernel(packed ? { ...program, annotations: { packShared: true } } : program);
}

describe("where elements of shared buffers lie", () => {
  /** Of each thread of the last launch, where in shared memory it has stored, in order. */
  let stored = new Map<number, number[]>();
  let device: Device;
  let takeBack: () => void;
  beforeAll(async () => {
    const watch: Watch = () => {
      stored = new Map();
      return {
        monitor: monitorOf([
          {
            write: (warp, lane, { space }, offset) => {
              if (space !== "shared") return;
              const thread = 32 * warp.index + lane;
              stored.set(thread, [...(stored.get(thread) ?? []), offset]);
            },
          },
        ]),
        ...{ reports: undefined, strict: false, apart: undefined, left: undefined },
        end: () => {},
      };
    };
    takeBack = registerEmulator({ watch });
    device = await openDevice("emulator");
  });
  afterAll(async () => {
    await device.dispose();
    takeBack();
  });

  it("the bytes that a kernel stores are those that drawings show", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (c) => {
        const { dtype, rows, columns, more } = c;
        const S = buffer("S", dtype, [rows, columns], "shared", more);
        const [matrix, vector] = [() => device.zeros(dtype, [rows, columns]), () => device.zeros("f64", [columns])];
        const tensors = [matrix(), vector(), matrix(), vector(), vector()];
        kernelOf(c, S).launch({}, ...tensors);
        await device.sync();
        const address = addressesIn(S);
        const drawn: number[][] = [];
        const found: number[][] = [];
        const begin = stored.get(0)?.[1] ?? Number.NaN;
        for (let y = 0; y < rows; y++) {
          drawn.push(Array.from({ length: columns }, (_, x) => address([y, x])));
          found.push(Array.from({ length: columns }, (_, x) => (stored.get(x)?.[1 + y] ?? Number.NaN) - begin));
        }
        expect(found).toEqual(drawn);
        expect(new Set(found.flat()).size).toBe(rows * columns);
        expect(Math.max(...found.flat()) + elementBytes[dtype]).toBeLessThanOrEqual(sharedBytesOf(S));
        for (const tensor of tensors) tensor.dispose();
      }),
      // A row that is shorter than the pattern, behind another buffer.
      { ...ofProperty(400, 8), examples: [[{ dtype: "f64", rows: 1, columns: 8, more: { swizzle: "xor" }, packed: true }]] },
    );
  });
});

import { expect } from "vitest";
import { intrinsicOf } from "../../../src/schedule/intrinsics/index.ts";
import { interpret } from "../../../src/schedule/ir/interpret.ts";
import type { Program } from "../../../src/schedule/ir/types.ts";
import { staticShape } from "../../../src/schedule/ir/walk.ts";

type Arrays = Readonly<Record<string, Float32Array>>;
const bytes = (x: Float32Array): Uint8Array => new Uint8Array(x.buffer, x.byteOffset, x.byteLength);

/** `toEqual` takes long for long arrays: it is left to tell of a difference. */
export function expectSame(found: Arrays, wanted: Arrays | undefined): void {
  const names = Object.keys(found);
  const isSame = (name: string): boolean => {
    const [a, b] = [found[name], wanted?.[name]];
    return a !== undefined && b !== undefined && Buffer.compare(bytes(a), bytes(b)) === 0;
  };
  const all = wanted && names.length === Object.keys(wanted).length && names.every(isSame);
  if (!all) expect(found).toEqual(wanted);
}

/** What the program leaves in its parameters when it is run in order, statement by statement: small whole numbers, so that no sum rounds. */
export function inOrder(program: Program): Arrays {
  const data = Object.fromEntries(
    program.params.map((b, n) => {
      const count = (staticShape(b) ?? []).reduce((x, y) => x * y, 1);
      return [b.name, Float32Array.from({ length: count }, (_, i) => ((i * 5 + n * 11 + (i >> 4)) % 7) - 3)];
    }),
  );
  interpret(program, data, { intrinsics: (name) => intrinsicOf(name).description });
  return data;
}

import { intrinsicOf } from "../../../src/schedule/intrinsics/index.ts";
import { interpret } from "../../../src/schedule/ir/interpret.ts";
import type { Program } from "../../../src/schedule/ir/types.ts";
import { staticShape } from "../../../src/schedule/ir/walk.ts";

/** What the program leaves in its parameters when it is run in order, statement by statement: small whole numbers, so that no sum rounds. */
export function inOrder(program: Program): Readonly<Record<string, Float32Array>> {
  const data = Object.fromEntries(
    program.params.map((b, n) => {
      const count = (staticShape(b) ?? []).reduce((x, y) => x * y, 1);
      return [b.name, Float32Array.from({ length: count }, (_, i) => ((i * 5 + n * 11 + (i >> 4)) % 7) - 3)];
    }),
  );
  interpret(program, data, { intrinsics: (name) => intrinsicOf(name).description });
  return data;
}

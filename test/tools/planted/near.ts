/** Tests of the room that a file is in: what they find, the whole of them finds. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** `dsl/control/choose.ts` has test/unit/dsl/control; `kernels/attention/softmax.ts` has test/unit/kernels. */
export function testsNear(root: string, file: string): string | undefined {
  for (let folder = dirname(file); folder !== "."; folder = dirname(folder)) {
    const tests = join("test/unit", folder);
    if (existsSync(join(root, tests))) return tests;
  }
  return undefined;
}

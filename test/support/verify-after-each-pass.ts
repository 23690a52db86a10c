import { afterAll } from "vitest";

/**
 * In the test file that calls this, graphs are checked after every pass, so that a pass that breaks one is named. Elsewhere they are
 * checked before the first pass and after the last, as for users. Test files that follow in the same process have that again.
 */
export function verifyAfterEachPass(): void {
  const { WARPSMITH_VERIFY: before } = process.env;
  process.env.WARPSMITH_VERIFY = "each";
  afterAll(() => {
    if (before === undefined) delete process.env.WARPSMITH_VERIFY;
    else process.env.WARPSMITH_VERIFY = before;
  });
}

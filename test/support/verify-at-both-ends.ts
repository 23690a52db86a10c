import { afterAll } from "vitest";

/**
 * In the test file that calls this, graphs are checked before the first pass and after the last, as for users: test/cases.test.ts
 * compiles enough with the check after every pass. Test files that follow in the same process have it again.
 */
export function verifyAtBothEnds(): void {
  const { WARPSMITH_VERIFY: before } = process.env;
  delete process.env.WARPSMITH_VERIFY;
  afterAll(() => {
    if (before !== undefined) process.env.WARPSMITH_VERIFY = before;
  });
}

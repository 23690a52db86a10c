import { expect, it } from "vitest";
import { Clock } from "../../../../src/emulator/check/order/clock.ts";

it("clocks that hear of each other in turns stay as long as there are slots", () => {
  const home = {};
  const [one, other] = [new Clock(home, 10), new Clock(home, 15)];
  one.set(10, 3);
  // Doubling would end in an array that is too long.
  for (let round = 0; round < 200; round++) {
    other.join(one);
    one.join(other);
  }
  expect([one.tickOf(10), other.tickOf(10), one.tickOf(11)]).toEqual([3, 3, 0]);
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, kernel, openDevice, type Static, syncThreads, type Tensor, threadIdx } from "warpsmith";

type Way =
  | "load, then store"
  | "store, then load"
  | "plain load between"
  | "atomic"
  | "other elements"
  | "neighbours of 16 bytes";

/** Which of its tensors is read, only the data say: the compiler cannot tell. */
const touch = kernel(
  { block: 32, grid: 1 },
  function touch(x: Tensor<"i32", 1>, y: Tensor<"i32", 1>, out: Tensor<"i32", 1>, which: Tensor<"i32", 1>, way: Static<Way>) {
    const t = threadIdx.x;
    let from = y;
    if (which.at(0).load() === 1) from = x;
    const nc = (i: number) => {
      out[t] = from.at(i).load({ cache: "nc" });
    };
    if (way === "store, then load") {
      x[t] = t;
      syncThreads();
      nc(t);
      return;
    }
    nc(way === "neighbours of 16 bytes" ? 2 * t : t);
    if (way === "plain load between") {
      syncThreads();
      out[t] = from.at(t).load();
    }
    syncThreads();
    if (way === "atomic") x.at(t).atomic("add", 1);
    else if (way === "other elements") x[t + 32] = t;
    else if (way === "neighbours of 16 bytes") x[2 * t + 1] = t;
    else x[t] = t;
  },
);

describe("loads by the cache of read-only data", () => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice("emulator");
  });
  afterAll(() => device.dispose());

  const run = async (way: Way, which: number): Promise<string> => {
    using x = device.zeros("i32", [128]),
      y = device.zeros("i32", [128]),
      out = device.zeros("i32", [32]),
      chosen = device.tensor("i32", [1], [which]);
    touch.launch({}, x, y, out, chosen, way);
    return device.sync().then(
      () => "nothing",
      (error: { code?: string }) => error.code ?? "no code",
    );
  };

  it.each<Way>(["load, then store", "store, then load", "plain load between", "atomic"])(
    "of what is written: %s",
    async (way) => {
      expect(await run(way, 1)).toBe("W9227");
      expect(await run(way, 0)).toBe("nothing");
    },
  );

  it.each<Way>(["other elements", "neighbours of 16 bytes"])("beside what is written: %s", async (way) => {
    expect(await run(way, 1)).toBe("nothing");
  });

  it("of what an earlier launch has written", async () => {
    using x = device.zeros("i32", [128]),
      y = device.zeros("i32", [128]),
      out = device.zeros("i32", [32]),
      second = device.tensor("i32", [1], [0]);
    touch.launch({}, x, y, out, second, "load, then store");
    touch.launch({}, y, x, out, second, "load, then store");
    await device.sync();
    expect([...(await out.read())]).toEqual(Array.from({ length: 32 }, (_, i) => i));
  });
});

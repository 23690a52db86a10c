import { expect, it } from "vitest";
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const show = kernel({ block: 4, grid: 1 }, function show(x: Tensor<"f32", 1>) {
  console.log(x[threadIdx.x]);
});

it("what onLog throws fails at the next waits, one error each; every line is taken, and the result is there", async () => {
  await using gpu = await openDevice("emulator");
  const x = gpu.tensor("f32", [4], [0, 1, 2, 3]);
  const taken: string[] = [];
  show.launch(
    {
      onLog: ({ text }) => {
        taken.push(text);
        if (text === "1" || text === "2") throw new RangeError(`no ${text}`);
      },
    },
    x,
  );
  const refused = expect.objectContaining({ code: "W7047", cause: expect.any(RangeError) });
  await expect(x.read()).rejects.toEqual(refused);
  await expect(gpu.sync()).rejects.toThrow("RangeError: no 2");
  expect(taken).toEqual(["0", "1", "2", "3"]);
  expect([...(await x.read())]).toEqual([0, 1, 2, 3]);
});

it("at the latest when the device is disposed", async () => {
  const gpu = await openDevice("emulator");
  const x = gpu.tensor("f32", [4], [0, 1, 2, 3]);
  show.launch(
    {
      onLog: () => {
        throw "a text";
      },
    },
    x,
  );
  await expect(gpu.dispose()).rejects.toThrow('onLog of this launch of show threw: "a text"');
});

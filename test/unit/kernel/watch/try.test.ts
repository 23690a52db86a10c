import { it } from "vitest";
import { fence, kernel, Mbarriers, openDevice, syncThreads, type Tensor, threadIdx } from "warpsmith";
import { readWarps } from "../../../../src/kernel/watch/records.ts";
import { watchOn } from "../../../support/watched.ts";

const ring = kernel({ block: 64, grid: 2 }, function ring(x: Tensor<"i32", 1>) {
  const full = new Mbarriers(2);
  if (threadIdx.x === 0) {
    full.at(1).init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  if (threadIdx.x === 32) full.at(1).arrive();
  full.at(1).wait(false);
  x[threadIdx.x] = threadIdx.x;
});

it("runs", async () => {
  const gpu = await openDevice("emulator", { check: "off" });
  const on = watchOn(gpu);
  const x = gpu.zeros("i32", [64]);
  ring.launch({ watch: true }, x);
  console.log((await x.read()).join());
  console.log(readWarps(await on.records(), 1));
});

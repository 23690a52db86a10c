// What a TMA store writes behind rows that end elsewhere than at a multiple of 16 bytes, on a device.
//
//   node --import ./dist/register.js test/tools/tma-ends.ts [emulator]
//
// One NVIDIA H200 wrote on to the next multiple of 16 bytes for f16; the emulator writes nothing there.
import { type DeviceTensor, fence, kernel, openDevice, sharedMemory, syncThreads, TMA, threadIdx, tma } from "warpsmith";

await using device = await openDevice((process.argv[2] ?? "cuda") as "cuda");
const [rows, width, pitch] = [8, 32, 64];
const put16 = kernel({ block: 32, grid: 1 }, function put16(d: TMA<"f16", 2>) {
  const tile = sharedMemory.alloc("f16", [rows, width]);
  for (let i = 0; i < rows; i++) tile.at(i, threadIdx.x).store(3);
  fence.proxyAsync({ space: "shared::cta" });
  syncThreads();
  if (threadIdx.x === 0) {
    d.store(tile, [0, 0]);
    tma.commit();
    tma.wait(0);
  }
});
const put32 = kernel({ block: 32, grid: 1 }, function put32(d: TMA<"f32", 2>) {
  const tile = sharedMemory.alloc("f32", [rows, width]);
  for (let i = 0; i < rows; i++) tile.at(i, threadIdx.x).store(3);
  fence.proxyAsync({ space: "shared::cta" });
  syncThreads();
  if (threadIdx.x === 0) {
    d.store(tile, [0, 0]);
    tma.commit();
    tma.wait(0);
  }
});

for (const dtype of ["f16", "f32"] as const) {
  for (const columns of [1, 2, 3, 5, 6, 7, 9, 10, 12, 16, 17]) {
    using memory = device.empty(dtype, [rows, pitch]);
    memory.fill(7);
    const part = memory.slice(undefined, [0, columns]);
    if (dtype === "f16") put16.launch({}, new TMA(part as DeviceTensor<"f16", 2>, { box: [rows, width] }));
    else put32.launch({}, new TMA(part as DeviceTensor<"f32", 2>, { box: [rows, width] }));
    const all = await memory.read();
    const written = Array.from({ length: pitch }, (_, i) => all[i]).filter((value) => value !== 7).length;
    console.log(`${dtype}, rows of ${columns}: ${written} elements of the first one are written`);
  }
}

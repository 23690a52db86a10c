/** Stores by TMA to rows of 37 with 3 columns of padding behind: on the emulator and on a GPU the same. */
import { bf16, type Device, f16, fence, kernel, range, sharedMemory, syncThreads, TMA, threadIdx, tma } from "warpsmith";

const [rows, wide, pitch, columns] = [4, 64, 40, 37];

const storeHalf = kernel({ block: 64, grid: 1 }, function storeHalf(to: TMA<"f16", 2>) {
  const tile = sharedMemory.alloc("f16", [4, 64], { align: 128 });
  for (const r of range(4)) tile.at(r, threadIdx.x).store(f16(64 * r + threadIdx.x));
  fence.proxyAsync({ space: "shared::cta" });
  syncThreads();
  if (threadIdx.x === 0) {
    to.store(tile, [0, 0]);
    tma.commit();
    tma.wait(0);
  }
});

const storeBrain = kernel({ block: 64, grid: 1 }, function storeBrain(to: TMA<"bf16", 2>) {
  const tile = sharedMemory.alloc("bf16", [4, 64], { align: 128 });
  for (const r of range(4)) tile.at(r, threadIdx.x).store(bf16(64 * r + threadIdx.x));
  fence.proxyAsync({ space: "shared::cta" });
  syncThreads();
  if (threadIdx.x === 0) {
    to.store(tile, [0, 0]);
    tma.commit();
    tma.wait(0);
  }
});

/** All that is in memory behind a store. */
export async function storeEnds(device: Device): Promise<Readonly<Record<"f16" | "bf16", readonly number[]>>> {
  using half = device.empty("f16", [rows, pitch]);
  using brain = device.empty("bf16", [rows, pitch]);
  half.fill(-1);
  brain.fill(-1);
  storeHalf.launch({}, new TMA(half.slice(undefined, [0, columns]), { box: [rows, wide] }));
  storeBrain.launch({}, new TMA(brain.slice(undefined, [0, columns]), { box: [rows, wide] }));
  return { f16: Array.from(await half.read()), bf16: Array.from(await brain.read()) };
}

/** The whole of each row's last 16 bytes is written: 40 columns. */
const written = Array.from({ length: rows * pitch }, (_, i) => wide * Math.floor(i / pitch) + (i % pitch));
export const storedEnds = { f16: written, bf16: written };

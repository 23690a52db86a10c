// Launches a kernel on a GPU that waits for an arrival which never comes, under watch.
import { fence, kernel, Mbarriers, openDevice, syncThreads, type Tensor, threadIdx } from "warpsmith";
import { watchBytes } from "../../../src/base/watch-layout.ts";
import { writeWarp } from "../../support/written-records.ts";

const wait = kernel({ block: 32, grid: 1 }, function wait(x: Tensor<"i32", 1>) {
  const full = new Mbarriers(2);
  if (threadIdx.x === 0) {
    full.at(1).init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  full.at(1).wait(false); // error: W7750
  x[threadIdx.x] = 1;
});

/** The second wait of the kernel, at the second barrier. */
const records = new Uint32Array(watchBytes / 4);
const [site, place] = [1, 8];

export const machine = {
  kernels: {
    wait: {
      parameterBytes: [8, 8, 4],
      hangs: (launch: { readonly parameters: readonly Uint8Array[] }, memoryAt: (address: bigint, bytes: number) => Uint8Array) => {
        const [, address, number] = launch.parameters.map((bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length));
        const [at, of] = [address?.getBigUint64(0, true) ?? 0n, number?.getUint32(0, true) ?? 0];
        writeWarp(records, 0, { launch: of, block: [0, 0, 0], warp: 0, waits: [{ site, place }] });
        memoryAt(at, watchBytes).set(new Uint8Array(records.buffer));
      },
    },
  },
};

export async function run(): Promise<void> {
  await using gpu = await openDevice("cuda");
  const x = gpu.zeros("i32", [32]);
  wait.launch({ watch: 0.1 }, x);
  await x.read();
}

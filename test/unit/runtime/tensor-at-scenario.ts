/** Tensors in memory that the runtime did not allocate: the same on the emulator and on a GPU. */
import { type Device, type f32, kernel, type Tensor, threadIdx } from "warpsmith";
import { backendOf } from "../../../src/runtime/index.ts";

const scale = kernel({ block: 32, grid: 1 }, function scale(x: Tensor<"f32", 2>, by: f32) {
  for (let row = 0; row < 4; row++) {
    if (threadIdx.x < 8) {
      const element = x.at(row, threadIdx.x);
      element.value = element.value * by;
    }
  }
});

const numbers = Array.from({ length: 32 }, (_, i) => i);

export interface Seen {
  readonly scaled: readonly number[];
  readonly streamed: readonly number[];
  readonly column: readonly number[];
  readonly kept: readonly number[];
  readonly address: boolean;
  readonly refused: readonly string[];
}

export async function borrow(device: Device): Promise<Seen> {
  const backend = backendOf(device);
  // What another library would have from cuMemAlloc.
  const memory = backend.allocate(4096);
  try {
    const x = device.tensorAt("f32", [4, 8], memory + 256n);
    x.write(numbers);
    scale.launch({}, x, 2);
    const scaled = [...(await x.read())];
    // Another tensor of the same allocation, in a stream: in order with the first.
    using stream = device.stream();
    const again = device.tensorAt("f32", [4, 8], memory + 256n);
    scale.launch({ stream }, again, 0.5);
    const streamed = [...(await x.read())];
    const column = [...(await device.tensorAt("f32", [4], memory + 260n, { strides: [8] }).read())];
    x.dispose();
    device.zeros("f32", [1024]).dispose();
    const kept = [...(await device.tensorAt("f32", [2, 2], memory + 256n).read())];
    const codeOf = (act: () => unknown): string => {
      try {
        act();
        return "nothing";
      } catch (error) {
        return (error as { readonly code?: string }).code ?? String(error);
      }
    };
    const owned = device.tensor("f32", [4], [1, 2, 3, 4]);
    const view = device.tensorAt("f32", [2], owned.address() + 8n);
    owned.dispose();
    const refused = [
      () => device.tensorAt("f32", [4], 0n),
      () => device.tensorAt("f32", [4], 0x1234_5678_9000n),
      () => device.tensorAt("f32", [4], memory + 2n),
      () => device.tensorAt("f32", [1024], memory + 256n),
      () => device.tensorAt("u8", [2 ** 40], memory),
      () => device.tensorAt("f32", [4, 8], memory, { strides: [4, 1] }),
      () => view.address(),
      () => x.address(),
    ].map(codeOf);
    return { scaled, streamed, column, kept, address: again.address() === memory + 256n, refused };
  } finally {
    await device.sync();
    backend.free(memory);
  }
}

export const borrowExpected: Seen = {
  scaled: numbers.map((x) => 2 * x),
  streamed: numbers,
  column: [1, 9, 17, 25],
  kept: [0, 1, 2, 3],
  address: true,
  refused: ["W7057", "W7057", "W7057", "W7057", "W7057", "W7058", "W7006", "W7006"],
};

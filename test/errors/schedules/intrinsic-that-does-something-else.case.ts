// Describes one thing and does another.
import { openDevice } from "warpsmith";
import { type Buffer, checkIntrinsic, grid, program, tensorIntrinsic } from "warpsmith/schedule";

const description = program({ X: [16], Z: [16] }, function double(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  for (const i of grid(16)) Z[i] = X[i] * 2;
});

export async function run() {
  tensorIntrinsic("case_double", {
    description,
    participants: "thread",
    implementation: (x, z) => z.at(0).store(x.at(1).load()),
  });
  await using gpu = await openDevice("emulator");
  await checkIntrinsic("case_double", gpu); // error: W5605
}

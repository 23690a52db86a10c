import { assert, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const small = kernel({ block: 32, grid: 1, debug: true }, function small(x: Tensor<"i32", 1>) {
  assert(x[threadIdx.x]! < 10, "too big");
});

const device = await openDevice("emulator");
const x = device.tensor("i32", [32], Array<number>(32).fill(20));
small.launch({}, x);
if (process.argv[2] === "caught") await device.sync().catch(() => console.log("caught"));
if (process.argv[2] === "exit") process.exit(0);
console.log("end");

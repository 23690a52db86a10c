// Launches a kernel without tensors before a device is open.
import { type i32, kernel, threadIdx } from "warpsmith";

const hello = kernel({ block: 4 }, function hello(n: i32) {
  console.log(n + threadIdx.x);
});

export const run = async () => {
  hello.launch({ grid: 1 }, 1); // error: W7013
};

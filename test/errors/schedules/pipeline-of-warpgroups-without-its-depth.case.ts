// Leaves out the depth of a pipeline of wgmma.
import { tensorCorePipeline } from "warpsmith/schedule";

export const run = () =>
  tensorCorePipeline({} as never, { instruction: "wgmma", tile: [128, 128, 64], workgroup: [128, 2, 1] } as never); // error: W5611

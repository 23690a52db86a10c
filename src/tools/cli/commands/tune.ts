import { availableParallelism } from "node:os";
import { Command, Option } from "commander";
import { tunable } from "../../../kernels/tune/names.ts";
import type { TuneOptions } from "../options.ts";

export const tuneCommand = (): Command =>
  new Command("tune")
    .summary("find the fastest plan of a kernel of warpsmith/kernels, and keep it")
    .description(
      "Tries plans of a kernel of warpsmith/kernels at the sizes given. Each is launched in a process of its own and compared with a reference before it is timed; one that hangs, faults or is wrong is passed over. Those that are right are timed in turns with a cold L2 cache. The fastest is kept on this machine, for this device and this version, and the kernel takes it from then on.",
    )
    .argument("<kernel>", tunable.join(" or "))
    .argument("<sizes...>", "MxNxK, such as 4096x4096x4096; of gatedMatmul N is that of the result")
    .option("--dtype <type>", "f16 or bf16", "bf16")
    .option("--layout <layout>", "nt: the weights are [N, K] in memory; nn, tn, tt", "nt")
    .option("--budget <seconds>", "for each size, about", "60")
    .addOption(
      new Option("--jobs <count>", "processes at a time until the timing").default(
        `${Math.min(16, availableParallelism())}`,
        "the number of cores, 16 at most",
      ),
    )
    .option("--patience <seconds>", "after which a launch counts as one that hangs", "20")
    .option("--device <device>", "emulator, cuda or cuda:<number>; default: WARPSMITH_DEVICE, else a GPU, else the emulator")
    .option("--dry", "keep nothing")
    .option("--json", "print what was found as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  warpsmith tune matmul 16x4096x4096 128x4096x4096\n  warpsmith tune matmul 2048x2048x2048 --dtype f16 --layout nn --budget 20\n  warpsmith tune gatedMatmul 512x14336x4096",
    )
    .action(async (kernel: string, sizes: readonly string[], options: TuneOptions) => {
      await (await import("../tune.ts")).tune(kernel, sizes, options);
    });

import { Command, Option } from "commander";
import { gpuNames } from "../../../inspect/report/gpus.ts";
import type { ExplainOptions } from "../options.ts";

export const explainCommand = (): Command =>
  new Command("explain")
    .summary("say what kernels cost, without running them")
    .description(
      "Says what each kernel of a program costs: occupancy and what limits it, registers and spills with their lines, bytes, operations, and how long a GPU takes at least. The program runs, on the emulator's memory; its kernels are compiled at their first launch with each shape, and not run. What the program prints goes to stderr. Registers are known where there is a ptxas.",
    )
    .argument("<file>", "the program, such as main.ts; or a kernel of warpsmith/kernels: matmul")
    .argument(
      "[arguments...]",
      "what the program finds in process.argv, those that begin with - after --; of matmul the sizes MxNxK",
    )
    .addOption(new Option("--gpu <name>", "whose roof is meant").choices([...gpuNames]).default("H200"))
    .option("--dtype <type>", "of matmul: f16 or bf16", "bf16")
    .option("--layout <layout>", "of matmul: nt: the weights are [N, K] in memory; nn, tn, tt", "nt")
    .option("--json", "print the reports as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  warpsmith explain main.ts\n  warpsmith explain main.ts --json -- --size 4096\n  warpsmith explain matmul 4096x4096x4096",
    )
    .action(async (file: string, rest: readonly string[], options: ExplainOptions) => {
      await (await import("../explain.ts")).explain(file, rest, options);
    });

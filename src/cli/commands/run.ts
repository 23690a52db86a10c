import { Command } from "commander";

export interface RunOptions {
  readonly trace?: string;
  readonly json?: true;
}

export const runCommand = (): Command =>
  new Command("run")
    .summary("run a program whose kernels are TypeScript functions")
    .description(
      "Runs a program whose kernels are TypeScript functions, as node --import warpsmith/register does. Options stand before the file; whatever follows it is the program's.",
    )
    .argument("<file>", "the program, such as main.ts")
    .argument("[arguments...]", "what the program finds in process.argv")
    .option("--trace <file>", "run on the emulator, and write a timeline that Perfetto opens")
    .option("--json", "tell an error that ends the program as one line of JSON, on stderr")
    .passThroughOptions()
    .addHelpText("after", "\nExamples:\n  warpsmith run main.ts --size 4096\n  warpsmith run --trace out.json main.ts")
    .action(async (file: string, rest: readonly string[], options: RunOptions) => {
      await (await import("../run.ts")).run(file, rest, options);
    });

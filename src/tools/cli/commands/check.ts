import { availableParallelism } from "node:os";
import { Command, Option } from "commander";
import type { CheckOptions } from "../options.ts";

export const checkCommand = (): Command =>
  new Command("check")
    .summary("run a program under many schedules, and show the first that fails")
    .description(
      "Runs a program on the emulator with its checks, under schedules from the one that surprises least on: eager, lazy, torn, then seeds. Stops at the first that fails, and leaves out what the failure does not need.",
    )
    .argument("<file>", "the program, such as main.ts")
    .argument("[arguments...]", "what the program finds in process.argv; those that begin with - after --")
    .option("--seeds <count>", "schedules by seeds, behind eager, lazy and torn", "100")
    .option("--strict", "report also what practice tolerates though the manual does not promise it")
    .addOption(new Option("--jobs <count>", "runs at a time").default(`${availableParallelism()}`, "the number of cores"))
    .option("--seconds <count>", "after which a run counts as one that does not end", "600")
    .option("--attempts <count>", "runs to find a smaller schedule that fails, too", "100")
    .option("--out <file>", "where that schedule is kept", "warpsmith-check.json")
    .option("--replay <file>", "run what such a file holds, and nothing else")
    .option("--json", "print the verdict as JSON")
    .addHelpText("after", "\nExamples:\n  warpsmith check main.ts --seeds 20\n  warpsmith check main.ts --strict -- --size 64")
    .action(async (file: string, rest: readonly string[], options: CheckOptions) => {
      await (await import("../check.ts")).check([file, ...rest], options);
    });

import { Command, Option } from "commander";
import type { RunOptions } from "../options.ts";

/** `--print-after-all` has its value behind `=` or none: commander would take the word that follows, which is the file. */
class RunCommand extends Command {
  override parseOptions(words: string[]): ReturnType<Command["parseOptions"]> {
    const given = [...words];
    for (const [i, word] of words.entries()) {
      const takesNext = this.options.some((option) => option.required && option.long === words[i - 1]);
      if (!word.startsWith("-") && !takesNext) break;
      if (word === "--print-after-all" && !takesNext) given[i] = `${word}=text`;
    }
    return super.parseOptions(given);
  }
}

export const runCommand = (): Command =>
  new RunCommand("run")
    .summary("run a program whose kernels are TypeScript functions")
    .description(
      "Runs a program whose kernels are TypeScript functions, as node --import warpsmith/register does. Options stand before the file; whatever follows it is the program's.",
    )
    .argument("<file>", "the program, such as main.ts")
    .argument("[arguments...]", "what the program finds in process.argv")
    .option(
      "--profile <file>",
      "run on the emulator, and write what happened in each launch by time: a page (.html), or a trace that Perfetto opens (.json)",
    )
    .addOption(
      new Option("--print-after-all [=diff]", "print what each kernel is after each pass, or what each pass changes").choices([
        "text",
        "diff",
      ]),
    )
    .option("--print-after <name>", "print what each kernel is after one pass; trace and ptx are the ends")
    .option("--stages <file>", "write a page that steps through the passes of each kernel")
    .option("--remarks", "print what the compiler did that costs something, such as conversions of tiles, with the lines")
    .option("--json", "tell an error that ends the program as one line of JSON, on stderr")
    .passThroughOptions()
    .addHelpText(
      "after",
      "\nExamples:\n  warpsmith run main.ts --size 4096\n  warpsmith run --profile out.html main.ts\n  warpsmith run --print-after-all=diff main.ts",
    )
    .action(async (file: string, rest: readonly string[], options: RunOptions) => {
      await (await import("../run.ts")).run(file, rest, options);
    });

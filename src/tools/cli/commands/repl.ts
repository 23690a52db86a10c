import { Command } from "commander";
import { ownModule } from "../../../base/own-files.ts";

export const replCommand = (): Command =>
  new Command("repl")
    .summary("a prompt for kernels and host statements")
    .description(
      "Reads TypeScript, kernels among it, and runs it entry by entry. Names stay, `await` works, and everything of the package is there by its name; `gpu` is the device.",
    )
    .option("--device <device>", "emulator, cuda or cuda:<number>; default: WARPSMITH_DEVICE, else a GPU, else the emulator")
    .addHelpText("after", "\nExamples:\n  warpsmith repl\n  warpsmith repl --device emulator < session.ts")
    .action(async ({ device }: { readonly device?: string }) => {
      await import(ownModule("entries/register").href);
      const { repl } = await import("../repl/repl.ts");
      const { stdin, stdout } = process;
      const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
      if (!(await repl(device, { input: stdin, output: stdout, isTerminal })) && !isTerminal) process.exitCode = 1;
    });

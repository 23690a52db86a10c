import type { Command } from "commander";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import type { Shell } from "./shells.ts";
import { commandWords } from "./words.ts";
import { zshCompletion } from "./zsh.ts";

const printers = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** The completion of a whole table of commands in the language of a shell. */
export function printCompletion(shell: Shell, whole: Command): string {
  const own = commandWords(whole);
  const help = {
    ...own,
    name: "help",
    description: "say what a command takes",
    options: [],
    args: [whole.commands.map((c) => c.name())],
  };
  return printers[shell](own, [...whole.commands.map(commandWords), help]);
}

/** The table of commands as completions need it. */
import type { Argument, Command, Option } from "commander";
import { stageNames } from "../../../compile.ts";
import { tunable } from "../../../kernels/tune/names.ts";

/** What may stand in a place: some words, a file, or nothing that is known. */
export type Values = readonly string[] | "files" | undefined;

export interface OptionWords {
  /** `--json`, `-h`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Its value is the word behind it. */
  readonly takesValue: boolean;
  /** Its value stands behind `=`, or not at all. */
  readonly mayTakeValue: boolean;
  readonly values: Values;
}

export interface CommandWords {
  readonly name: string;
  readonly description: string;
  readonly options: readonly OptionWords[];
  /** Its arguments, in order; the last one again where `more`. */
  readonly args: readonly Values[];
  /** Everything behind the first argument is somebody else's: options of a program. */
  readonly passesOn: boolean;
}

/** Values of options that commander does not know. */
const known: Readonly<Record<string, Values>> = {
  "--device": ["emulator", "cuda"],
  "--dtype": ["bf16", "f16"],
  "--layout": ["nt", "nn", "tn", "tt"],
  "--check": ["off", "normal", "strict"],
  "--seed": ["eager", "lazy", "torn"],
  "--for": ["node", "cpp", "python"],
  "--print-after": [...new Set(stageNames)],
};

const isPath = (name: string): boolean => /^(file|folder|name=file)$/.test(name);

function optionWords({ short, long, flags, description, required, optional, argChoices }: Option): OptionWords {
  const placeholder = /[<[]=?([^>\]]+)[>\]]/.exec(flags)?.[1]?.replace(/\.\.\.$/, "") ?? "";
  return {
    flags: [short, long].flatMap((flag) => flag ?? []),
    description,
    takesValue: required,
    mayTakeValue: optional,
    values: argChoices ?? known[long ?? ""] ?? (isPath(placeholder) ? "files" : undefined),
  };
}

function argumentWords(argument: Argument): Values {
  const name = argument.name();
  if (argument.argChoices) return argument.argChoices;
  if (name === "kernel") return tunable;
  return name === "file" || name === "arguments" || name === "more" ? "files" : undefined;
}

/** A command whose options are those of its table and of its help. */
export function commandWords(command: Command): CommandWords {
  const help = command.createHelp();
  return {
    name: command.name(),
    description: command.summary() || command.description(),
    options: help.visibleOptions(command).map(optionWords),
    args: command.registeredArguments.map((argument) => argumentWords(argument)),
    passesOn: command.name() === "run",
  };
}

/** `warpsmith …`: which command it is, and how what went wrong is told. What the commands do is loaded when one of them runs. */
import { Command, CommanderError } from "commander";
import { WarpsmithError } from "../../base/diag/index.ts";
import { packageVersion } from "../../base/package-version.ts";
import { buildCommand } from "./commands/build.ts";
import { checkCommand } from "./commands/check.ts";
import { completionCommand } from "./commands/completion.ts";
import { devicesCommand } from "./commands/devices.ts";
import { emulateCommand } from "./commands/emulate.ts";
import { explainCommand } from "./commands/explain.ts";
import { replCommand } from "./commands/repl.ts";
import { runCommand } from "./commands/run.ts";
import { tuneCommand } from "./commands/tune.ts";
import { json, styled, styledError } from "./output.ts";
import { Refusal } from "./refusal.ts";

/** Exit statuses. A program that `run` runs may have others of its own. */
const exits = { well: 0, failed: 1, mistyped: 2 } as const;

/** What commander says of a line that it cannot read, as a clause: it has an "error: " in front, and what was meant on a line below. */
const clause = (message: string): string => {
  const [first = "", meant] = message.replace(/^error: /, "").split("\n");
  return (
    first.replace(/\.$/, "") + (meant ? `: ${meant.replace(/^\(Did you mean (?:one of )?(.*)\?\)$/, "did you mean $1?")}` : "")
  );
};

/** The table of commands. */
export function program(): Command {
  const made = new Command("warpsmith")
    .description("GPU kernels for NVIDIA Hopper (sm_90a), written in TypeScript.")
    .version(packageVersion(), "-v, --version", "print the version")
    .helpOption("-h, --help", "print this, or what a command takes")
    .helpCommand("help [command]", "print what a command takes")
    .enablePositionalOptions()
    .addHelpText(
      "after",
      "\nwarpsmith <command> --help says what a command takes.\nExit status: 0; 1 where something failed; 2 where the command line cannot be read.",
    );
  const commands = [
    runCommand(),
    replCommand(),
    checkCommand(),
    explainCommand(),
    buildCommand(),
    emulateCommand(),
    tuneCommand(),
    devicesCommand(),
  ];
  for (const command of [...commands, completionCommand(() => made)]) {
    command.helpOption("-h, --help", "print this");
    made.addCommand(command);
  }
  // What goes wrong is thrown, and told in one place.
  for (const command of [made, ...made.commands])
    command
      .exitOverride()
      .configureOutput({ outputError: () => {}, writeErr: () => {} })
      .showSuggestionAfterError(true);
  return made;
}

/** Errors from the thread that transforms files arrive as copies, without their class. */
const isTold = (error: unknown): error is WarpsmithError =>
  error instanceof WarpsmithError || (error instanceof Error && error.name === "WarpsmithError");

/** The command line could not be read. */
const isMistyped = (error: unknown): boolean => error instanceof WarpsmithError && /^W(78\d\d|7022|7025)$/.test(error.code);

/** An error as `--json` gives it. What has no code is an exception of the author's program. */
function errorForJson(error: unknown): object {
  if (error instanceof WarpsmithError) {
    const { code, sentence, fix, spans, message } = error;
    return { code, sentence, fix, spans, message };
  }
  const text = error instanceof Error ? error.message : String(error);
  return isTold(error) ? { code: /W\d{4}/.exec(text)?.[0], message: text } : { message: text };
}

function tell(error: unknown, asJson: boolean): number {
  const { stderr } = process;
  if (error instanceof Refusal) {
    console.error(
      asJson ? json({ error: { message: error.message } }) : `${styled(stderr, "red", "warpsmith:")} ${error.message}`,
    );
    return exits.mistyped;
  }
  if (asJson) console.error(json({ error: errorForJson(error) }));
  // An error of the author's program is told in the author's words: no stack of this package.
  else console.error(isTold(error) ? styledError(stderr, error.message) : error);
  return isMistyped(error) ? exits.mistyped : exits.failed;
}

/** Whether errors are to be JSON: asked for among the options of a command, and not among the words of the program that it runs. */
const wantsJson = (made: Command): boolean => made.commands.some((command) => command.opts<{ json?: true }>().json === true);

/** Reports an unknown command alone, with the likely one: also behind `help`, or before `--help`. */
function knownWords(made: Command, words: readonly string[]): string[] {
  const [first = "--help", second] = words;
  const isUnknown = (word: string): boolean => made.commands.every((command) => command.name() !== word);
  if (first === "help") return second !== undefined && isUnknown(second) ? [second] : [...words];
  return !first.startsWith("-") && isUnknown(first) ? [first] : [...words];
}

/** Runs the command that the words name. Gives the exit status, undefined where it is what the command has set. */
export async function runCommandLine(words: readonly string[]): Promise<number | undefined> {
  const made = program();
  try {
    if (words.length === 0) made.outputHelp();
    else await made.parseAsync(knownWords(made, words), { from: "user" });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) return tell(error, wantsJson(made));
    return error.exitCode === 0 ? exits.well : tell(new Refusal(clause(error.message)), wantsJson(made));
  }
}

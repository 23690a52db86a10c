import { Argument, Command } from "commander";
import { shells } from "../completion/shells.ts";

/** `whole`: the table of all commands. */
export const completionCommand = (whole: () => Command): Command =>
  new Command("completion")
    .summary("print what makes a shell complete this command")
    .description(
      "Prints what makes a shell complete the commands, options and values of warpsmith. It is made of the table of commands.",
    )
    .addArgument(new Argument("<shell>", "whose language it is in").choices([...shells]))
    .addHelpText(
      "after",
      '\nExamples:\n  warpsmith completion bash > ~/.local/share/bash-completion/completions/warpsmith\n  warpsmith completion zsh > "$fpath[1]/_warpsmith"\n  warpsmith completion fish > ~/.config/fish/completions/warpsmith.fish\n  source <(warpsmith completion bash)',
    )
    .action(async (shell: (typeof shells)[number]) => {
      const { printCompletion } = await import("../completion/completion.ts");
      console.log(printCompletion(shell, whole()));
    });

import { Command } from "commander";

export const devicesCommand = (): Command =>
  new Command("devices")
    .summary("say which devices there are")
    .description("Says which devices there are, and why others cannot be used.")
    .option("--json", "print them as JSON")
    .addHelpText("after", "\nExample:\n  warpsmith devices")
    .action(async (options: { readonly json?: true }) => {
      await (await import("../devices.ts")).devices(options);
    });

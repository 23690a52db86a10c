#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { WarpsmithError } from "../diag/index.ts";
import { checkUsage } from "./check-usage.ts";
import { emulateUsage } from "./emulate-usage.ts";
import { Refusal } from "./refusal.ts";
import { run, runUsage } from "./run.ts";

const usage = `${runUsage}
${checkUsage}
${emulateUsage}
warpsmith devices                       says which devices there are, and why others cannot be used
warpsmith --version
warpsmith --help`;

const version = (): string =>
  (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }).version;

async function devices(): Promise<void> {
  const { probeDevices } = await import("../index.ts");
  for (const { kind, devices: found, reason } of await probeDevices()) {
    if (found.length === 0) console.log(`${kind}: none (${reason ?? "none found"})`);
    for (const device of found) {
      const [major, minor] = device.computeCapability;
      console.log(
        `${kind}:${device.index}  ${device.name}, compute capability ${major}.${minor}${device.reason ? ` (cannot be used: ${device.reason})` : ""}`,
      );
    }
  }
}

async function main([command, ...args]: readonly string[]): Promise<void> {
  switch (command) {
    case "run":
      return run(args);
    case "check":
      return (await import("./check.ts")).check(args);
    case "emulate":
      return (await import("./emulate.ts")).emulate(args);
    case "devices":
      return devices();
    case "--version":
    case "-v":
      return console.log(version());
    case undefined:
    case "--help":
    case "-h":
    case "help":
      return console.log(usage);
    default:
      throw new Refusal(`there is no command ${command}`);
  }
}

/** Errors from the thread that transforms files arrive as copies, without their class. */
const isTold = (error: unknown): error is Error =>
  error instanceof WarpsmithError || (error instanceof Error && error.name === "WarpsmithError");

/** The command line could not be read. */
const isMistyped = (error: unknown): boolean => error instanceof WarpsmithError && /^W(78\d\d|7022|7025)$/.test(error.code);

try {
  await main(process.argv.slice(2));
} catch (error) {
  // An error of the author's program is told in the author's words: no stack of this package.
  console.error(error instanceof Refusal ? `warpsmith: ${error.message}\n\n${usage}` : isTold(error) ? error.message : error);
  process.exitCode = error instanceof Refusal || isMistyped(error) ? 2 : 1;
}

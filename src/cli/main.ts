#!/usr/bin/env node
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { WarpsmithError } from "../diag/index.ts";
import { checkUsage } from "./check-usage.ts";
import { emulateUsage } from "./emulate-usage.ts";
import { Refusal } from "./refusal.ts";

const usage = `warpsmith run <file.ts> [arguments …]   runs a program whose kernels are TypeScript functions
${checkUsage}
${emulateUsage}
warpsmith devices                       says which devices there are, and why others cannot be used
warpsmith --version
warpsmith --help`;

const version = (): string =>
  (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }).version;

/** Runs a program in this process: its file becomes the main module of `process.argv`. */
async function run(file: string | undefined, args: readonly string[]): Promise<void> {
  if (!file) throw new Refusal("run takes the file of a program");
  const path = resolve(file);
  if (!existsSync(path)) throw new Refusal(`there is no file ${file}`);
  process.argv = [process.argv[0] ?? "node", path, ...args];
  await import(new URL("../register.js", import.meta.url).href);
  await import(pathToFileURL(path).href);
}

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
      return run(args[0], args.slice(1));
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

/** The command line could not be read: W78xx. */
const isMistyped = (error: unknown): boolean => error instanceof WarpsmithError && error.code.startsWith("W78");

try {
  await main(process.argv.slice(2));
} catch (error) {
  // An error of the author's program is told in the author's words: no stack of this package.
  console.error(error instanceof Refusal ? `warpsmith: ${error.message}\n\n${usage}` : isTold(error) ? error.message : error);
  process.exitCode = error instanceof Refusal || isMistyped(error) ? 2 : 1;
}

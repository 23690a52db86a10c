#!/usr/bin/env node
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { WarpsmithError } from "../diag/index.ts";

const usage = `warpsmith run <file.ts> [arguments …]   runs a program whose kernels are TypeScript functions
warpsmith devices                       says which devices there are, and why others cannot be used
warpsmith --version
warpsmith --help`;

const version = (): string =>
  (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }).version;

/** Runs a program in this process: its file becomes the main module of `process.argv`. */
async function run(file: string | undefined, args: readonly string[]): Promise<void> {
  if (!file) return refuse("run takes the file of a program");
  const path = resolve(file);
  if (!existsSync(path)) return refuse(`there is no file ${file}`);
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

function refuse(why: string): void {
  console.error(`warpsmith: ${why}\n\n${usage}`);
  process.exitCode = 2;
}

async function main([command, ...args]: readonly string[]): Promise<void> {
  switch (command) {
    case "run":
      return run(args[0], args.slice(1));
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
      return refuse(`there is no command ${command}`);
  }
}

/** Errors from the thread that transforms files arrive as copies, without their class. */
const isTold = (error: unknown): error is Error =>
  error instanceof WarpsmithError || (error instanceof Error && error.name === "WarpsmithError");

try {
  await main(process.argv.slice(2));
} catch (error) {
  // An error of the author's program is told in the author's words: no stack of this package.
  console.error(isTold(error) ? error.message : error);
  process.exitCode = 1;
}

/**
 * `node --import warpsmith/register main.ts`: compiles the project's TypeScript as it is loaded, kernels and helpers first
 * rewritten. Files in `node_modules` are left alone.
 */

import { register } from "node:module";
import { inspect } from "node:util";
import { fail } from "./shared/errors.ts";
// The package itself, before its hooks: what is loaded after them goes through their thread, file by file.
import "../index.ts";
import { otherRuntime, setSourceReader } from "../base/diag/index.ts";
import { ownModule } from "../base/own-files.ts";
import { readSource } from "./shared/read-source.ts";

/** Errors from the thread that transforms files arrive as copies, without their class. */
const isTold = (error: unknown): error is Error => error instanceof Error && error.name === "WarpsmithError";

/** Prints the error as Node would, and ends as Node would. */
function end(error: unknown): void {
  process.stderr.write(`${inspect(error, { colors: process.stderr.isTTY && process.stderr.hasColors() })}\n`);
  process.exit(1);
}

// Node begins what it says of an error that nobody catches with the line that throws it: for ours, a line of this package. Whoever listens
// to such errors hears of them first, and alone; those of others are told by Node.
process.on("uncaughtExceptionMonitor", (error) => {
  const heard = process.listenerCount("uncaughtException") > 0 || process.hasUncaughtExceptionCaptureCallback();
  if (isTold(error) && !heard) process.once("uncaughtException", end);
});

setSourceReader(readSource);
const runtime = otherRuntime();
if (runtime !== undefined) fail("W7049", { runtime });
process.setSourceMapsEnabled(true);
register(ownModule("entries/register-hooks"));

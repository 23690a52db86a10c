#!/usr/bin/env node
import { runCommandLine } from "./command-line.ts";

const words = process.argv.slice(2);
/** What a program prints is the program's, and so is `--help` behind its name. */
const isOfProgram = words[0] === "run" && !["--help", "-h"].includes(words[1] ?? "");
// Who reads what is printed may have seen enough, as `head` has: nothing is wrong then.
if (!isOfProgram)
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
const status = await runCommandLine(words);
if (status !== undefined) process.exitCode = status;

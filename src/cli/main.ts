#!/usr/bin/env node
import { runCommandLine } from "./command-line.ts";

const words = process.argv.slice(2);
// Who reads what is printed may have seen enough, as `head` has: nothing is wrong then. What a program prints is the program's.
if (words[0] !== "run")
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
const status = await runCommandLine(words);
if (status !== undefined) process.exitCode = status;

#!/usr/bin/env node
import { runCommandLine } from "./command-line.ts";

const status = await runCommandLine(process.argv.slice(2));
if (status !== undefined) process.exitCode = status;

// Gives program() a function that was written elsewhere.
import { program } from "warpsmith/schedule";

const elsewhere = (): void => {};

export const run = () => program(elsewhere); // error: W5502

// Asks for half a random number.
import { randn } from "warpsmith/testing";

export const run = () => randn(0.5); // error: W7901

// Goes through loops of a program in host code.
import { grid } from "warpsmith/schedule";

export const run = () => grid(16); // error: W5501

// Asks a PTX module for one of two instances of a template, by a name that both have.
import "warpsmith";
import { loadPtx } from "warpsmith/ptx";

const module = loadPtx(`.version 8.0
.target sm_90a
.address_size 64
.visible .entry _Z5scaleIfEvPT_(.param .u64 x) { ret; }
.visible .entry _Z5scaleIdEvPT_(.param .u64 x) { ret; }
`);

export const run = () => module.entry("scale"); // error: W7807

import { lesson as intro } from "./01-intro/main.ts";
import { lesson as layouts } from "./02-layouts/main.ts";
import { lesson as asyncCopy } from "./03-async-copy/main.ts";
import { lesson as tma } from "./04-tma/main.ts";
import { lesson as wgmma } from "./05-wgmma/main.ts";
import { lesson as persistence } from "./07-persistence/main.ts";
import { lesson as specialization } from "./08-warp-specialization/main.ts";
import { lesson as im2col } from "./13-im2col/main.ts";
import { lesson as multiCta } from "./14-multi-cta/main.ts";
import type { Lesson } from "../lesson.ts";

export const lessons: readonly Lesson[] = [intro, layouts, asyncCopy, tma, wgmma, persistence, specialization, im2col, multiCta];

import type { Lesson } from "../lesson.ts";
import { lesson as further } from "./tensorir/further/main.ts";
import { lesson as tensorir } from "./tensorir/main.ts";

export const lessons: readonly Lesson[] = [tensorir, further];

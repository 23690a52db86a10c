export { checkMarks, profile } from "./profile.ts";

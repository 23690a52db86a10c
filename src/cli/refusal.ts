/** What is wrong with a command line, as a clause. Exit status 2. */
export class Refusal extends Error {}

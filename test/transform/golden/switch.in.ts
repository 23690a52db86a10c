function choose(n: number, m: number) {
  "use kernel";
  let r = 0;
  switch (n) {
    case 0:
    case 1:
      r = 1; // both
      break;
    case m + 1: {
      return r;
    }
    default:
      r = 2;
  }
  return r;
}

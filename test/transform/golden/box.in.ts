function counter(start: number, step = 1) {
  "use kernel";
  let count = start;
  let last: number;
  const next = () => {
    count += step;
    last = count;
    start--;
    return count++;
  };
  next();
  if (start > 0) count = 0;
  return { count, last };
}

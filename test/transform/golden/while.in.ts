function search(n: number) {
  "use kernel";
  let low = 0, high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (middle * middle < n) low = middle + 1;
    else high = middle;
  }
  do {
    low--;
    if (low === 3) continue;
  } while (low > n);
  retry: {
    if (n < 0) break retry;
    low = n;
  }
  return low;
}

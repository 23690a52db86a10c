function act(p: boolean, q: boolean, f: () => void) {
  "use kernel";
  let k = 0;
  p && (k = 1);
  p || f();
  p ? f() : q && k++;
  k++, f();
  p;
}

#!/bin/sh
# Runs the programs of this folder on CUDA device 0. Exit status 0: all is right.
# Without a g++ the program that was compiled with the build is taken; what has no compiler or interpreter here is left out, and said so.
cd "$(dirname "$0")" || exit 1
status=0
has() { command -v "$1" >/dev/null; }
bad() { echo "  WRONG: $1"; status=1; }
flags="-std=c++17 -O2"
strict="-Wall -Wextra -Werror"

echo "C++17, g++"
if has g++; then g++ $flags $strict -o main main.cpp -ldl || bad "it does not compile"; fi
if [ -x main ]; then timeout -k 5 20 ./main . || bad "exit status $?"; else echo "  left out: there is no g++"; fi

echo "C++17, nvcc, beside the CUDA runtime"
if has nvcc; then
  nvcc $flags -Werror all-warnings -o with-runtime with-runtime.cu -ldl || bad "it does not compile"
  [ ! -x with-runtime ] || timeout -k 5 20 ./with-runtime . || bad "exit status $?"
else echo "  left out: there is no nvcc"; fi

echo "Python"
if has python3; then timeout -k 5 60 python3 main.py || bad "exit status $?"; else echo "  left out: there is no python3"; fi

echo "Node"
if has node && node -e 'import("warpsmith/runtime").catch(() => process.exit(1))'; then timeout -k 5 30 node main.mjs cuda || bad "exit status $?"
else echo "  left out: there is no Node that finds warpsmith/runtime"; fi

# refused <folder> <code>: every launcher refuses this folder, and says why.
refused() {
  echo "refused: $1"
  [ ! -x "$1/main" ] || { said=$("$1/main" "$1" 2>&1); check $? "$said" "$2" "C++"; }
  ! has python3 || { said=$(python3 "$1/main.py" 2>&1); check $? "$said" "$2" "Python"; }
}
check() {
  line=$(echo "$2" | grep "$3" | tail -1)
  echo "  $4: ${line:-$2}"
  [ "$1" -eq 1 ] || bad "exit status $1"
  [ -n "$line" ] || bad "it does not say $3"
}
if has g++; then for other in other-device other-build changed; do g++ -std=c++17 -o $other/main $other/main.cpp -ldl || bad "$other"; done; fi
refused other-device W7733
refused other-build W7734
refused changed W7732

[ $status -eq 0 ] && echo "all right" || echo "something is wrong"
exit $status

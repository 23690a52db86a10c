// A switch of many different arms inside a loop: a jump table, in which lanes part and meet again.
extern "C" __global__ void interpreter(const unsigned char* __restrict__ code, int length, const int* __restrict__ in,
                                       int* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int a = in[i], b = i, steps = 0;
  for (int pc = i % 7; pc < length && steps < 200; steps++) {
    const int op = code[pc] % 20;
    pc++;
    switch (op) {
      case 0: a += b; break;
      case 1: a -= 3 * b; break;
      case 2: a ^= b << 3; break;
      case 3: b = a >> 2; break;
      case 4: a = a * 1664525 + 1013904223; break;
      case 5: b = __popc(a) - b; break;
      case 6: a = b == 0 ? 7 : a / b; break;
      case 7: b = b * b; break;
      case 8: if (a < 0) pc += 2; break;
      case 9: a = min(a, b); break;
      case 10: b = max(a, b); break;
      case 11: a = ~a; break;
      case 12: { const int c = a; a = b; b = c; break; }
      case 13: a = __brev(a); break;
      case 14: b |= 1 << (a & 31); break;
      case 15: b &= ~(1 << (a & 15)); break;
      case 16: if (b & 1) pc += 1; break;
      case 17: a = abs(a); break;
      case 18: b = a % 10; break;
      default: a += op + pc; break;
    }
  }
  out[3 * i] = a;
  out[3 * i + 1] = b;
  out[3 * i + 2] = steps;
}

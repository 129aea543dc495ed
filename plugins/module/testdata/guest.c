// A plugin in C that exercises what compilers write: br_table, indirect calls,
// recursion, bulk memory, floats and, with -msimd128, vectors. Rebuild both with
//
//   for f in "guest" "guest_simd -msimd128"; do set -- $f
//     clang --target=wasm32-wasi -O2 -mexec-model=reactor -mbulk-memory -msign-ext -mnontrapping-fptoint $2 \
//       -Wl,--strip-debug -o $1.wasm guest.c
//   done
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define IMPORT(name) __attribute__((import_module("awarc"), import_name(#name)))
#define EXPORT(name) __attribute__((export_name(#name)))

IMPORT(input_len) uint32_t input_len(void);
IMPORT(input_read) uint32_t input_read(uint32_t off, void *to, uint32_t n);
IMPORT(output_write) uint32_t output_write(const void *from, uint32_t n);

EXPORT(awarc_abi_1) void abi(void) {}

static uint32_t add(uint32_t a, uint32_t b) { return a + b; }
static uint32_t mix(uint32_t a, uint32_t b) { return (a ^ b) * 16777619u; }
static uint32_t divide(uint32_t a, uint32_t b) { return a / (b % 7); } // traps for some inputs
static uint32_t (*const operations[])(uint32_t, uint32_t) = {add, mix, divide};

// run interprets the input as a small program: a br_table in a loop.
static uint32_t run(const uint8_t *p, uint32_t n) {
  uint32_t a = 1, steps = 0;
  for (uint32_t pc = 0; pc < n && steps < 20000; pc++, steps++) {
    switch (p[pc] & 15) {
    case 0: a += pc; break;
    case 1: a = (a << 5) | (a >> 27); break;
    case 2: a ^= p[pc]; break;
    case 3: a *= 2654435761u; break;
    case 4: if (a & 1) pc += 3; break;
    case 5: if (a > 1000000) { pc = pc > 8 ? pc - 8 : 0; a >>= 3; } break;
    case 6: a = operations[p[pc] % 2](a, pc); break;
    case 7: a -= 0x9e3779b9; break;
    case 8: a = (int8_t)a; break;
    case 9: a = (uint32_t)((double)a * 0.333); break;
    case 10: a = ~a; break;
    case 11: a += (uint32_t)__builtin_popcount(a); break;
    case 12: if (p[pc] == 0xfc) a = operations[2](a, pc); break;
    default: a += steps;
    }
  }
  return a;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static uint64_t fib(uint32_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

EXPORT(awarc_score) int32_t score(void) {
  uint32_t n = input_len();
  if (n == 0) return 1;
  uint8_t *text = malloc(n), *copy = malloc(n);
  if (!text || !copy) return 2;
  input_read(0, text, n);
  memcpy(copy, text, n);
  uint32_t histogram[256] = {0};
  for (uint32_t i = 0; i < n; i++) histogram[copy[i]]++;
  float sums[64];
  for (int i = 0; i < 64; i++) sums[i] = (float)histogram[4 * i] * 0.5f + (float)histogram[4 * i + 1];
  double sorted[64];
  for (int i = 0; i < 64; i++) sorted[i] = (double)sums[63 - i] + i % 5;
  qsort(sorted, 64, sizeof *sorted, compare);
  struct { uint32_t a; uint32_t pad; uint64_t f; double sorted[64]; } out;
  memset(&out, 0, sizeof out);
  out.a = run(text, n);
  out.f = fib(10 + n % 8);
  memmove(out.sorted, sorted, sizeof sorted);
  free(text);
  free(copy);
  output_write(&out, sizeof out);
  return 0;
}

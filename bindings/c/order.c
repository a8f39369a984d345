// Prints the names of a library's functions in an order in which similar functions are neighbours, so that gzip finds
// their common parts. build.sh links the library a second time in this order (lld's --symbol-ordering-file).
//
//   order LIBRARY
//
// LIBRARY is an ELF file with 64-bit addresses, of the byte order of this machine, and with symbols. The order depends
// only on its bytes. It begins with the largest function; the next function is always the one of whose sequences the
// last 32 kB contain the largest share.

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  window = 32000, // bytes; Deflate copies from the last 32 kB
  length = 5,     // bytes of a sequence
  common = 80,    // A sequence in more functions than this says nothing about their similarity.
  few = 200,      // keeps very short functions from winning with one sequence
};

typedef struct {
  const char *name;
  const unsigned char *bytes;
  size_t size;
  size_t *groups; // the sequences that other functions contain too
  size_t group_count;
  size_t sequence_count, score; // all sequences, and the weights of those that the window contains
  int is_placed;
} Function;

typedef struct {
  uint64_t sequence;
  size_t function;
} Occurrence;

// The functions that contain one sequence: occurrences from first to before end. The window often contains a frequent
// sequence anyway, so such a sequence weighs less.
typedef struct {
  size_t first, end, uses, weight; // uses: functions of the window
} Group;

// 1000, divided by the cube root of the number of other functions that contain a sequence, and rounded down.
static size_t weight_of(size_t others) {
  size_t weight = 1000;
  while (weight * weight * weight * others > 1000000000) weight--;
  return weight;
}

static void fail(const char *cause, const char *path) {
  fprintf(stderr, "order: %s: %s\n", path, cause);
  exit(1);
}

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  if (!memory) fail("not enough memory", "functions");
  return memory;
}

static int by_address(const void *left, const void *right) {
  const Function *a = left, *b = right;
  if (a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
  return strcmp(a->name, b->name);
}

static int by_sequence(const void *left, const void *right) {
  const Occurrence *a = left, *b = right;
  if (a->sequence != b->sequence) return a->sequence < b->sequence ? -1 : 1;
  return (a->function > b->function) - (a->function < b->function);
}

static unsigned char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) || ftell(file) < 0) fail("cannot be read", path);
  *size = (size_t)ftell(file);
  unsigned char *bytes = allocate(*size, 1);
  rewind(file);
  if (fread(bytes, 1, *size, file) != *size) fail("cannot be read", path);
  fclose(file);
  return bytes;
}

// Lists the functions by address, without the other names of a function.
static Function *list_functions(const char *path, size_t *count) {
  size_t size;
  unsigned char *file = read_file(path, &size);
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)file;
  if (size < sizeof *head || memcmp(file, ELFMAG, SELFMAG) || file[EI_CLASS] != ELFCLASS64)
    fail("not a 64-bit ELF file", path);
  if (head->e_shoff > size || (size - head->e_shoff) / sizeof(Elf64_Shdr) < head->e_shnum) fail("is incomplete", path);
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + head->e_shoff);
  for (size_t at = 0; at < head->e_shnum; at++)
    if (sections[at].sh_type != SHT_NOBITS &&
        (sections[at].sh_offset > size || sections[at].sh_size > size - sections[at].sh_offset))
      fail("is incomplete", path);
  for (size_t at = 0; at < head->e_shnum; at++) {
    if (sections[at].sh_type != SHT_SYMTAB || sections[at].sh_link >= head->e_shnum) continue;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(file + sections[at].sh_offset);
    const Elf64_Shdr *names = &sections[sections[at].sh_link];
    size_t symbol_count = sections[at].sh_size / sizeof *symbols, found = 0;
    Function *functions = allocate(symbol_count, sizeof *functions);
    for (size_t number = 0; number < symbol_count; number++) {
      const Elf64_Sym *symbol = &symbols[number];
      if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_size == 0 || symbol->st_shndx >= head->e_shnum)
        continue;
      const Elf64_Shdr *section = &sections[symbol->st_shndx];
      uint64_t offset = symbol->st_value - section->sh_addr;
      if (section->sh_type == SHT_NOBITS || offset > section->sh_size || symbol->st_size > section->sh_size - offset)
        continue;
      if (symbol->st_name >= names->sh_size) fail("is incomplete", path);
      functions[found++] = (Function){.name = (const char *)file + names->sh_offset + symbol->st_name,
                                      .bytes = file + section->sh_offset + offset,
                                      .size = symbol->st_size};
    }
    qsort(functions, found, sizeof *functions, by_address);
    *count = 0;
    for (size_t number = 0; number < found; number++)
      if (*count == 0 || functions[*count - 1].bytes != functions[number].bytes)
        functions[(*count)++] = functions[number];
    return functions;
  }
  fail("has no symbols", path);
  return NULL;
}

// Lists the sequences of all functions, ordered; each function has a sequence once.
static Occurrence *list_occurrences(Function *functions, size_t count, size_t *occurrence_count) {
  size_t total = 0, kept = 0;
  for (size_t number = 0; number < count; number++) total += functions[number].size;
  Occurrence *occurrences = allocate(total, sizeof *occurrences);
  total = 0;
  for (size_t number = 0; number < count; number++)
    for (size_t at = 0; at + length <= functions[number].size; at++) {
      uint64_t sequence = 0;
      for (size_t byte = 0; byte < length; byte++) sequence = sequence << 8 | functions[number].bytes[at + byte];
      occurrences[total++] = (Occurrence){sequence, number};
    }
  qsort(occurrences, total, sizeof *occurrences, by_sequence);
  for (size_t at = 0; at < total; at++) {
    if (kept > 0 && by_sequence(&occurrences[kept - 1], &occurrences[at]) == 0) continue;
    functions[occurrences[at].function].sequence_count++;
    occurrences[kept++] = occurrences[at];
  }
  *occurrence_count = kept;
  return occurrences;
}

// Groups the occurrences of each sequence that neither one function nor very many functions contain.
static Group *list_groups(Function *functions, size_t count, const Occurrence *occurrences, size_t occurrence_count) {
  Group *groups = allocate(occurrence_count / 2, sizeof *groups);
  size_t group_count = 0;
  for (size_t first = 0, end; first < occurrence_count; first = end) {
    for (end = first + 1; end < occurrence_count && occurrences[end].sequence == occurrences[first].sequence;) end++;
    if (end - first == 1 || end - first > common) continue;
    groups[group_count++] = (Group){first, end, 0, weight_of(end - first - 1)};
    for (size_t at = first; at < end; at++) functions[occurrences[at].function].group_count++;
  }
  for (size_t number = 0; number < count; number++) {
    functions[number].groups = allocate(functions[number].group_count, sizeof(size_t));
    functions[number].group_count = 0;
  }
  for (size_t group = 0; group < group_count; group++)
    for (size_t at = groups[group].first; at < groups[group].end; at++) {
      Function *function = &functions[occurrences[at].function];
      function->groups[function->group_count++] = group;
    }
  return groups;
}

int main(int argument_count, char **arguments) {
  if (argument_count != 2) {
    fputs("usage: order LIBRARY\n", stderr);
    return 2;
  }
  size_t count, occurrence_count;
  Function *functions = list_functions(arguments[1], &count);
  Occurrence *occurrences = list_occurrences(functions, count, &occurrence_count);
  Group *groups = list_groups(functions, count, occurrences, occurrence_count);

  Function **order = allocate(count, sizeof *order);
  size_t bytes = 0, first = 0, next = 0; // the window contains the functions from `first` on
  for (size_t number = 0; number < count; number++)
    if (functions[number].size > functions[next].size) next = number;
  for (size_t placed = 0; placed < count;) {
    Function *function = order[placed++] = &functions[next];
    function->is_placed = 1;
    puts(function->name);
    bytes += function->size;
    for (size_t at = 0; at < function->group_count; at++) {
      Group *group = &groups[function->groups[at]];
      if (group->uses++ > 0) continue;
      for (size_t other = group->first; other < group->end; other++)
        functions[occurrences[other].function].score += group->weight;
    }
    for (; bytes > window && first + 1 < placed; first++) {
      bytes -= order[first]->size;
      for (size_t at = 0; at < order[first]->group_count; at++) {
        Group *group = &groups[order[first]->groups[at]];
        if (--group->uses > 0) continue;
        for (size_t other = group->first; other < group->end; other++)
          functions[occurrences[other].function].score -= group->weight;
      }
    }
    // Compares shares as fractions of whole numbers, so that the order does not depend on rounding.
    const Function *best = NULL;
    for (size_t number = 0; number < count; number++) {
      const Function *other = &functions[number];
      if (other->is_placed) continue;
      if (best && (uint64_t)other->score * (best->sequence_count + few) <=
                      (uint64_t)best->score * (other->sequence_count + few))
        continue;
      best = other;
      next = number;
    }
  }
  return ferror(stdout) || fclose(stdout) != 0;
}

#include <iostream>
#include <new>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

int main(int argc, char** argv) {
  try {
    const std::vector<std::string_view> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return mha::cli::run(arguments, std::cout, std::cerr);
  } catch (const std::bad_alloc&) {  // the core reports its own; this one comes from reading a large file
    std::cerr << "mha: out of memory\n";
    return mha::cli::kRefused;
  }
}

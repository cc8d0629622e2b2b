// SPDX-License-Identifier: Apache-2.0
// The build's code generator: codegen OUTPUT_DIR SCHEMA_FILE...
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "protocol/codegen/emit.h"
#include "protocol/codegen/names.h"
#include "protocol/codegen/parser.h"

namespace {

namespace fs = std::filesystem;
using namespace ktrial;
using namespace ktrial::codegen;

// Leaves an unchanged file alone, so that ninja does not rebuild its users.
void write_if_changed(const fs::path& path, const std::string& text) {
  std::ifstream old(path);
  std::stringstream content;
  content << old.rdbuf();
  if (old && content.str() == text) return;
  std::ofstream(path) << text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: codegen OUTPUT_DIR SCHEMA_FILE...\n";
    return 2;
  }
  const fs::path out = argv[1];
  fs::create_directories(out);
  std::vector<Schema> schemas;
  for (int i = 2; i < argc; ++i) {
    std::ifstream in(argv[i]);
    std::stringstream text;
    text << in.rdbuf();
    auto schema = in ? parse_schema(text.str(), argv[i]) : Result<Schema>(fail(Errc::kIo, "cannot be read", argv[i]));
    if (!schema) {
      std::cerr << schema.error().to_string() << '\n';
      return 1;
    }
    for (const Message& message : schema->messages) {
      write_if_changed(out / (snake_case(message.name) + ".h"), emit_header(message));
    }
    write_if_changed(out / (fs::path(argv[i]).stem().string() + ".cc"), emit_source(*schema));
    schemas.push_back(std::move(*schema));
  }
  write_if_changed(out / "api_table.cc", emit_api_table(schemas));
  write_if_changed(out / "all_messages.h", emit_all_messages(schemas));
}

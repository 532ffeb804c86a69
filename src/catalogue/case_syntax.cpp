// SPDX-License-Identifier: Apache-2.0
#include "catalogue/case_syntax.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <sstream>

namespace kbx {
namespace {

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Recursive descent over one value. After the first error `problem` is set and all results are meaningless.
class ValueParser {
 public:
  explicit ValueParser(std::string_view text) : text_(text) {}

  FieldValue parse() {
    FieldValue value = value_at_cursor();
    if (problem_.empty() && at_ != text_.size()) fail(fmt::format("unexpected '{}'", text_.substr(at_)));
    return value;
  }
  const std::string& problem() const { return problem_; }

 private:
  bool peek(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool take(char c) { return peek(c) && ++at_; }
  void fail(std::string what) {
    if (problem_.empty()) problem_ = std::move(what);
    at_ = text_.size();
  }
  void expect(char c, const char* where) {
    if (!take(c)) fail(fmt::format("expected '{}' {}", c, where));
  }

  std::string word() {
    size_t start = at_;
    while (at_ < text_.size() && is_word_char(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  bool number(double& value) {
    std::string rest(text_.substr(at_));
    char* end = nullptr;
    value = std::strtod(rest.c_str(), &end);
    size_t used = static_cast<size_t>(end - rest.c_str());
    // "nano" is a word, and so is the rest of "3rd".
    if (used == 0 || (used < rest.size() && is_word_char(rest[used]))) return false;
    at_ += used;
    return true;
  }

  std::vector<double> parameters() {
    std::vector<double> values;
    if (!take('(')) return values;
    do {
      double value = 0;
      if (!number(value)) fail("expected a number between the parentheses");
      values.push_back(value);
    } while (take(','));
    expect(')', "after the parameters");
    return values;
  }

  std::vector<int64_t> dims() {
    std::vector<int64_t> sizes;
    if (take(']')) return sizes;
    do {
      std::string digits = word();
      if (digits.empty() || digits.size() > 12 || digits.find_first_not_of("0123456789") != std::string::npos) {
        fail(fmt::format("'{}' is no size", digits.empty() ? text_.substr(at_) : std::string_view(digits)));
        return sizes;
      }
      sizes.push_back(std::stoll(digits));
    } while (take(','));
    expect(']', "after the dimensions");
    return sizes;
  }

  FieldValue list() {
    FieldValue value{.kind = FieldValue::Kind::list, .text = {}, .items = {}, .recipe = {}};
    if (take(']')) return value;
    do value.items.push_back(value_at_cursor());
    while (take(','));
    expect(']', "at the end of the list");
    return value;
  }

  Recipe recipe(std::string generator) {
    Recipe made;
    made.generator = std::move(generator);
    made.parameters = parameters();
    if (take('[')) {
      made.has_dims = true;
      made.dims = dims();
    }
    if (take(':')) made.dtype = word();
    while (take('@')) {
      Recipe::Mod mod;
      mod.name = word();
      mod.parameters = parameters();
      made.mods.push_back(std::move(mod));
    }
    return made;
  }

  FieldValue value_at_cursor() {
    size_t start = at_;
    FieldValue value;
    double ignored = 0;
    if (take('[')) {
      value = list();
    } else if (number(ignored)) {
      value.kind = FieldValue::Kind::number;
    } else {
      std::string first = word();
      if (first.empty()) fail("a value is missing");
      if (peek('(') || peek('[') || peek(':') || peek('@')) {
        value.kind = FieldValue::Kind::recipe;
        value.recipe = recipe(std::move(first));
      }
    }
    value.text = std::string(text_.substr(start, at_ - start));
    return value;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string problem_;
};

std::pair<std::string_view, std::string_view> split_at_equals(std::string_view token) {
  size_t equals = token.find('=');
  if (equals == std::string_view::npos) return {token, {}};
  return {token.substr(0, equals), token.substr(equals + 1)};
}

bool is_dimension(std::string_view token) { return split_at_equals(token).second.find("..") != std::string_view::npos; }

}  // namespace

bool FieldValue::is_integer() const { return kind == Kind::number && text.find_first_of(".eEnN") == std::string::npos; }

Result<Words> split_case(std::string_view line, Stage otherwise) {
  Words words;
  words.stage = otherwise;
  std::istringstream in{std::string(line)};
  for (std::string token; in >> token;) {
    bool names_stage = words.tokens.empty() && token.back() == ':' && token.find('=') == std::string::npos;
    if (!names_stage) {
      words.tokens.push_back(std::move(token));
      continue;
    }
    token.pop_back();
    bool known = false;
    for (Stage stage : {Stage::standard, Stage::outlier, Stage::boundary, Stage::published, Stage::measure}) {
      if (token != name(stage)) continue;
      words.stage = stage;
      known = true;
    }
    if (!known)
      return Error{fmt::format("'{}' is no stage of a case", token), "standard, outlier, boundary, published or measure"};
  }
  return words;
}

std::string substitute(std::string_view token, const std::map<std::string, int64_t>& sizes) {
  auto [name, value] = split_at_equals(token);
  if (value.empty()) return std::string(token);
  std::string out = fmt::format("{}=", name);
  for (size_t i = 0; i < value.size();) {
    size_t end = i;
    while (end < value.size() && is_word_char(value[end])) ++end;
    std::string_view run = value.substr(i, std::max<size_t>(end - i, 1));
    auto found = sizes.find(std::string(run));
    out += found == sizes.end() ? std::string(run) : std::to_string(found->second);
    i += run.size();
  }
  return out;
}

Result<std::vector<Dimension>> dimensions_of(const Words& words) {
  std::vector<Dimension> dimensions;
  for (const std::string& token : words.tokens) {
    if (!is_dimension(token)) continue;
    auto [name, range] = split_at_equals(token);
    Dimension dimension{.name = std::string(name)};
    std::istringstream in{std::string(range)};
    char dot = 0, dot2 = 0;
    in >> dimension.low >> dot >> dot2 >> dimension.high;
    if (!in || !in.eof() || dot != '.' || dot2 != '.' || dimension.low < 0 || dimension.low > dimension.high)
      return Error{fmt::format("{}: '{}' is no range of sizes", name, range), "write it as 17..97"};
    if (!std::isupper(static_cast<unsigned char>(name.front())))
      return Error{fmt::format("{}: names of drawn sizes start with a capital", name), ""};
    dimensions.push_back(dimension);
  }
  return dimensions;
}

Result<CaseText> parse_case_text(const Words& words) {
  CaseText parsed;
  parsed.stage = words.stage;
  auto dimensions = dimensions_of(words);
  if (!dimensions) return dimensions.error();
  parsed.dimensions = *dimensions;
  for (const std::string& token : words.tokens) {
    if (is_dimension(token)) continue;
    if (token == "*") {
      if (parsed.has_star) return Error{"'*' stands twice", ""};
      parsed.has_star = true;
      continue;
    }
    if (token == "raises") {
      parsed.raises = true;
      continue;
    }
    auto [name, text] = split_at_equals(token);
    if (name.empty() || text.empty()) return Error{fmt::format("'{}' is not of the form name=value", token), ""};
    for (const CaseField& earlier : parsed.fields)
      if (earlier.name == name) return Error{fmt::format("{}: given twice", name), ""};
    ValueParser parser(text);
    FieldValue value = parser.parse();
    if (!parser.problem().empty()) return Error{fmt::format("{}: {} in '{}'", name, parser.problem(), text), ""};
    parsed.fields.push_back({std::string(name), std::move(value), parsed.has_star});
  }
  return parsed;
}

std::string print_case(const Words& words) {
  std::string line = fmt::format("{}:", name(words.stage));
  for (const std::string& token : words.tokens) line += " " + token;
  return line;
}

}  // namespace kbx

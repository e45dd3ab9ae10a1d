#include "train/forms.hpp"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

namespace mha {
namespace {

struct FormText {
  Language language;
  std::string_view text;
};

// Words stand for themselves, capitals for a role, [a|b] for a, b or nothing. The optional words see to it that nobody
// can find a partner by counting places.
constexpr std::array kFormTexts = std::to_array<FormText>({
    {Language::chinese,
     "[昨天|今天|刚才] GIVER [悄悄|马上] 把 [新鲜 的] THING VERB [了] [朋友] RECEIVER [PURPOSE] [，] "
     "因为 PRONOUN [不|真的|已经] CAUSE 了 。"},
    {Language::chinese,
     "[昨天|今天|刚才] [新鲜 的] THING 被 GIVER [悄悄|马上] VERB [了] [朋友] RECEIVER [PURPOSE] [，] "
     "因为 PRONOUN [不|真的|已经] CAUSE 了 。"},
    {Language::chinese,
     "因为 PRONOUN [不|真的|已经] CAUSE 了 ， "
     "GIVER [悄悄|马上] 把 [新鲜 的] THING VERB [了] [朋友] RECEIVER [PURPOSE] 。"},
    {Language::english,
     "[Yesterday|Today] GIVER [quietly|at once] VERB the [fresh] THING to [our friend] RECEIVER [to PURPOSE] "
     "because PRONOUN was [no longer|really|already] CAUSE ."},
    {Language::english,
     "[Yesterday|Today] GIVER [quietly|at once] VERB [our friend] RECEIVER the [fresh] THING [to PURPOSE] "
     "because PRONOUN was [no longer|really|already] CAUSE ."},
    {Language::english,
     "Because PRONOUN was [no longer|really|already] CAUSE , "
     "GIVER [quietly|at once] VERB the [fresh] THING to [our friend] RECEIVER [to PURPOSE] ."},
});

constexpr std::array<std::pair<std::string_view, Role>, 7> kRoleNames = {{{"GIVER", Role::giver},
                                                                          {"RECEIVER", Role::receiver},
                                                                          {"THING", Role::thing},
                                                                          {"VERB", Role::verb},
                                                                          {"PURPOSE", Role::purpose},
                                                                          {"PRONOUN", Role::pronoun},
                                                                          {"CAUSE", Role::cause}}};

Symbol symbol(std::string_view name) {
  const auto role = std::ranges::find(kRoleNames, name, &std::pair<std::string_view, Role>::first);
  if (role != kRoleNames.end()) return {role->second, kOpen};
  const std::int32_t word = place_of(name);
  assert(word != kOutOfVocabulary);
  for (const Role fixed : {Role::because, Role::negation}) {
    if (may_play(kind_of(word), fixed)) return {fixed, word};
  }
  return {Role::none, word};
}

/// Cuts `text` at every `mark`.
std::vector<std::string_view> cut(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(mark); end != std::string_view::npos; end = text.find(mark)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

Symbols symbols(std::string_view text) {
  Symbols made;
  for (const std::string_view name : cut(text, ' ')) made.push_back(symbol(name));
  return made;
}

Form compiled(const FormText& form) {
  Form made{form.language, {}};
  for (std::string_view rest = form.text; !rest.empty();) {
    const bool optional = rest.front() == '[';
    const std::size_t end = std::min(rest.find(optional ? ']' : ' '), rest.size());
    Item item;
    if (optional) {
      item.emplace_back();
      for (const std::string_view choice : cut(rest.substr(1, end - 1), '|')) item.push_back(symbols(choice));
    } else {
      item.push_back(symbols(rest.substr(0, end)));
    }
    made.items.push_back(std::move(item));
    rest.remove_prefix(std::min(rest.find_first_not_of(' ', end + (optional ? 1 : 0)), rest.size()));
  }
  return made;
}

Rules made_rules() {
  Rules made;
  for (const FormText& form : kFormTexts) made.forms.push_back(compiled(form));
  for (std::size_t word = 0; word < words().size(); ++word) {
    for (std::size_t role = 0; role < kRoles; ++role) {
      if (!may_play(words()[word].kind, static_cast<Role>(role))) continue;
      made.players[static_cast<std::size_t>(words()[word].language)][role].push_back(static_cast<std::int32_t>(word));
    }
  }
  return made;
}

}  // namespace

Kind kind_of(std::int32_t word) { return words()[static_cast<std::size_t>(word)].kind; }

bool may_play(Kind kind, Role role) {
  switch (role) {
    case Role::giver:
    case Role::receiver: return kind == Kind::man || kind == Kind::woman;
    case Role::thing: return kind == Kind::food || kind == Kind::drink;
    case Role::verb: return kind == Kind::hand;
    case Role::purpose: return kind == Kind::eat || kind == Kind::sip || kind == Kind::taste;
    case Role::because: return kind == Kind::because;
    case Role::pronoun: return kind == Kind::he || kind == Kind::she;
    case Role::negation: return kind == Kind::negation;
    case Role::cause: return kind == Kind::hungry || kind == Kind::thirsty || kind == Kind::full || kind == Kind::mood;
    case Role::none: break;
  }
  return false;
}

const Rules& rules() {
  static const Rules made = made_rules();
  return made;
}

}  // namespace mha

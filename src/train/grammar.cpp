#include "train/grammar.hpp"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>
#include <vector>

#include "train/dice.hpp"

namespace mha {
namespace {

constexpr std::int32_t kHeldOutOneIn = 5;
// Found by trying one number after another: with this one the lesson's sentences, and those in which the meaning
// decides, are held out in both languages.
constexpr std::uint32_t kSplitSeed = 17282;

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

constexpr std::int32_t kOpen = -1;  // a symbol whose word is not fixed by the form

/// One place of a form. A role without a fixed word is filled with one that may play it.
struct Symbol {
  Role role = Role::none;
  std::int32_t word = kOpen;
};

using Symbols = std::vector<Symbol>;
/// A choice of the form; what is not optional has one alternative, what is has the empty one first.
using Item = std::vector<Symbols>;

struct Form {
  Language language;
  std::vector<Item> items;
};

Kind kind_of(std::int32_t word) { return words()[static_cast<std::size_t>(word)].kind; }

/// What a word of this kind can be in a sentence. People can be two things; a form says which.
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
    case Role::cause:
      return kind == Kind::hungry || kind == Kind::thirsty || kind == Kind::full || kind == Kind::mood;
    case Role::none: break;
  }
  return false;
}

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

/// The forms of both languages, and which words may play which role in which language: made once.
struct Rules {
  std::vector<Form> forms;
  std::array<std::array<std::vector<std::int32_t>, kRoles>, 2> players;

  Rules() {
    for (const FormText& form : kFormTexts) forms.push_back(compiled(form));
    for (std::size_t word = 0; word < words().size(); ++word) {
      for (std::size_t role = 0; role < kRoles; ++role) {
        if (!may_play(words()[word].kind, static_cast<Role>(role))) continue;
        players[static_cast<std::size_t>(words()[word].language)][role].push_back(static_cast<std::int32_t>(word));
      }
    }
  }
};

const Rules& rules() {
  static const Rules made;
  return made;
}

void append(Sentence& sentence, Role role, std::int32_t word) {
  if (role != Role::none) sentence.places[static_cast<std::size_t>(role)] = sentence.length;
  sentence.words[static_cast<std::size_t>(sentence.length++)] = word;
}

// --- what fits what ---------------------------------------------------------------------------------------------------

bool purpose_fits(const Sentence& sentence) {
  if (!sentence.has(Role::purpose)) return true;
  const Kind purpose = sentence.word(Role::purpose).kind;
  return purpose == Kind::taste || (purpose == Kind::eat) == (sentence.word(Role::thing).kind == Kind::food);
}

bool cause_fits(const Sentence& sentence) {
  const Kind cause = sentence.word(Role::cause).kind;
  if (cause == Kind::mood) return true;
  if (cause == Kind::full && sentence.has(Role::negation)) return false;
  return (cause == Kind::thirsty) == (sentence.word(Role::thing).kind == Kind::drink);
}

bool same_gender(const Sentence& sentence) {
  return sentence.word(Role::giver).kind == sentence.word(Role::receiver).kind;
}

bool pronoun_fits(const Sentence& sentence, Role person) {
  return (sentence.word(Role::pronoun).kind == Kind::he) == (sentence.word(person).kind == Kind::man);
}

/// Whom the cause suggests: who wants something gets it, who does not gives it away. Role::none: nobody.
Role meant(const Sentence& sentence) {
  const Kind cause = sentence.word(Role::cause).kind;
  if (cause == Kind::mood) return Role::none;
  return cause == Kind::full || sentence.has(Role::negation) ? Role::giver : Role::receiver;
}

/// Whom the pronoun means: gender decides, else the meaning. Role::none: nobody can tell.
Role antecedent(const Sentence& sentence) {
  if (!same_gender(sentence)) return pronoun_fits(sentence, Role::giver) ? Role::giver : Role::receiver;
  return pronoun_fits(sentence, Role::giver) ? meant(sentence) : Role::none;
}

// --- writing ----------------------------------------------------------------------------------------------------------

/// A form with its optional words chosen; roles are still open.
Sentence draw_form(Dice& dice) {
  Sentence sentence;
  sentence.places.fill(kAbsent);
  sentence.language = dice.below(2) == 0 ? Language::chinese : Language::english;
  const Form* form = nullptr;
  do {
    form = &rules().forms[dice.below(rules().forms.size())];
  } while (form->language != sentence.language);
  for (const Item& item : form->items) {
    const bool left_out = item.size() > 1 && dice.below(2) == 0;
    const Symbols& chosen = item.size() == 1 ? item[0] : left_out ? item[0] : item[1 + dice.below(item.size() - 1)];
    for (const Symbol& symbol : chosen) append(sentence, symbol.role, symbol.word);
  }
  return sentence;
}

/// A word for a role, drawn again until it fits.
template <typename Fits>
void fill(Sentence& sentence, Role role, Dice& dice, Fits&& fits) {
  if (!sentence.has(role)) return;
  const auto& players = rules().players[static_cast<std::size_t>(sentence.language)][static_cast<std::size_t>(role)];
  do {
    sentence.words[static_cast<std::size_t>(sentence.place(role))] = players[dice.below(players.size())];
  } while (!fits());
}

void fill_roles(Sentence& sentence, Clue clue, Dice& dice) {
  const auto always = [] { return true; };
  fill(sentence, Role::giver, dice, always);
  fill(sentence, Role::receiver, dice, [&] {
    return &sentence.word(Role::giver) != &sentence.word(Role::receiver) &&
           same_gender(sentence) == (clue == Clue::meaning);
  });
  fill(sentence, Role::thing, dice, always);
  fill(sentence, Role::verb, dice, always);
  fill(sentence, Role::purpose, dice, [&] { return purpose_fits(sentence); });
  fill(sentence, Role::cause, dice, [&] {
    return cause_fits(sentence) && (clue == Clue::gender || meant(sentence) != Role::none);
  });
  sentence.antecedent = clue != Clue::gender ? meant(sentence) : dice.below(2) == 0 ? Role::giver : Role::receiver;
  fill(sentence, Role::pronoun, dice, [&] { return pronoun_fits(sentence, sentence.antecedent); });
}

// --- reading ----------------------------------------------------------------------------------------------------------

bool is_sensible(const Sentence& sentence) {
  return &sentence.word(Role::giver) != &sentence.word(Role::receiver) && purpose_fits(sentence) &&
         cause_fits(sentence) && antecedent(sentence) != Role::none;
}

bool matches(const Symbol& symbol, std::int32_t word, Language language) {
  if (symbol.word != kOpen) return symbol.word == word;
  return words()[static_cast<std::size_t>(word)].language == language && may_play(kind_of(word), symbol.role);
}

/// Whether the tokens from sentence.length on are what the items from `item` on allow; then `sentence` is all of them.
bool read_items(const Form& form, std::size_t item, std::span<const std::int32_t> tokens, Sentence& sentence) {
  const auto read = static_cast<std::size_t>(sentence.length);
  if (item == form.items.size()) return read == tokens.size() && is_sensible(sentence);
  for (const Symbols& choice : form.items[item]) {
    if (choice.size() > tokens.size() - read) continue;
    Sentence longer = sentence;
    bool fits = true;
    for (std::size_t i = 0; i < choice.size() && fits; ++i) {
      fits = matches(choice[i], tokens[read + i], form.language);
      append(longer, choice[i].role, tokens[read + i]);
    }
    if (fits && read_items(form, item + 1, tokens, longer)) {
      sentence = longer;
      return true;
    }
  }
  return false;
}

}  // namespace

const Word& Sentence::word(Role role) const {
  return mha::words()[static_cast<std::size_t>(words[static_cast<std::size_t>(place(role))])];
}

Sentence draw_sentence(Stream stream, Clue clue, Split split) {
  Dice dice(stream);
  for (;;) {
    Sentence sentence = draw_form(dice);
    fill_roles(sentence, clue, dice);
    if (split_of(sentence) == split) return sentence;
  }
}

Split split_of(const Sentence& sentence) {
  std::uint64_t key = stream(kSplitSeed, "held out").key;
  for (const Role role : {Role::giver, Role::receiver, Role::thing, Role::pronoun, Role::cause}) {
    key = bits({key}, static_cast<std::uint64_t>(sentence.words[static_cast<std::size_t>(sentence.place(role))]));
  }
  return key % kHeldOutOneIn == 0 ? Split::held_out : Split::train;
}

std::optional<Sentence> read_sentence(std::span<const std::int32_t> tokens) {
  if (tokens.empty() || tokens.size() > static_cast<std::size_t>(kMaxSentenceWords)) return std::nullopt;
  const auto count = static_cast<std::int32_t>(words().size());
  if (std::ranges::any_of(tokens, [&](std::int32_t token) { return token < 0 || token >= count; })) return std::nullopt;
  for (const Form& form : rules().forms) {
    Sentence sentence;
    sentence.language = form.language;
    sentence.places.fill(kAbsent);
    if (!read_items(form, 0, tokens, sentence)) continue;
    sentence.antecedent = antecedent(sentence);
    return sentence;
  }
  return std::nullopt;
}

bool has_clue(const Sentence& sentence, Clue clue) {
  switch (clue) {
    case Clue::gender: return !same_gender(sentence);
    case Clue::meaning: return same_gender(sentence);
    case Clue::both: return !same_gender(sentence) && meant(sentence) == sentence.antecedent;
  }
  return false;
}

}  // namespace mha

#include "train/grammar.hpp"

#include <algorithm>

#include "train/dice.hpp"
#include "train/forms.hpp"

namespace mha {
namespace {

constexpr std::int32_t kHeldOutOneIn = 5;
// Found by trying one number after another: with this one the lesson's sentences, and those in which the meaning
// decides, are held out in both languages.
constexpr std::uint32_t kSplitSeed = 17282;

void append(Sentence& sentence, Role role, std::int32_t word) {
  if (role != Role::none) sentence.places[static_cast<std::size_t>(role)] = sentence.length;
  sentence.words[static_cast<std::size_t>(sentence.length++)] = word;
}

// --- what fits what
// ---------------------------------------------------------------------------------------------------

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

// --- writing
// ----------------------------------------------------------------------------------------------------------

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
  fill(sentence, Role::cause, dice,
       [&] { return cause_fits(sentence) && (clue == Clue::gender || meant(sentence) != Role::none); });
  sentence.antecedent = clue != Clue::gender ? meant(sentence) : dice.below(2) == 0 ? Role::giver : Role::receiver;
  fill(sentence, Role::pronoun, dice, [&] { return pronoun_fits(sentence, sentence.antecedent); });
}

// --- reading
// ----------------------------------------------------------------------------------------------------------

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

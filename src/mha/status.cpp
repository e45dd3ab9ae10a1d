#include "mha/status.hpp"

namespace mha {
namespace {

std::string sentence(Status status) {
  switch (status) {
    case Status::ok: return "no error";
    case Status::tokens_out_of_range: return "the number of tokens must be 1 to " + std::to_string(kMaxTokens);
    case Status::model_dim_out_of_range: return "the model dimension must be 1 to " + std::to_string(kMaxModelDim);
    case Status::heads_out_of_range: return "the number of heads must be 1 to " + std::to_string(kMaxHeads);
    case Status::kv_heads_not_a_divisor: return "the number of key/value heads must divide the number of heads";
    case Status::head_dim_out_of_range:
      return "the head dimension must be 1 to " + std::to_string(kMaxModelDim) +
             ", and heads times head dimension at most " + std::to_string(kMaxWidth);
    case Status::too_large:
      return "a tensor, or all tensors of a pass together, would need too much memory (a tensor may have " +
             std::to_string(kMaxFloats) + " numbers); use fewer tokens or heads";
    case Status::out_of_memory: return "out of memory; use fewer tokens or a smaller model dimension";
    case Status::wrong_size: return "the number of elements does not match the shape";
    case Status::not_finite: return "a number is NaN or infinite; only a mask may hold -inf";
    case Status::overflow: return "a computed number is too large for float; use smaller inputs or parameters";
    case Status::bad_scale: return "the scale must be a finite number";
    case Status::no_such_cell: return "there is no such cell in this pass";
    case Status::not_loaded: return "no parameters of these sizes are loaded";
    case Status::bad_text: return "every token must be non-empty UTF-8 text";
    case Status::bad_gate: return "there must be one finite number per head, or none at all";
    case Status::bad_padding: return "the padding must be 0 to the number of keys";
    case Status::vocabulary_out_of_range:
      return "the vocabulary must have 1 to " + std::to_string(kMaxVocabulary) + " words";
    case Status::layers_out_of_range: return "the number of layers must be 1 to " + std::to_string(kMaxLayers);
    case Status::slots_out_of_range: return "the number of slots must be 1 to " + std::to_string(kMaxSlots);
    case Status::bad_learning_rate:
      return "the learning rate and the scale of the starting weights must be positive, finite numbers";
    case Status::bad_batch:
      return "the sentences must be made of the model's words and places, ask for its slots, and ask at least once";
    case Status::diverged:
      return "training diverged: a number became infinite or NaN; the state before it is kept; use a smaller learning "
             "rate";
    case Status::bad_model: return "the file must be a model that this project has written, of the sizes asked for";
    case Status::unknown_word: return "every token must be a word of the model's vocabulary";
    case Status::too_many_words: return "there are more tokens than the model has positions";
  }
  return "unknown status";
}

/// What the index is of.
std::string_view concerned(const Outcome& outcome) {
  if (outcome.status == Status::bad_gate) return "head_gate";
  if (outcome.status == Status::unknown_word) return "token";
  return outcome.tensor == Tensor::count ? "" : info(outcome.tensor).name;
}

}  // namespace

std::string message(const Outcome& outcome) {
  std::string place;
  if (const std::string_view what = concerned(outcome); !what.empty()) {
    place = what;
    if (outcome.index[0] >= 0) {
      place += '[';
      for (std::size_t axis = 0; axis < outcome.index.size() && outcome.index[axis] >= 0; ++axis) {
        if (axis > 0) place += ", ";
        place += std::to_string(outcome.index[axis]);
      }
      place += ']';
    }
    place += ": ";
  }
  return place + sentence(outcome.status);
}

}  // namespace mha

// A value or the reason why there is none. std::expected is C++23.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace mha {

/// One English sentence without a final stop: which field, what is wrong, what is allowed. It names no file: whoever
/// knows the path puts it in front.
struct Error {
  std::string message;
};

/// Result<Nothing>: a step that only succeeds or fails.
struct Nothing {};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor): so that `return x;` works
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  /// Precondition: ok().
  [[nodiscard]] T& value() { return *std::get_if<0>(&state_); }
  [[nodiscard]] const T& value() const { return *std::get_if<0>(&state_); }
  /// Precondition: !ok().
  [[nodiscard]] const Error& error() const { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace mha

// Sorting where nobody is in a hurry, but every reader of the page waits for the code of it.
#pragma once

#include <algorithm>
#include <functional>
#include <span>

namespace mha {

/// Ascending, by a heap: a fifth of the code of std::sort. Equal elements may change places.
template <class Element, class Less = std::less<>>
void small_sort(std::span<Element> elements, Less less = {}) {
  std::make_heap(elements.begin(), elements.end(), less);
  std::sort_heap(elements.begin(), elements.end(), less);
}

}  // namespace mha

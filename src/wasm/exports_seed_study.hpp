// The study of many seeds as the page sees it: the same rules as in exports.hpp. One study at a time, beside the runs
// of exports_training.hpp.
#pragma once

#include <cstdint>

#include "wasm/exports.hpp"

extern "C" {

/// Begins a study anew. `settings`: a kRunSettings record, its heads are not read; `heads`: `count` numbers; `plan`: a
/// kSeedPlan record. Errors: no_such_cell: no such task or language; as SeedStudy::start. After an error no study is
/// open.
MHA_EXPORT(mha_study_open)
std::int32_t mha_study_open(const double* settings, const std::int32_t* heads, std::int32_t count, const double* plan);

/// Forgets the study and frees its memory. Without one nothing happens.
MHA_EXPORT(mha_study_close) std::int32_t mha_study_close();

/// `count` steps more; writes a kSeedProgress record. Errors: not_loaded; as SeedStudy::advance.
MHA_EXPORT(mha_study_advance) std::int32_t mha_study_advance(std::int32_t count, double* progress);

/// What is known so far, for every h of the plan. c of them, s seeds, r relations: summaries [c] (kSeedSummary
/// records); owned, alone, answered [c, r]; reached [c, s], by seeds; grouped [c, s] and groups [c, s, r]: in how many
/// runs each Grouping appeared, and which it is, as many as the summary says. What is not filled is kNever. Errors:
/// not_loaded.
MHA_EXPORT(mha_study_read)
std::int32_t mha_study_read(double* summaries, std::int32_t* owned, std::int32_t* alone, std::int32_t* answered,
                            std::int32_t* reached, std::int32_t* grouped, std::int32_t* groups);

}  // extern "C"

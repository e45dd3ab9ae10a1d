// Training as the page sees it: the same rules as in exports.hpp, in a module of its own, which whoever only reads the
// lesson never fetches. It also has mha_allocate, mha_release, mha_arch and mha_relaxed.
#pragma once

#include <cstdint>

#include "wasm/exports.hpp"

extern "C" {

/// Begins a run (0 … kMaxRuns − 1) anew, as a kRunSettings record says. Errors: not_loaded: no such run; no_such_cell:
/// no such task or seed; as Run::start. After an error no run is open under this id.
MHA_EXPORT(mha_run_open) std::int32_t mha_run_open(std::int32_t run, const double* settings);

/// Forgets a run and frees its memory. Errors: not_loaded: no such run.
MHA_EXPORT(mha_run_close) std::int32_t mha_run_close(std::int32_t run);

/// `count` steps more; writes a kRunProgress record, also if the run diverges meanwhile.
/// Errors: not_loaded; as ObservedRun::advance.
MHA_EXPORT(mha_run_advance) std::int32_t mha_run_advance(std::int32_t run, std::int32_t count, double* progress);

/// Which held-out sentences the run is measured by from now on: a Language, or −1 for both.
/// Errors: not_loaded; no_such_cell: no such language.
MHA_EXPORT(mha_run_listen) std::int32_t mha_run_listen(std::int32_t run, std::int32_t language);

/// What the run knows of held-out sentences: loss [1], accuracy [r], head_accuracy [l·h, r], states [l·h, r] (a
/// RoleState each), idle [l·h]. With switching = 0 the last stays as mha_run_measure last found it (at first: zeros).
/// Errors: not_loaded; as ObservedRun::measure.
MHA_EXPORT(mha_run_measure)
std::int32_t mha_run_measure(std::int32_t run, std::int32_t switching, double* loss, float* accuracy,
                             float* head_accuracy, std::int32_t* states, std::int32_t* idle);

/// The attention weights of one sentence of n words of the task's vocabulary, maps [l·h, n, n], and a kDilemma record.
/// Errors: not_loaded; as ObservedRun::show.
MHA_EXPORT(mha_run_show)
std::int32_t mha_run_show(std::int32_t run, const std::int32_t* words, std::int32_t n, float* maps, double* dilemma);

/// What held-out sentences say of the heads: heads [l·h] kHeadOff records; orders [2, l·h] and curves [2, l·h + 1]
/// kQuality records of pruning, first by I_h, then greedy. Errors: not_loaded; as ObservedRun::study_heads.
MHA_EXPORT(mha_run_study_heads)
std::int32_t mha_run_study_heads(std::int32_t run, double* heads, std::int32_t* orders, double* curves);

/// The same sentences with heads switched by gates [l·h], and with all on: loss [2]; accuracy [2, 1 + r], over all
/// questions and by relation (−1: nothing was asked). Errors: not_loaded; as ObservedRun::switch_heads.
MHA_EXPORT(mha_run_switch_heads)
std::int32_t mha_run_switch_heads(std::int32_t run, const float* gates, double* loss, double* accuracy);

/// Where each of `count` tokens stands in the vocabulary of a task, −1: nowhere. The text is as for mha_embed.
/// Errors: no_such_cell: no such task; bad_text.
MHA_EXPORT(mha_task_words)
std::int32_t mha_task_words(std::int32_t task, const char* text, const std::int32_t* offsets, std::int32_t count,
                            std::int32_t* words);

/// The first held-out sentence of a task in a Language (−1: any): up to `room` places in its vocabulary, and length[0],
/// how many there are. Errors: no_such_cell: no such task or language; too_large: there are more words than room.
MHA_EXPORT(mha_task_sentence)
std::int32_t mha_task_sentence(std::int32_t task, std::int32_t language, std::int32_t* words, std::int32_t room,
                               std::int32_t* length);

}  // extern "C"

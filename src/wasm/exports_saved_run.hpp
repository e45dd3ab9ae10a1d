// Runs as files: a part of the training module, as in exports_training.hpp.
#pragma once

#include <cstdint>

#include "wasm/exports.hpp"

extern "C" {

/// A run as a model file, as a kSaving record says: up to `room` bytes, and size[0], how many it has. What else is to
/// be said of it: `count` texts, key, value, key, …, as for mha_embed; none of them replaces what is measured.
/// Errors: not_loaded: no such run; no_such_cell: no such precision; bad_text; too_large: there is less room than
/// size[0] bytes, nothing is written; as save_run.
MHA_EXPORT(mha_run_save)
std::int32_t mha_run_save(std::int32_t run, const double* saving, const char* text, const std::int32_t* offsets,
                          std::int32_t count, std::uint8_t* file, std::uint32_t room, double* size);

/// Opens a file as a run (0 … kMaxRuns − 1) that goes on as a kRunSettings record says. Errors: as mha_run_open;
/// bad_model: no model file, or not of these settings' task and shape. After an error the run is as it was.
MHA_EXPORT(mha_run_restore)
std::int32_t mha_run_restore(std::int32_t run, const double* settings, const std::uint8_t* file, std::uint32_t bytes);

}  // extern "C"

// The core as the page sees it: plain C functions on flat memory. This is the only extern "C" of the project.
//
// Every buffer belongs to the caller, and nothing is kept between calls except the slabs given to mha_load. Records are
// arrays of int32 or double whose places are in boundary.hpp; slabs are arrays of float as Layout describes them, and
// their sizes come from mha_layout. Every function that can fail returns a Status, and those with an `outcome` also say
// where (a kOutcome record; null if not wanted). A Status that is not ok leaves the out buffers without meaning.
//
// What is checked of everything that comes in: shapes by validate(), enum values, layer ids, and pointers: null, not
// aligned to their element, or (in wasm) ending behind the memory is Status::wrong_size; a slab of more floats than
// kMaxSlabFloats, which nobody can have allocated, is too_large. That a buffer really is as large as its size says only
// the caller can know.
//
// The module has no start function but wants _initialize called once. Its memory may grow in any call: whoever holds a
// typed array over it must make a new one afterwards. A release build imports one function,
// env.emscripten_notify_memory_growth, which may do nothing.
#pragma once

#include <cstdint>

#if defined(__wasm__)
#define MHA_EXPORT(name) __attribute__((export_name(#name), used))
#else
#define MHA_EXPORT(name)
#endif

extern "C" {

/// `bytes` bytes on a 64-byte boundary, or null: out of memory, or bytes is 0 or above kMaxAllocation.
MHA_EXPORT(mha_allocate) void* mha_allocate(std::uint32_t bytes);

/// Gives back what mha_allocate gave. Null is allowed. The slab of a loaded layer must be unloaded first.
MHA_EXPORT(mha_release) void mha_release(void* block);

/// Writes the name of the SIMD architecture this build computes with, ASCII without a terminating zero, at most
/// `capacity` bytes. Returns the bytes of the whole name (0 if `text` is null).
MHA_EXPORT(mha_arch) std::int32_t mha_arch(char* text, std::int32_t capacity);

/// 1 if multiply-adds are relaxed (may round once instead of twice), else 0.
MHA_EXPORT(mha_relaxed) std::int32_t mha_relaxed();

/// The shape of self-attention as designed in 2017: m = n, g = h, k = d/h. Writes a kShape record.
/// Errors: as validate(Shape); head_dim_out_of_range also if h does not divide d.
MHA_EXPORT(mha_self_attention)
std::int32_t mha_self_attention(std::int32_t tokens, std::int32_t model_dim, std::int32_t heads, std::int32_t* shape);

/// Where the tensors of a slab are: `views` gets one kView record for every tensor of the table, in its order, and
/// `floats` the size of the slab. The views of an absent tensor are zeros.
/// Errors: as validate(Shape); no_such_cell: no such slab; too_large: the slab exceeds kMaxSlabFloats (not asked of
/// contributions: theirs is the layout of all heads, of which a caller holds a few).
MHA_EXPORT(mha_layout)
std::int32_t mha_layout(std::int32_t slab, const std::int32_t* shape, const std::int32_t* parts, std::int32_t* views,
                        double* floats);

/// Fills a parameters slab from the seed: random, without meaning, the same bits in every build. Biases are zeros.
MHA_EXPORT(mha_seed_parameters)
std::int32_t mha_seed_parameters(const std::int32_t* shape, const std::int32_t* parts, std::uint32_t seed,
                                 float* parameters);

/// Fills token_vectors, positions and x of an input slab; its other tensors are left alone. `text` holds the UTF-8 of
/// all tokens in one piece, token i is bytes offsets[i] … offsets[i + 1] − 1, so offsets has count + 1 entries of which
/// the first is 0. With positions_on = 0 the positions are zeros, and x is the token vectors.
/// Errors: wrong_size: count is not n; bad_text: a token is empty or not UTF-8, or the offsets do not ascend from 0.
MHA_EXPORT(mha_embed)
std::int32_t mha_embed(const std::int32_t* shape, const std::int32_t* parts, const char* text,
                       const std::int32_t* offsets, std::int32_t count, std::uint32_t seed, std::int32_t positions_on,
                       float* input);

/// Checks and packs the parameters of a layer (0 … kMaxLoadedLayers − 1). The slab must stay where it is until the
/// layer is loaded anew or unloaded. parts.biases says whether it holds biases. Of `shape`, d, h, g and k matter.
/// Errors: as Attention::load; not_loaded: no such layer id. After an error the layer is unloaded.
MHA_EXPORT(mha_load)
std::int32_t mha_load(std::int32_t layer, const std::int32_t* shape, const std::int32_t* parts, const float* parameters,
                      std::int32_t* outcome);

/// Forgets a layer and frees its panels. Errors: not_loaded: no such layer id.
MHA_EXPORT(mha_unload) std::int32_t mha_unload(std::int32_t layer);

/// The factor s that these options put on the scores, exactly as a pass uses it.
/// Errors: as validate(Shape); bad_scale: s is not finite, or no such kind of scale.
MHA_EXPORT(mha_scale)
std::int32_t mha_scale(const std::int32_t* shape, const double* options, double* factor);

/// One pass. `parts` says which optional tensors the input slab holds and the detail of the trace slab (its biases are
/// those of mha_load). head_gate is [h] or null: all 1. Errors: as Attention::forward.
MHA_EXPORT(mha_forward)
std::int32_t mha_forward(std::int32_t layer, const std::int32_t* shape, const std::int32_t* parts, const float* input,
                         const double* options, const float* head_gate, float* trace, std::int32_t* outcome);

/// contributions of heads first … first + count − 1 of a finished pass; `out` is [count, n, d].
/// Errors: as Attention::contributions.
MHA_EXPORT(mha_contributions)
std::int32_t mha_contributions(std::int32_t layer, const std::int32_t* shape, const std::int32_t* parts,
                               const float* trace, std::int32_t first, std::int32_t count, float* out,
                               std::int32_t* outcome);

/// The number of terms that mha_explain may write for this shape; 0 if the shape is not valid.
MHA_EXPORT(mha_max_terms) std::int32_t mha_max_terms(const std::int32_t* shape);

/// Explains one cell (a kCell record) of a finished pass: what is given is what mha_forward was given. Writes a
/// kExplanation record and mha_max_terms(shape) or fewer kTerm records, termCount of them.
/// Errors: as explain(); out_of_memory.
MHA_EXPORT(mha_explain)
std::int32_t mha_explain(std::int32_t layer, const std::int32_t* shape, const std::int32_t* parts, const float* input,
                         const double* options, const float* head_gate, const float* trace, const std::int32_t* cell,
                         std::int32_t largest, double* explanation, double* terms, std::int32_t* outcome);

/// by_head [h]: the contribution of each head to output[row, column]. Errors: as explain_by_head().
MHA_EXPORT(mha_explain_by_head)
std::int32_t mha_explain_by_head(std::int32_t layer, const std::int32_t* shape, const std::int32_t* parts,
                                 const float* input, const double* options, const float* head_gate, const float* trace,
                                 std::int32_t row, std::int32_t column, double* by_head, std::int32_t* outcome);

/// What one cell (a kCell record) goes into: `direct` and `reached` get up to kMaxRegions kRegion records each,
/// sizes[0] and sizes[1] say how many. Errors: as influence().
MHA_EXPORT(mha_influence)
std::int32_t mha_influence(std::int32_t layer, const std::int32_t* shape, const std::int32_t* parts, const float* input,
                           const double* options, const float* head_gate, const float* trace, const std::int32_t* cell,
                           std::int32_t* direct, std::int32_t* reached, std::int32_t* sizes, std::int32_t* outcome);

/// How much of a row of the output each head made: shares [h], and a kRowShares record. Errors: as row_shares().
MHA_EXPORT(mha_row_shares)
std::int32_t mha_row_shares(std::int32_t layer, const std::int32_t* shape, const std::int32_t* parts,
                            const float* input, const double* options, const float* head_gate, const float* trace,
                            std::int32_t row, double* shares, double* whole, std::int32_t* outcome);

/// One wide projection against a narrow one per head. role: the Tensor q, k or v. Writes a kComparison record.
/// Errors: as narrow_projection().
MHA_EXPORT(mha_narrow)
std::int32_t mha_narrow(std::int32_t layer, const std::int32_t* shape, const std::int32_t* parts, const float* input,
                        const double* options, const float* head_gate, const float* trace, std::int32_t role,
                        double* comparison, std::int32_t* outcome);

/// One tensor of two finished passes of one shape, number by number. `trace` and `other` are what mha_forward wrote.
/// Writes a kComparison record. Errors: no_such_cell: a trace does not hold that tensor.
MHA_EXPORT(mha_compare)
std::int32_t mha_compare(const std::int32_t* shape, const std::int32_t* parts, const float* trace, const float* other,
                         std::int32_t tensor, double* comparison, std::int32_t* outcome);

/// What a layer of a real model (its place in kModels) takes when it reads so many tokens. Writes a kCostAtScale
/// record. Errors: no_such_cell: no such model, or one whose kind is not heads; as validate_at_scale().
MHA_EXPORT(mha_at_scale_cost)
std::int32_t mha_at_scale_cost(std::int32_t model, std::int32_t tokens, double* cost);

/// Adds one head of such a layer to its output: heads 0 … h − 1 in this order, the first of which begins anew. `room`
/// is roomBytes of mha_allocate, which keeps everything between the calls; whoever gives up half way just releases it.
/// Errors: as mha_at_scale_cost; no_such_cell also for a head that is not there.
MHA_EXPORT(mha_at_scale_head)
std::int32_t mha_at_scale_head(std::int32_t model, std::int32_t tokens, std::uint32_t seed, std::int32_t head,
                               float* room);

/// The root mean square of the output so far. Errors: as mha_at_scale_cost.
MHA_EXPORT(mha_at_scale_rms)
std::int32_t mha_at_scale_rms(std::int32_t model, std::int32_t tokens, float* room, double* rms);

/// Checks this very build: a golden case (a whole file of tests/golden, see io/golden.hpp) goes through the fast pass,
/// and `deviations` gets one kDeviation record for every tensor of the table, in its order.
/// Errors: bad_text: the file is no golden case; as Attention::forward.
MHA_EXPORT(mha_check)
std::int32_t mha_check(const std::uint8_t* file, std::uint32_t bytes, double* deviations);

/// What a pass of this shape takes. Writes a kCost record. Errors: as validate(Shape).
MHA_EXPORT(mha_cost) std::int32_t mha_cost(const std::int32_t* shape, double* cost);

/// Does `rounds` rounds of multiply-adds on registers alone, for a measurement of the peak. Returns the floating-point
/// operations done, 0 if rounds < 1.
MHA_EXPORT(mha_peak) double mha_peak(std::int32_t rounds);

}  // extern "C"

// What the page lets a reader ask for. The core could do more (generated/tables.ts); these keep every figure readable.
export const maxTokens = 32
export const maxTokenLength = 24
export const maxTextLength = 1000
export const maxDModel = 1024
export const maxSeed = 4_294_967_295

/** No half of a surrogate pair: that is no character. String.isWellFormed says the same in newer browsers only. */
export const isWellFormed = (text: string): boolean => !/[\ud800-\udfff]/u.test(text)

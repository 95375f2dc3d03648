/** The o200k_base table, by itself so that it is bundled once and loaded when first needed. */
export { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Completion in state schemas: keywords, values, reference targets, required names, common shapes. */
import type { CompletionItem } from 'vscode-languageserver-types';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import type { Tools } from '../documents';

/** What completion needs of a document; `schema` is read only where an item depends on the whole document. */
export interface SchemaText {
  readonly uri: string;
  readonly text: string;
  readonly format: 'yaml' | 'json';
  schema(): Promise<StateSchema>;
}

export async function completeSchema(
  _document: SchemaText,
  _offset: number,
  _tools: Tools,
): Promise<readonly CompletionItem[]> {
  return [];
}

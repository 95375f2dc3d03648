/** `vscode:`: the language models that an editor has of its own. */
import { type Model, ModelFailure } from '../runtime/model';
import type { ModelResources } from './modelResources';
import type { NamedModel } from './registry';

/**
 * A language model of the editor's.
 *
 * @throws ModelFailure `unavailable` where there is no editor
 */
export function createEditorModel(
  { model }: NamedModel,
  name: string,
  { editorModels, settings }: ModelResources,
): Model {
  if (editorModels === undefined) {
    throw new ModelFailure(
      `The model ${name} is one of VS Code's own, which there are in VS Code alone: name another one.`,
      { class: 'unavailable', retryable: false },
    );
  }
  // A run that goes on does so with the model that its pattern came to.
  let chosen = settings?.editorModel ?? model;
  let found: Model['found'];
  return {
    name,
    get found() {
      return found;
    },
    async prepare(signal) {
      const { vendor, family, id } = await editorModels.find(chosen, signal);
      chosen = `${vendor}/${family}/${id}`;
      found = { editorModel: chosen };
    },
    generate: (request, signal) => editorModels.generate(chosen, request, signal, settings?.timeout),
  };
}

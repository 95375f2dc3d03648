/** A model in front of another one: it does what that does, but for what it is made for. */
import type { Model } from '../runtime/model';

/** Every member, so that one that is added to {@link Model} and not passed on here doesn't compile. */
type Members = { readonly [Name in keyof Required<Model>]: Model[Name] };

/** The model with another price, or with other answers, under its own name. */
export function wrappedModel(
  model: Model,
  { price, generate }: Partial<Pick<Model, 'price' | 'generate'>>,
): Model {
  const members: Members = {
    name: model.name,
    get price() {
      return price ?? model.price;
    },
    get found() {
      return model.found;
    },
    get without() {
      return model.without;
    },
    remarks: model.remarks?.bind(model),
    prepare: model.prepare?.bind(model),
    generate: generate ?? model.generate.bind(model),
  };
  return members;
}

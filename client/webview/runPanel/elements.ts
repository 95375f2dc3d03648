/** Elements of the page, made without markup: every text goes in by `textContent`. */
import type { Excerpt } from '../../../schemas/messages/runPanelMessages';

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string | undefined;

/** An HTML element. Attributes that are undefined or false are left out; true ones are empty. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  setAttributes(made, attributes);
  for (const child of children) if (child !== undefined) made.append(child);
  return made;
}

const svgNamespace = 'http://www.w3.org/2000/svg';

/** An SVG element. */
export function svgElement<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Node[]
): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS(svgNamespace, tag);
  setAttributes(made, attributes);
  made.append(...children);
  return made;
}

/** Undefined and false take an attribute away; true gives it without a value. */
export function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) target.removeAttribute(name);
    else target.setAttribute(name, value === true ? '' : String(value));
  }
}

/** A button that does something, and says what to who doesn't see it. */
export function button(
  label: string,
  act: () => void,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLButtonElement {
  const made = element(
    'button',
    { type: 'button', ...attributes },
    ...(children.length > 0 ? children : [label]),
  );
  if (children.length > 0) setAttributes(made, { 'aria-label': label, title: label });
  made.addEventListener('click', act);
  return made;
}

/** A text of a model, an environment or a skill: its direction is its own, and what stands around it keeps its place. */
export function foreign(text: string, attributes: Attributes = {}): HTMLElement {
  return element('bdi', { dir: 'auto', ...attributes }, text);
}

/** An excerpt; what is cut off is counted, and `open` shows the whole. */
export function excerpt(
  { text, characters }: Excerpt,
  { open, attributes = {} }: { readonly open?: () => void; readonly attributes?: Attributes } = {},
): HTMLElement {
  const made = element('span', { class: 'excerpt', ...attributes }, foreign(text));
  if (text.length >= characters) return made;
  const rest = `… ${characters.toLocaleString('en-US')} characters`;
  made.append(
    ' ',
    open === undefined
      ? element('span', { class: 'muted' }, rest)
      : button(`${rest}: open`, open, { class: 'link' }),
  );
  return made;
}

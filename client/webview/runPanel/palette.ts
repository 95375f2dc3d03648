/** The theme's colours as fixed values, for pictures that leave VS Code. */
import type { TokenPart } from '../../../schemas/messages/runPanelMessages';
import { svgElement } from './elements';
import type { MarkKind } from './graph/layout';
import type { Palette } from './graph/picture';

/** Reads the colours that the page's style sheet gives to the graph. */
export function themePalette(): Palette {
  // Hidden, so that it only has to be in the page to have computed styles.
  const probe = svgElement('svg', { class: 'graph-drawing probe', width: 0, height: 0 });
  document.body.append(probe);
  const paint = (className: string, property: 'fill' | 'stroke') => {
    const path = svgElement('path', { class: className });
    probe.append(path);
    return fixedColour(getComputedStyle(path)[property]);
  };
  try {
    const parts: Readonly<Record<TokenPart, string>> = {
      instructions: paint('part instructions', 'fill'),
      scaffold: paint('part scaffold', 'fill'),
      state: paint('part state', 'fill'),
      observation: paint('part observation', 'fill'),
      output: paint('part output', 'fill'),
    };
    const marks: Readonly<Record<MarkKind, string>> = {
      rejected: paint('mark rejected', 'stroke'),
      warned: paint('mark warned', 'fill'),
      fork: paint('mark fork', 'fill'),
    };
    return {
      background: fixedColour(getComputedStyle(document.body).backgroundColor),
      text: fixedColour(getComputedStyle(document.body).color),
      grid: paint('grid', 'stroke'),
      line: paint('total-line', 'stroke'),
      retried: paint('stripe', 'stroke'),
      parts,
      marks,
    };
  } finally {
    probe.remove();
  }
}

/** Any CSS colour, `color-mix()` results included, as `#rrggbb`, laid over the page's background where it is translucent. */
function fixedColour(colour: string): string {
  const canvas = document.createElement('canvas');
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext('2d');
  if (context === null) return colour;
  const background = getComputedStyle(document.body).backgroundColor;
  for (const fill of [background, colour]) {
    context.fillStyle = fill;
    context.fillRect(0, 0, 1, 1);
  }
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

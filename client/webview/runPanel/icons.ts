/** The page's few icons, drawn in the colour of the text around them. */
import { svgElement } from './elements';

/** Paths in a box of 16 by 16. */
const paths = {
  zoomIn: 'M7 3v8M3 7h8M10.5 10.5L14 14M7 1.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11z',
  zoomOut: 'M3.8 7h6.4M10.9 10.9L14.5 14.5M7 1.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11z',
  fit: 'M1.5 3v10M14.5 3v10M4 8h8M6 5.5L3.5 8L6 10.5M10 5.5L12.5 8L10 10.5',
  previous: 'M10 3L5 8L10 13',
  next: 'M6 3L11 8L6 13',
  graph: 'M1.5 14.5h13M3.5 14v-5M7 14v-9M10.5 14v-7M14 14v-11',
  table: 'M1.5 2.5h13v11h-13zM1.5 6h13M1.5 9.8h13M6 2.5v11',
  total: 'M1.5 13.5L6 10L9.5 7.5L14.5 2.5M1.5 14.5h13',
  follow:
    'M8 1.5v2.5M8 12v2.5M1.5 8h2.5M12 8h2.5M8 4a4 4 0 1 1 0 8a4 4 0 1 1 0-8zM8 7.5a.5 .5 0 1 1 0 1a.5 .5 0 1 1 0-1z',
  share: 'M3 8v6h10v-6M8 10.5v-9M5 4.2L8 1.5L11 4.2',
  step: 'M8 2v9M4.5 8L8 11.5L11.5 8M3 14h10',
} as const;

export type IconName = keyof typeof paths;

/** A decoration: what it means, the button around it says. */
export function icon(name: IconName): SVGElement {
  return svgElement(
    'svg',
    { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true', focusable: 'false' },
    svgElement('path', { d: paths[name] }),
  );
}

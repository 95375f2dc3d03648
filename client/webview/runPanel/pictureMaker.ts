/** Makes the files of an exported graph: the SVG, or a PNG of it at twice its size. */
import type { PictureFormat, RunOverview } from '../../../schemas/messages/runPanelMessages';
import type { PictureText } from './graph/picture';
import type { Viewport } from './graph/viewport';
import { count, counted, partNames, peakName, retriedName } from './texts';

/** Pixels of a PNG for one of the picture's. */
const scale = 2;

/** @returns the SVG's text, or a PNG's bytes in base64 */
export async function pictureData(svg: string, format: PictureFormat): Promise<string> {
  if (format === 'svg') return svg;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth * scale;
  canvas.height = image.naturalHeight * scale;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This window can make no PNG: export an SVG instead.');
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const address = canvas.toDataURL('image/png');
  return address.slice(address.indexOf(',') + 1);
}

/** What stands on a picture of the steps in view. */
export function pictureText(
  { skill, model, environment, trace }: RunOverview,
  view: Viewport,
  steps: number,
): PictureText {
  const first = Math.max(Math.floor(view.from), 0);
  const last = Math.min(Math.ceil(view.to), steps) - 1;
  const part = first > 0 || last < steps - 1 ? `, steps ${count(first)} to ${count(last)}` : '';
  return {
    title: `${skill ?? trace}: tokens of each step`,
    subtitle: [
      `${counted(steps, 'step')}${part}`,
      ...[environment, model].filter((name) => name !== undefined),
    ].join(' · '),
    legend: partNames,
    retried: retriedName,
    peaks: peakName,
    totals: 'running total',
    marks: { rejected: 'rejected', warned: 'warning' },
  };
}

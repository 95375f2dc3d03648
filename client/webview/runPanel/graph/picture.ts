/** The graph as a picture of its own: an SVG with its colours, fonts and legend in it. Free of the DOM. */
import { type TokenPart, tokenParts } from '../../../../schemas/messages/runPanelMessages';
import { type GraphContent, layOut, type MarkKind, markPaths } from './layout';

/** The colours of the theme, as any program that reads SVG knows them. */
export interface Palette {
  readonly background: string;
  readonly text: string;
  readonly grid: string;
  readonly line: string;
  readonly parts: Readonly<Record<TokenPart, string>>;
  readonly retried: string;
  readonly marks: Readonly<Record<MarkKind, string>>;
}

export interface PictureText {
  readonly title: string;
  readonly subtitle: string;
  readonly legend: Readonly<Record<TokenPart, string>>;
  readonly retried: string;
  /** Of bars of several steps: what stands behind them. */
  readonly peaks: string;
  readonly totals: string;
  /** What the marks below the axis say. */
  readonly marks: Readonly<Record<'rejected' | 'warned', string>>;
}

const markKinds = ['rejected', 'warned', 'fork'] as const satisfies readonly MarkKind[];

const legendMarks = ['rejected', 'warned'] as const;

/** About the most that a letter of the legend takes. */
const letterWidth = 6.5;

const headHeight = 74;
const margin = 16;

/** The whole picture; `content.size` is the size of the graph in it. */
export function graphPicture(content: GraphContent, text: PictureText, palette: Palette): string {
  const layout = layOut(content);
  const width = content.size.width + 2 * margin;
  const height = content.size.height + headHeight + margin;
  const { plot } = layout;
  const lines = layout.tokens.map(
    ({ at }) =>
      `<path d="M${plot.left} ${at}H${plot.right}" stroke="${palette.grid}" stroke-opacity="0.35" fill="none"/>`,
  );
  const label = (x: number, y: number, anchor: string, value: string) =>
    `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${palette.text}">${escaped(value)}</text>`;
  const labels = [
    ...layout.tokens.map(({ at, label: value }) => label(plot.left - 6, at + 4, 'end', value)),
    ...layout.totals.map(({ at, label: value }) => label(plot.right + 6, at + 4, 'start', value)),
    ...layout.steps.map(({ at, label: value }) => label(at, content.size.height - 3, 'middle', value)),
  ];
  const boxes = tokenParts.map((part) => `<path d="${layout.parts[part]}" fill="${palette.parts[part]}"/>`);
  const marks = layout.marks.map(
    ({ kind, x, y }) =>
      `<path transform="translate(${x} ${y})" d="${markPaths[kind]}" ${markPaint(kind, palette)}/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="11">`,
    `<title>${escaped(text.title)}</title>`,
    `<defs><pattern id="stripes" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" fill="${palette.retried}" fill-opacity="0.25"/><path d="M1.5 0V5" stroke="${palette.retried}" stroke-width="3"/></pattern></defs>`,
    `<rect width="${width}" height="${height}" fill="${palette.background}"/>`,
    `<text x="${margin}" y="24" font-size="15" font-weight="600" fill="${palette.text}">${escaped(text.title)}</text>`,
    `<text x="${margin}" y="42" fill="${palette.text}">${escaped(text.subtitle)}</text>`,
    legend(text, palette, { withPeaks: layout.peaks !== '', withLine: content.cumulative }),
    `<g transform="translate(${margin} ${headHeight})">`,
    ...lines,
    `<path d="${layout.peaks}" fill="${palette.text}" fill-opacity="0.16"/>`,
    ...boxes,
    `<path d="${layout.faint}" fill="${palette.text}" fill-opacity="0.15"/>`,
    `<path d="${layout.retried}" fill="url(#stripes)"/>`,
    `<path d="${layout.line}" stroke="${palette.line}" stroke-width="1.6" fill="none"/>`,
    `<path d="M${plot.left} ${plot.bottom}H${plot.right}" stroke="${palette.text}" fill="none"/>`,
    ...marks,
    ...markKinds.map((kind) => `<path d="${layout.markBoxes[kind]}" fill="${palette.marks[kind]}"/>`),
    ...labels,
    '</g></svg>',
  ].join('\n');
}

function legend(
  text: PictureText,
  palette: Palette,
  { withPeaks, withLine }: { readonly withPeaks: boolean; readonly withLine: boolean },
): string {
  let x = margin;
  const swatch = (fill: string, name: string, opacity = 1) => {
    const entry = `<rect x="${x}" y="53" width="10" height="10" fill="${fill}" fill-opacity="${opacity}"/><text x="${x + 15}" y="62" fill="${palette.text}">${escaped(name)}</text>`;
    x += 34 + name.length * letterWidth;
    return entry;
  };
  const entries = [
    ...tokenParts.map((part) => swatch(palette.parts[part], text.legend[part])),
    swatch('url(#stripes)', text.retried),
    ...(withPeaks ? [swatch(palette.text, text.peaks, 0.18)] : []),
    ...legendMarks.map((kind) => {
      const entry = `<path transform="translate(${x + 5} 58)" d="${markPaths[kind]}" ${markPaint(kind, palette)}/><text x="${x + 15}" y="62" fill="${palette.text}">${escaped(text.marks[kind])}</text>`;
      x += 34 + text.marks[kind].length * letterWidth;
      return entry;
    }),
  ];
  if (withLine) {
    entries.push(
      `<path d="M${x} 58h14" stroke="${palette.line}" stroke-width="1.6"/><text x="${x + 19}" y="62" fill="${palette.text}">${escaped(text.totals)}</text>`,
    );
  }
  return entries.join('');
}

function markPaint(kind: MarkKind, { marks }: Palette): string {
  return kind === 'rejected'
    ? `stroke="${marks[kind]}" stroke-width="1.6" fill="none"`
    : `fill="${marks[kind]}"`;
}

/** A text as XML 1.0 may hold it; characters that XML has no form for are left out. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

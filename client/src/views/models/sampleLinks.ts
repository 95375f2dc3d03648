/** Where the samples of a tried step stand in its text, of which there are requests to look at. Free of VS Code. */
import type { SamplingReport } from '../../../../schemas/messages/samplingMessages';

/** The number of a sample on a line: from 0, columns in UTF-16 units. */
export interface SampleLink {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Which of the report's models, from 0. */
  readonly model: number;
  /** The sample's number. */
  readonly sample: number;
}

/**
 * Finds the numbers in front of the samples: `Sample 3: …`, `Samples 1, 4: …`. What a model wrote stands in fences or behind
 * other words, and is none.
 *
 * @param text what {@link samplingText} makes of the report
 */
export function sampleLinks(text: string, { models }: SamplingReport): readonly SampleLink[] {
  const links: SampleLink[] = [];
  let model = -1;
  let fence: string | undefined;
  for (const [line, content] of text.split('\n').entries()) {
    if (fence !== undefined) {
      if (content === fence) fence = undefined;
      continue;
    }
    fence = /^`{3,}/.exec(content)?.[0];
    if (content.startsWith('## ')) model++;
    const head = /^Samples? (?=\d[\d, …]*: )/.exec(content)?.[0];
    if (head === undefined) continue;
    for (const { 0: digits, index } of content.slice(0, content.indexOf(':')).matchAll(/\d+/g)) {
      const sample = Number(digits);
      const report = models[model]?.samples.find(({ number }) => number === sample);
      if ((report?.requests ?? 0) > 0)
        links.push({ line, start: index, end: index + digits.length, model, sample });
    }
  }
  return links;
}

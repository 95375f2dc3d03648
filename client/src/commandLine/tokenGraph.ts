/** The token graph in text: a bar a step, split into what the prompt was made of and what came out. */

/** Tokens of one step, attempts added up. */
export interface StepTokens {
  readonly step: number;
  readonly instructions: number;
  readonly state: number;
  readonly observation: number;
  readonly scaffold: number;
  readonly output: number;
  readonly retries: number;
}

const parts = [
  { key: 'instructions', mark: '█', label: 'P' },
  { key: 'scaffold', mark: '▓', label: 'scaffold' },
  { key: 'state', mark: '▒', label: 'Σ' },
  { key: 'observation', mark: '░', label: 'O' },
  { key: 'output', mark: '=', label: 'output' },
] as const;

/**
 * Draws at most `rows` bars; where there are more steps, a bar is the average of several.
 *
 * @param width Characters that the longest bar may take.
 */
export function tokenGraph(steps: readonly StepTokens[], { rows = 25, width = 60 } = {}): readonly string[] {
  if (steps.length === 0) return [];
  const perBar = Math.ceil(steps.length / rows);
  const bars = Array.from({ length: Math.ceil(steps.length / perBar) }, (_, index) =>
    average(steps.slice(index * perBar, (index + 1) * perBar)),
  );
  const longest = Math.max(...bars.map(({ total }) => total), 1);
  const labelWidth = Math.max(...bars.map(({ label }) => label.length));
  const legend = parts.map(({ mark, label }) => `${mark} ${label}`).join('  ');
  return [
    `${' '.repeat(labelWidth + 3)}${legend}  ↻ retries`,
    ...bars.map(({ label, values, total, retries }) => {
      let drawn = 0;
      let sum = 0;
      let bar = '';
      for (const { key, mark } of parts) {
        sum += values[key];
        const end = Math.round((sum / longest) * width);
        bar += mark.repeat(end - drawn);
        drawn = end;
      }
      return `t ${label.padStart(labelWidth)} ${bar} ${Math.round(total)}${retries > 0 ? ` ↻${retries}` : ''}`;
    }),
  ];
}

function average(steps: readonly StepTokens[]) {
  const first = steps[0]?.step ?? 0;
  const last = steps.at(-1)?.step ?? first;
  const mean = (key: (typeof parts)[number]['key']) =>
    steps.reduce((sum, step) => sum + step[key], 0) / steps.length;
  const values = Object.fromEntries(parts.map(({ key }) => [key, mean(key)])) as Record<
    (typeof parts)[number]['key'],
    number
  >;
  return {
    label: first === last ? String(first) : `${first}–${last}`,
    values,
    total: Object.values(values).reduce((sum, value) => sum + value, 0),
    retries: steps.reduce((sum, step) => sum + step.retries, 0),
  };
}

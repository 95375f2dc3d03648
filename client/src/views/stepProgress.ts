/** What the debug adapter tells about a step outside the protocol, and how it reads. Free of VS Code. */

/** The name of the adapter's custom event. */
export const stepEvent = 'skill-state/step';

/** The body of {@link stepEvent}. */
export interface StepProgress {
  /** t, counted from 0. */
  readonly step: number;
  /** The size of Σ_t as the prompt has it, in bytes of UTF-8. */
  readonly stateBytes: number;
  /** The run's tokens so far, and whether a provider counted them or a tokenizer estimated. */
  readonly tokens: { readonly total: number; readonly source: string };
}

/** Whether an event's body is what it should be: any adapter may claim our type. */
export function isStepProgress(body: unknown): body is StepProgress {
  if (typeof body !== 'object' || body === null) return false;
  const { step, stateBytes, tokens } = body as Partial<Record<keyof StepProgress, unknown>>;
  return (
    typeof step === 'number' &&
    typeof stateBytes === 'number' &&
    typeof tokens === 'object' &&
    tokens !== null &&
    typeof (tokens as { total?: unknown }).total === 'number'
  );
}

/** The texts of the status bar item, its tooltip, and for screen readers. */
export function describeStep({ step, stateBytes, tokens }: StepProgress): {
  readonly label: string;
  readonly tooltip: string;
  readonly spoken: string;
} {
  const estimated = tokens.source === 'estimated';
  const total = tokens.total.toLocaleString('en-US');
  const bytes = stateBytes.toLocaleString('en-US');
  return {
    label: `$(debug-step-over) t=${step}  Σ ${bytes} B  ${estimated ? '≈' : ''}${total} tokens`,
    tooltip: `Step ${step}\nState: ${bytes} bytes\nTokens so far: ${total} (${tokens.source})`,
    spoken: `Skill step ${step}, state ${bytes} bytes, ${total} tokens ${tokens.source}`,
  };
}

/** How the status bar tells where a run stands. Free of VS Code. */
import type { StepProgress } from '../../../schemas/messages/debugMessages';

/** The texts of the status bar item, its tooltip, and for screen readers. */
export function describeProgress({ step, branch, live, stateBytes, tokens }: StepProgress): {
  readonly label: string;
  readonly tooltip: string;
  readonly spoken: string;
} {
  const estimated = tokens.source === 'estimated';
  const total = tokens.total.toLocaleString('en-US');
  const bytes = stateBytes.toLocaleString('en-US');
  const where = `${branch === 0 ? '' : ` of branch ${branch}`}${live ? '' : ', in the past'}`;
  return {
    label: `$(${live ? 'debug-step-over' : 'history'}) t=${step}  Σ ${bytes} B  ${estimated ? '≈' : ''}${total} tokens`,
    tooltip: `Step ${step}${where}\nState: ${bytes} bytes\nTokens so far: ${total} (${tokens.source})`,
    spoken: `Skill step ${step}${where}, state ${bytes} bytes, ${total} tokens ${tokens.source}`,
  };
}

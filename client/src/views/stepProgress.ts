/** How the status bar tells where a run stands. Free of VS Code. */
import type { StepProgress } from '../../../schemas/messages/debugMessages';
import { costText, sourceText, tokenCount, wholeNumber } from '../../../schemas/text/spending';
import { waitingText } from '../runtime/failureWords';

/** The texts of the status bar item, its tooltip, and for screen readers. */
export function describeProgress({ step, branch, live, waiting, stateBytes, tokens, cost }: StepProgress): {
  readonly label: string;
  readonly tooltip: string;
  readonly spoken: string;
} {
  const source = sourceText(tokens.source, tokens.estimated ?? tokens.total, tokens.byExtension);
  const total = wholeNumber(tokens.total);
  const spent =
    cost &&
    costText(
      { cost: cost.atLeast ? undefined : cost.dollars, knownCost: cost.dollars, costAtMost: cost.atMost },
      tokens.source,
    );
  const bytes = stateBytes.toLocaleString('en-US');
  const where = `${branch === 0 ? '' : ` of branch ${branch}`}${live ? '' : ', in the past'}`;
  const waits = waiting && waitingText(waiting);
  return {
    label:
      waits !== undefined
        ? `$(watch) t=${step}  ${waits}`
        : `$(${live ? 'debug-step-over' : 'history'}) t=${step}  Σ ${bytes} B  ${tokenCount(tokens.total, tokens.source)} tokens`,
    tooltip: [
      `Step ${step}${where}`,
      ...(waits === undefined ? [] : [`The model: ${waits}`]),
      `State: ${bytes} bytes`,
      `Tokens so far: ${total} (${source})`,
      ...(spent === undefined ? [] : [`Cost so far: ${spent}`]),
    ].join('\n'),
    spoken: [
      `Skill step ${step}${where}`,
      ...(waits === undefined ? [] : [waits]),
      `state ${bytes} bytes`,
      `${total} tokens ${source}`,
      ...(spent === undefined ? [] : [`cost ${spent}`]),
    ].join(', '),
  };
}

/** The actions that steps have chosen and not executed yet: at the tip of a run, or where one was interrupted. */
import type { ChainedRecord } from '../../../schemas/trace/trace';
import { defaultRunOptions } from './options';
import { parseReply } from './replyParser';

/** A reply that is read when somebody asks, or the action that a person put in its place. */
type Choice =
  | { readonly kind: 'reply'; readonly text: string }
  | { readonly kind: 'action'; readonly text: string };

export class ChosenActions {
  /** By the step's row. A step that executes its action, or whose reply is rejected, leaves. */
  readonly #choices = new Map<number, Choice>();

  /** Takes a record of a step. */
  add(row: number, record: ChainedRecord): void {
    switch (record.kind) {
      case 'attempt':
        this.#choices.set(row, { kind: 'reply', text: record.reply });
        return;
      case 'edit':
        if (record.target === 'action' && typeof record.value === 'string')
          this.#choices.set(row, { kind: 'action', text: record.value });
        return;
      case 'rejection':
      case 'intent':
      case 'outcome':
        this.#choices.delete(row);
        return;
      default:
        return;
    }
  }

  /** A step begins with what another one has had. */
  copy(from: number, to: number): void {
    const choice = this.#choices.get(from);
    if (choice) this.#choices.set(to, choice);
  }

  /** a_t as the step has it, whole; undefined where it has none, or has executed it. */
  get(row: number): string | undefined {
    const choice = this.#choices.get(row);
    if (choice === undefined || choice.kind === 'action') return choice?.text;
    const parsed = parseReply(choice.text, defaultRunOptions.limits);
    return parsed.ok ? parsed.reply.action : undefined;
  }
}

/** Colours for a terminal that has them; nothing says by colour alone what the text doesn't say too. */
import picocolors from 'picocolors';

export interface Paint {
  dim(text: string): string;
  bold(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  /** A line that starts with `+`, `-` or `~`. */
  change(text: string): string;
}

/** Whether an output is a terminal that has colours, and its user wants them (`NO_COLOR`, see no-color.org). */
export function showsColors(
  output: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  return output.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb';
}

/** @param enabled Usually what {@link showsColors} says. */
export function createPaint(enabled: boolean): Paint {
  const colors = picocolors.createColors(enabled);
  return {
    dim: colors.dim,
    bold: colors.bold,
    red: colors.red,
    yellow: colors.yellow,
    change(text) {
      if (text.startsWith('+')) return colors.green(text);
      if (text.startsWith('-')) return colors.red(text);
      return colors.cyan(text);
    },
  };
}

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

/** @param enabled Usually whether the output is a terminal; `NO_COLOR` (no-color.org) is the caller's to look at. */
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

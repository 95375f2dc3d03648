/** Which rows of a long list are to be in the page. Free of the DOM. */

export interface RowWindow {
  /** The first row that is drawn, and the one after the last. */
  readonly from: number;
  readonly to: number;
  /** Pixels of empty space above and below them. */
  readonly above: number;
  readonly below: number;
}

/** Rows that are drawn beyond what can be seen, so that scrolling a little shows no hole. */
const spare = 12;

/** Browsers lay out no element that is higher: in longer lists a pixel of scrolling is more than a pixel of rows. */
export const maxHeight = 8_000_000;

/** The rows to draw at a scroll position, all measures in pixels. */
export function rowWindow(list: {
  readonly rows: number;
  readonly rowHeight: number;
  readonly scrollTop: number;
  readonly height: number;
}): RowWindow {
  const { rows, rowHeight, scrollTop, height } = list;
  const whole = rows * rowHeight;
  const total = Math.min(whole, maxHeight);
  const visible = Math.ceil(height / rowHeight);
  const share = total <= height ? 0 : Math.min(Math.max(scrollTop / (total - height), 0), 1);
  const first =
    whole <= maxHeight
      ? Math.floor(Math.max(scrollTop, 0) / rowHeight)
      : Math.round(share * Math.max(rows - visible, 0));
  const from = Math.max(Math.min(first, rows - 1) - spare, 0);
  const to = Math.min(first + visible + spare, rows);
  const drawn = Math.max(to - from, 0) * rowHeight;
  const above =
    whole <= maxHeight
      ? from * rowHeight
      : Math.min(Math.max(scrollTop - (first - from) * rowHeight, 0), total - drawn);
  return { from, to: Math.max(to, from), above, below: Math.max(total - above - drawn, 0) };
}

/** The scroll position that shows a row, the present one where it can be seen. */
export function scrollTopFor(
  row: number,
  list: {
    readonly rows: number;
    readonly rowHeight: number;
    readonly scrollTop: number;
    readonly height: number;
  },
): number {
  const { rows, rowHeight, scrollTop, height } = list;
  const whole = rows * rowHeight;
  if (whole > maxHeight) {
    const visible = Math.ceil(height / rowHeight);
    const window = rowWindow(list);
    const first = Math.min(window.from + spare, rows);
    if (row >= first && row < first + visible - 2) return scrollTop;
    const share = Math.max(row - visible / 2, 0) / Math.max(rows - visible, 1);
    return Math.min(share, 1) * (maxHeight - height);
  }
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + height) return top + rowHeight - height;
  return scrollTop;
}

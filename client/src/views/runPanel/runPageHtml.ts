/** The document that the page's script fills. Free of VS Code, for its tests. */

export interface RunPageParts {
  /** Addresses of the script and the style sheet. */
  readonly script: string;
  readonly style: string;
  /** Where VS Code serves a webview's files from. */
  readonly source: string;
  /** What is behind it: the panel, or an editor. */
  readonly place: 'panel' | 'editor';
  /** A text that nobody can guess, new for each page. */
  readonly nonce: string;
}

/**
 * Nothing but our own script runs, nothing is fetched, and no markup but this is ever parsed. `data:` images are the
 * SVG that becomes a PNG.
 */
export function runPageHtml({ script, style, source, place, nonce }: RunPageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<title>Run</title>
</head>
<body class="in-${place}">
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}

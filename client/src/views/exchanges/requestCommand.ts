/** A request to a model as a command line that makes it once more; a key is read from its variable. Free of VS Code. */
import type { SentRequestBody } from '../../../../schemas/messages/exchangeMessages';
import { posixLiteral } from '../../../../schemas/text/shellLiteral';
import { serviceOrigins } from '../../models/services';

/** The variables that stand for keys in a request as it is kept. */
const keyVariable = /\$(?:OPENAI_API_KEY|GEMINI_API_KEY|GOOGLE_ACCESS_TOKEN)(?!\w)/;
const keyVariables = new RegExp(`(${keyVariable.source})`, 'g');

/** Headers that the client which makes the request writes itself. */
const ownHeaders = new Set(['accept-encoding', 'connection', 'content-length', 'host', 'transfer-encoding']);

/** Windows PowerShell takes it by a parameter alone, and no server needs it. */
const userAgent = 'user-agent';

/** Bodies beyond it are piped: Linux takes no argument over 128 KiB. */
const maxArgumentBytes = 100_000;

/** Whether a request went over HTTP: models of the editor's have no address. */
export function hasCommand({ url }: Pick<SentRequestBody, 'url'>): boolean {
  return /^https?:\/\//i.test(url);
}

/**
 * For POSIX shells (IEEE Std 1003.1, "Shell Command Language", 2.2 "Quoting"): bash, zsh, dash. The body that curl sends is
 * the request's, byte for byte.
 */
export function curlCommand({ method, url, headers, body }: SentRequestBody): string {
  const isPiped = new TextEncoder().encode(body).length > maxArgumentBytes;
  const isStream = /"stream"\s*:\s*true/.test(body) || url.includes('alt=sse');
  const parts = [
    `curl --request ${posixText(method)}`,
    ...(isStream ? ['--no-buffer'] : []),
    // Without it, curl reads brackets and braces of an address as patterns.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    posixText(url),
    ...sentHeaders(headers).map(
      ([name, value]) =>
        // A header without a value is written with a semicolon.
        `--header ${posixText(value.trim() === '' ? `${name};` : `${name}: ${value}`)}`,
    ),
    ...(body === '' ? [] : [isPiped ? '--data-binary @-' : `--data-raw ${posixLiteral(body)}`]),
  ];
  const command = parts.join(' \\\n  ');
  const note = keyNote({ url, headers });
  // Not by `#`: zsh takes that for a command where it is typed or pasted.
  return `${note === undefined ? '' : `: ${posixLiteral(note)}\n`}${isPiped ? `printf '%s' ${posixLiteral(body)} | ` : ''}${command}`;
}

/** The services that the variables of keys are named after. */
const ownServices: readonly string[] = Object.values(serviceOrigins);

/** Whose key a variable has to have, where it is another server's than its name says; undefined elsewhere. */
function keyNote({ url, headers }: Pick<SentRequestBody, 'url' | 'headers'>): string | undefined {
  const origin = /^https?:\/\/[^\s/?#]+/i.exec(url)?.[0].toLowerCase();
  const variable = Object.values(headers)
    .map((value) => keyVariable.exec(value)?.[0].slice(1))
    .find((name) => name === 'OPENAI_API_KEY' || name === 'GEMINI_API_KEY');
  if (origin === undefined || variable === undefined || ownServices.includes(origin)) return undefined;
  return `Set ${variable} to the key of ${origin} first.`;
}

/** For PowerShell 5 and later, whose own quoting doesn't let a program get every argument as it is written. */
export function powerShellCommand({ method, url, headers, body }: SentRequestBody): string {
  const sent = sentHeaders(headers).filter(([name]) => name.toLowerCase() !== userAgent);
  const isType = ([name]: readonly [string, string]) => name.toLowerCase() === 'content-type';
  const type = sent.find(isType)?.[1];
  const others = sent.filter((header) => !isType(header));
  const parts = [
    `Invoke-WebRequest -UseBasicParsing -Method ${powerShellText(method)} -Uri ${powerShellText(url)}`,
    `-Headers @{ ${others.map(([name, value]) => `${powerShellText(name)} = ${powerShellText(value)}`).join('; ')} }`,
    ...(type === undefined ? [] : [`-ContentType ${powerShellText(type)}`]),
    // As bytes: PowerShell 5 would send a text in Latin-1.
    ...(body === '' ? [] : [`-Body ([Text.Encoding]::UTF8.GetBytes(${powerShellLiteral(body)}))`]),
  ];
  const note = keyNote({ url, headers });
  return `${note === undefined ? '' : `# ${note}\n`}${parts.join(' `\n  ')}`;
}

/** @returns the fields of a header that a command repeats; names that are no names of HTTP are left out */
function sentHeaders(headers: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(headers).filter(
    ([name]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !ownHeaders.has(name.toLowerCase()),
  );
}

/** A text in which variables of keys stay variables. */
function posixText(text: string): string {
  if (!keyVariable.test(text)) return posixLiteral(text);
  // In double quotes these four are read by every shell, and `!` by an interactive one.
  if (!/["\\`!]/.test(text) && !text.replaceAll(keyVariables, '').includes('$')) return `"${text}"`;
  return text
    .split(keyVariables)
    .filter((part) => part !== '')
    .map((part) => (keyVariable.test(part) ? `"${part}"` : posixLiteral(part)))
    .join('');
}

function powerShellText(text: string): string {
  if (!keyVariable.test(text)) return powerShellLiteral(text);
  const parts = text.split(keyVariables).filter((part) => part !== '');
  const written = parts.map((part) =>
    keyVariable.test(part) ? `$env:${part.slice(1)}` : powerShellLiteral(part),
  );
  return `(${written.join(' + ')})`;
}

/** In single quotes; the typographic ones end such a text as well. */
function powerShellLiteral(text: string): string {
  return `'${text.replaceAll(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`;
}

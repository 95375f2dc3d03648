/** Parameters of requests as they arrive: what a route needs and doesn't find is the client's mistake, and told as such. */
import { ErrorCodes, ResponseError } from 'vscode-languageserver';
import { normalizeUri } from './uris';

/** Lenient where an answer is possible all the same: a position beyond the text is the text's end. */
const checks = {
  position: isPosition,
  positions: (value: unknown) => Array.isArray(value) && value.every(isPosition),
  range: (value: unknown) => isRecord(value) && isPosition(value.start) && isPosition(value.end),
  newName: (value: unknown) => typeof value === 'string',
  'context.includeDeclaration': (value: unknown) => typeof value === 'boolean',
  'context.diagnostics': (value: unknown) => Array.isArray(value) && value.every(isRecord),
  'context.only': (value: unknown) =>
    value === undefined || (Array.isArray(value) && value.every((kind) => typeof kind === 'string')),
  'options.tabSize': (value: unknown) => typeof value === 'number',
  previousResultIds: (value: unknown) =>
    Array.isArray(value) && value.every((one) => isRecord(one) && typeof one.uri === 'string'),
} as const satisfies Record<string, (value: unknown) => boolean>;

/** A parameter that a request can need, besides the document that most of them are about. */
export type ParameterName = keyof typeof checks;

/**
 * The URI, in the service's form, of the document that a request is about.
 *
 * @throws ResponseError InvalidParams (JSON-RPC 2.0, -32602), where that or one of the other parameters is missing or of
 * another type
 */
export function documentOf(params: unknown, needed: readonly ParameterName[]): string {
  const uri = valueAt(params, 'textDocument.uri');
  const normal = typeof uri === 'string' ? normalUri(uri) : undefined;
  if (normal === undefined) throw invalid('textDocument.uri');
  requireParameters(params, needed);
  return normal;
}

/** @throws ResponseError InvalidParams, likewise. */
export function requireParameters(params: unknown, needed: readonly ParameterName[]): void {
  for (const name of needed) if (!checks[name](valueAt(params, name))) throw invalid(name);
}

function valueAt(params: unknown, path: string): unknown {
  let value = params;
  for (const key of path.split('.')) value = isRecord(value) ? value[key] : undefined;
  return value;
}

function normalUri(uri: string): string | undefined {
  try {
    return normalizeUri(uri);
  } catch {
    return undefined; // its parser throws for what is no URI
  }
}

function invalid(name: string): ResponseError<void> {
  return new ResponseError(ErrorCodes.InvalidParams, `The request has no valid parameter ${name}.`);
}

function isPosition(value: unknown): boolean {
  return isRecord(value) && typeof value.line === 'number' && typeof value.character === 'number';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

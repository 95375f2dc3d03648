/** Google's error bodies (google.rpc.Status, https://google.aip.dev/193), read as what they say and no more. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';

export interface GoogleStatus {
  /** An HTTP status. */
  readonly code: number | undefined;
  /** Such as `INVALID_ARGUMENT`; empty where there is none. */
  readonly status: string;
  readonly message: string;
  /** Of an ErrorInfo: `API_KEY_INVALID`. */
  readonly reason: string | undefined;
  /** Of a RetryInfo, in milliseconds. */
  readonly retryDelay: number | undefined;
  /** The limits of a QuotaFailure that were reached. */
  readonly quotas: readonly { readonly id: string; readonly limit: string }[];
}

/** So many details are looked at. */
const maxDetails = 20;

/** Reads a body; undefined where it is no such error. A stream that is no event stream has its errors in an array. */
export function readGoogleStatus(body: string): GoogleStatus | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const first = Array.isArray(value) ? (value as readonly JsonValue[])[0] : value;
  const error = isJsonObject(first) ? ownProperty(first, 'error') : undefined;
  if (!isJsonObject(error)) return undefined;
  const details = objectsOf(error, 'details');
  const code = ownProperty(error, 'code');
  return {
    code: typeof code === 'number' ? code : undefined,
    status: textOf(error, 'status'),
    message: textOf(error, 'message'),
    reason: details.filter(isOf('ErrorInfo')).map((detail) => textOf(detail, 'reason'))[0],
    retryDelay: details.filter(isOf('RetryInfo')).map((detail) => duration(textOf(detail, 'retryDelay')))[0],
    quotas: details
      .filter(isOf('QuotaFailure'))
      .flatMap((detail) => objectsOf(detail, 'violations'))
      .map((violation) => ({ id: textOf(violation, 'quotaId'), limit: textOf(violation, 'quotaValue') })),
  };
}

function isOf(type: string): (detail: JsonObject) => boolean {
  return (detail) => textOf(detail, '@type') === `type.googleapis.com/google.rpc.${type}`;
}

function textOf(object: JsonObject, key: string): string {
  const value = ownProperty(object, key);
  return typeof value === 'string' ? value : '';
}

function objectsOf(object: JsonObject, key: string): readonly JsonObject[] {
  const value = ownProperty(object, key);
  return Array.isArray(value)
    ? (value as readonly JsonValue[]).slice(0, maxDetails).filter(isJsonObject)
    : [];
}

/** `3.5s` (google.protobuf.Duration as JSON) in milliseconds. */
function duration(text: string): number | undefined {
  const [, seconds] = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(text) ?? [];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}

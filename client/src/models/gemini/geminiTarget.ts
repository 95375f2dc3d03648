/** Where a Gemini model is: Google's public service, Vertex AI, or a gateway in front of them. */
import { ModelSettingFailure } from '../../runtime/model';
import { quoted } from '../../runtime/quotation';
import type { ModelSettings } from '../modelSettings';
import { isLoopback, serviceOrigins } from '../services';

export interface GeminiTarget {
  /** Without the version, which the library adds. */
  readonly baseUrl: string;
  /** Undefined leaves it to the library. */
  readonly apiVersion: string | undefined;
  readonly origin: string;
  /** How messages name it. */
  readonly server: string;
  /** Set on Vertex AI, which takes Google's application default credentials in place of a key. */
  readonly vertex: { readonly project: string; readonly location: string } | undefined;
}

/** What projects and locations look like; either becomes part of an address to which credentials are sent. */
const projectShape = /^[a-z0-9][a-z0-9.:-]*$/i;
const locationShape = /^[a-z0-9][a-z0-9-]*$/;

/** Locations that stand for several regions, whose hosts have another form. */
const multiRegions: ReadonlySet<string> = new Set(['us', 'eu']);

/** Makes the address of what the settings say. @throws ModelSettingFailure where they make none */
export function geminiTarget(settings: ModelSettings): GeminiTarget {
  const vertex = vertexOf(settings);
  const given = settings.baseUrl ?? (vertex && vertexUrl(vertex.location));
  const { url, version } = baseOf(given ?? serviceOrigins.gemini);
  if (vertex !== undefined && !isTrusted(url)) {
    throw wrong(
      `The base URL ${quoted(url.origin)} is none of Google's: the credentials for Vertex AI are sent to Google alone.`,
    );
  }
  return {
    baseUrl: url.href.replace(/\/+$/, ''),
    apiVersion: version,
    origin: url.origin,
    server: `${vertex === undefined ? 'Gemini' : 'Vertex AI'} at ${url.protocol === 'https:' ? url.host : url.origin}`,
    vertex,
  };
}

/**
 * A model's id as it stands in the address of a request.
 *
 * @throws ModelSettingFailure for one that would make another address of it
 */
export function geminiModelId(id: string, target: GeminiTarget): string {
  if (/^[\w@-][\w.@-]*(\/[\w@-][\w.@-]*)*$/.test(id) && !id.includes('..')) return id;
  const message = `${quoted(id)} is no model's id: ${target.server} has ids like gemini-2.5-flash.`;
  throw new ModelSettingFailure(message, 'no-such-model');
}

function vertexOf({ vertexProject, vertexLocation }: ModelSettings): GeminiTarget['vertex'] {
  if (vertexProject === undefined && vertexLocation === undefined) return undefined;
  if (vertexProject === undefined) {
    throw wrong(`The Vertex AI location ${quoted(vertexLocation ?? '')} needs a project: name that too.`);
  }
  const location = vertexLocation ?? 'global';
  if (!projectShape.test(vertexProject)) {
    throw wrong(`${quoted(vertexProject)} is no project of Google Cloud's: name it by its id.`);
  }
  if (!locationShape.test(location)) {
    throw wrong(
      `${quoted(location)} is no location of Vertex AI's: name one like us-central1, or none for global.`,
    );
  }
  return { project: vertexProject, location };
}

/** The hosts of Vertex AI, as its documentation on locations has them. */
function vertexUrl(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com';
  return multiRegions.has(location)
    ? `https://aiplatform.${location}.rep.googleapis.com`
    : `https://${location}-aiplatform.googleapis.com`;
}

/** Takes an address with the version at its end too, as some write it. */
function baseOf(text: string): { readonly url: URL; readonly version: string | undefined } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    // It isn't shown: a user name and a password may stand in it.
    throw wrong('The base URL has to look like https://host/path.');
  }
  if (url.username !== '' || url.password !== '') {
    throw wrong(
      `The base URL of ${quoted(url.origin)} has a user name or a password in it: leave them out, since it is recorded.`,
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw wrong(
      `The base URL of ${quoted(url.origin)} has a query or a fragment: leave it out, since it is recorded.`,
    );
  }
  const [, path = '', version] = /^(.*?)(?:\/(v\d\w*))?\/*$/.exec(url.pathname) ?? [];
  url.pathname = path;
  return { url, version };
}

function isTrusted({ protocol, hostname, href }: URL): boolean {
  if (isLoopback(href)) return true;
  return protocol === 'https:' && hostname.endsWith('.googleapis.com');
}

function wrong(message: string): ModelSettingFailure {
  return new ModelSettingFailure(message);
}

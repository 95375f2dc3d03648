/** The web-platform types the formats use, declared here because they are compiled without Node's and the DOM's. */

interface TextDecoder {
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string;
}

declare const TextDecoder: new (
  label?: string,
  options?: { fatal?: boolean; ignoreBOM?: boolean },
) => TextDecoder;

interface URL {
  readonly href: string;
}

declare const URL: new (url: string, base?: string) => URL;

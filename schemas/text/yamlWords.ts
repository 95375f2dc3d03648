/** Words that mean something in YAML. */

/** True for a word that some reader, of YAML 1.1 (bool, null, float) or 1.2 (10.3.2), takes for something else than a text. */
export function isYamlWord(text: string): boolean {
  return /^(?:y|n|yes|no|on|off|true|false|null|\.?nan|\.?inf)$/i.test(text);
}

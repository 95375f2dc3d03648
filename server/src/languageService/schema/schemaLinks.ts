/** References of a state schema that lead to other files, as links; the dialect's URL too. */
import type { DocumentLink } from 'vscode-languageserver-types';
import { URI, Utils } from 'vscode-uri';
import { walkSchema } from '../../../../schemas/state/schemaWalk';
import type { SourceNode } from '../../../../schemas/text/sourceTree';
import type { SchemaPage, Tools } from '../documents';

/** Only links that lead somewhere: a reference to a file that isn't there is a finding instead. */
export async function linksInSchema(page: SchemaPage, _tools: Tools): Promise<readonly DocumentLink[]> {
  const { schema, lines, text } = page;
  if (schema.source === undefined) return [];
  const links: DocumentLink[] = [];
  const add = ({ start, end }: SourceNode, target: string, tooltip: string) => {
    const quoted = end - start >= 2 && /["']/.test(text[start] ?? '');
    const range = quoted ? lines.rangeOf(start + 1, end - 1) : lines.rangeOf(start, end);
    if (range.start.line === range.end.line) links.push({ range, target, tooltip });
  };
  walkSchema(schema.source, schema.dialect, {
    keyword(keyword, { node }, kind) {
      const { value } = node;
      if (typeof value !== 'string' || (keyword !== '$schema' && kind !== 'reference')) return;
      if (/^https?:\/\//i.test(value)) add(node, value, 'Open in the browser');
      if (keyword !== '$ref' && keyword !== '$dynamicRef') return;
      const path = schema.resolveReference(value, schema.path)?.path;
      if (path !== undefined && path !== schema.path) add(node, uriOf(page, path), `Open ${path}`);
    },
  });
  return links.sort(
    (a, b) => a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character,
  );
}

/** A path as the page's schema has it: relative to the skill's folder or, without a skill, to the schema's own. */
function uriOf({ uri, model }: SchemaPage, path: string): string {
  return model?.uriOf(path) ?? Utils.joinPath(Utils.dirname(URI.parse(uri)), ...path.split('/')).toString();
}

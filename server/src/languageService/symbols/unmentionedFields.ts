/** Fields of the state that no instruction mentions: the model is shown them and doesn't know what they are for. */
import type { SchemaPage, Tools } from '../documents';
import type { Finding } from '../finding';
import { instructionWords } from './instructionWords';
import { nameParts } from './nameSlip';
import { type ProseProblemCode, proseProblems } from './proseProblems';
import { graphOf, type SchemaNode } from './schemaGraph';
import { isPartOf } from './symbolTable';

const maxFindings = 200;

/** Above this length instructions are looked through by whole words alone. */
const maxPhraseLength = 300_000;

/**
 * Findings in the schema of a skill. A field is mentioned by its path or by its bare name, in code, examples or
 * running text; what is below a field that isn't mentioned is not reported again.
 */
export async function findUnmentioned(
  page: SchemaPage,
  _tools: Tools,
): Promise<readonly Finding<ProseProblemCode>[]> {
  const { model } = page;
  if (model === undefined || !isPartOf(model, page)) return [];
  const { instructions, stateSchema: schema } = model.skill;
  const path = model.pathOf(page.uri);
  if (instructions === '' || schema.problems.some(({ severity }) => severity === 'error')) return [];
  const { all } = instructionWords(model);
  const lower = instructions.length <= maxPhraseLength ? instructions.toLowerCase() : undefined;
  const isMentioned = (name: string): boolean => {
    if (all.has(name.toLowerCase())) return true;
    const parts = nameParts(name);
    if (parts.length > 1 && parts.every((part) => all.has(part)))
      return lower?.includes(parts.join(' ')) === true || lower?.includes(parts.join('-')) === true;
    return /[^\p{L}\p{N}_$-]/u.test(name) && lower?.includes(name.toLowerCase()) === true;
  };
  const graph = graphOf(schema);
  const findings: Finding<ProseProblemCode>[] = [];
  const judged = new Set<string>();
  const seen = new Set<SchemaNode>();
  const pending: SchemaNode[] = [graph.root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (seen.has(node) || findings.length >= maxFindings) continue;
    seen.add(node);
    const unmentioned = new Set<SchemaNode | undefined>();
    for (const [name, declarations] of node.declared) {
      if (isMentioned(name)) continue;
      unmentioned.add(node.property(name));
      // Declarations that hold at once are one property's, whose first is told. (All that mean the same are not asked
      // for: that takes a walk over the whole schema.)
      const isJudged = declarations.some((declaration) => judged.has(declaration));
      for (const declaration of declarations) judged.add(declaration);
      const [first] = declarations;
      if (isJudged || first === undefined) continue;
      const place = schema.placeOf(first);
      if (place === undefined || place.path !== path) continue;
      const code = 'state.unmentioned-field';
      const message = `No instruction mentions ${name}; say in ${model.pathOf(model.skillUri) ?? 'SKILL.md'} what it is for, or remove it.`;
      findings.push({ code, severity: proseProblems[code], message, range: place.key });
    }
    pending.push(...node.children().filter((child) => !unmentioned.has(child)));
  }
  return findings;
}

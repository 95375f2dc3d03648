/** Lets ajv write the constants of its generated code in linear time; its own way is quadratic in their number. */
import { _, type Ajv, type Code } from 'ajv';

/** How many constants are joined at a time: each is an argument of a call. */
const joinedAtOnce = 500;

/**
 * Replaces how an instance refers to the values that its code uses: `const pattern0 = scope.pattern[0];` for each. A
 * schema of the largest size that is let through has some ten thousand of them.
 */
export function joinScopeLinearly({ scope }: Pick<Ajv, 'scope'>): void {
  const original = scope.scopeRefs.bind(scope);
  scope.scopeRefs = (scopeName, values) => {
    if (values === undefined) return original(scopeName);
    const lines: Code[] = [];
    for (const names of Object.values(values)) {
      for (const name of names?.values() ?? []) {
        if (name.scopePath === undefined) throw new Error(`The constant ${name.str} has no value.`);
        lines.push(_`const ${name} = ${scopeName}${name.scopePath};`);
      }
    }
    return joined(lines);
  };
}

/** Code after code, joined in a flat tree, so that each is copied a few times at most. */
function joined(codes: readonly Code[]): Code {
  if (codes.length <= joinedAtOnce) return together(codes);
  const parts: Code[] = [];
  for (let start = 0; start < codes.length; start += joinedAtOnce)
    parts.push(together(codes.slice(start, start + joinedAtOnce)));
  return joined(parts);
}

function together(codes: readonly Code[]): Code {
  const strings = Array.from({ length: codes.length + 1 }, () => '');
  return _(Object.assign(strings, { raw: strings }), ...codes);
}

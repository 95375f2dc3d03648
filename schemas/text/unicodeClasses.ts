/** Unicode property names of ECMA-262 (`\p{Letter}`, `\p{Script=Greek}`) as the short names that RE2 knows. */

const generalCategories: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Cc: ['Control', 'cntrl'],
    Cf: ['Format'],
    Co: ['Private_Use'],
    L: ['Letter'],
    Ll: ['Lowercase_Letter'],
    Lm: ['Modifier_Letter'],
    Lo: ['Other_Letter'],
    Lt: ['Titlecase_Letter'],
    Lu: ['Uppercase_Letter'],
    M: ['Mark', 'Combining_Mark'],
    Mc: ['Spacing_Mark'],
    Me: ['Enclosing_Mark'],
    Mn: ['Nonspacing_Mark'],
    N: ['Number'],
    Nd: ['Decimal_Number', 'digit'],
    Nl: ['Letter_Number'],
    No: ['Other_Number'],
    P: ['Punctuation', 'punct'],
    Pc: ['Connector_Punctuation'],
    Pd: ['Dash_Punctuation'],
    Pe: ['Close_Punctuation'],
    Pf: ['Final_Punctuation'],
    Pi: ['Initial_Punctuation'],
    Po: ['Other_Punctuation'],
    Ps: ['Open_Punctuation'],
    S: ['Symbol'],
    Sc: ['Currency_Symbol'],
    Sk: ['Modifier_Symbol'],
    Sm: ['Math_Symbol'],
    So: ['Other_Symbol'],
    Z: ['Separator'],
    Zl: ['Line_Separator'],
    Zp: ['Paragraph_Separator'],
    Zs: ['Space_Separator'],
  }).flatMap(([short, long]) => [short, ...long].map((name): [string, string] => [name, short])),
);

/** The name that RE2 knows a property by; undefined for properties it lacks, such as `Emoji` or `Alphabetic`. */
export function unicodeClass(name: string): string | undefined {
  const [property, value] = name.split('=', 2);
  if (value === undefined) return generalCategories.get(name);
  if (property === 'General_Category' || property === 'gc') return generalCategories.get(value);
  // Scripts go by their long names in RE2; a short one (`Grek`) is refused when the pattern is compiled.
  return property === 'Script' || property === 'sc' ? value : undefined;
}

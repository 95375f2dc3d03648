/** The languages that the extension contributes. Free of VS Code. */

/** YAML with an id of its own: servers for all YAML leave it alone, and breakpoints are offered in it. */
export const stateSchemaLanguage = 'skill-state-schema';

/** Initial states; likewise, without breakpoints. */
export const initialStateLanguage = 'skill-state-initial';

/** Markdown of which the tables are read as text: VS Code has lines of Markdown wrap, which tears them apart. */
export const reportLanguage = 'skill-state-report';

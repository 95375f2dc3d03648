/** What the extension with chat models and the tests that use it have in common. Free of VS Code. */

export const chatVendor = 'skill-state-test';

/** A command that answers what the models were asked last. */
export const lastRequestCommand = 'skill-state-test.lastRequest';

/** While the workspace has a file of this name, there is one more model, called by the file's text. */
export const lateModelFile = 'late-model.txt';

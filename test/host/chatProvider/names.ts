/** What the extension with chat models and the tests that use it have in common. Free of VS Code. */

export const chatVendor = 'skill-state-test';

/** A command that answers what the models were asked last. */
export const lastRequestCommand = 'skill-state-test.lastRequest';

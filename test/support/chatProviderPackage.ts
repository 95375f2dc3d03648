/** The extension with chat models that tests install beside the one under test, as a package. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVSIX } from '@vscode/vsce';

/** Its identifier; VS Code has to be told that it may use a proposed API, where it isn't built to let everybody. */
export const chatProviderId = 'skill-state-tests.chat-provider';

/** Packs dist/test/chatProvider. @returns where the package lies, in a temporary folder */
export async function packChatProvider(checkout: string): Promise<string> {
  const packagePath = join(mkdtempSync(join(tmpdir(), 'skill-state-chat-')), 'chat-provider.vsix');
  await createVSIX({
    cwd: join(checkout, 'dist', 'test', 'chatProvider'),
    packagePath,
    dependencies: false,
    allowMissingRepository: true,
    skipLicense: true,
  });
  return packagePath;
}

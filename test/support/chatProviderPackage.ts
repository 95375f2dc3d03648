/** The extension with chat models that tests install beside the one under test, as a package. */
import { join } from 'node:path';
import { createVSIX } from '@vscode/vsce';

/** Its identifier; VS Code has to be told that it may use a proposed API, where it isn't built to let everybody. */
export const chatProviderId = 'skill-state-tests.chat-provider';

/** Packs dist/test/chatProvider. @returns where the package lies */
export async function packChatProvider(checkout: string): Promise<string> {
  const folder = join(checkout, 'dist', 'test');
  const packagePath = join(folder, 'chatProvider.vsix');
  await createVSIX({
    cwd: join(folder, 'chatProvider'),
    packagePath,
    dependencies: false,
    allowMissingRepository: true,
    skipLicense: true,
  });
  return packagePath;
}

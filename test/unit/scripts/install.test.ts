import { describe, expect, it } from 'vitest';
import { installReason } from '../../../.scripts/install.mjs';

const locked = {
  packages: {
    '': { version: '0.1.0' },
    'node_modules/yaml': { version: '2.9.1' },
    'node_modules/other-platform': { version: '1.0.0', optional: true },
  },
};

describe('installReason', () => {
  it('is satisfied by what is locked, other platforms left out', () => {
    expect(
      installReason(locked, { packages: { 'node_modules/yaml': { version: '2.9.1' } } }),
    ).toBeUndefined();
  });

  it('notices that nothing is installed, or that an install was interrupted before npm wrote its record', () => {
    expect(installReason(locked, undefined)).toBe('dependencies are not installed');
  });

  it('notices another version, and dependencies that were left out', () => {
    const older = { packages: { 'node_modules/yaml': { version: '2.8.0' } } };
    expect(installReason(locked, older)).toBe('yaml 2.9.1 is locked, 2.8.0 is installed');
    expect(installReason(locked, { packages: {} })).toBe('yaml 2.9.1 is locked, nothing is installed');
  });
});

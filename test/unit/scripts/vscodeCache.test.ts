/** What an npm that we start inherits from the npm that started us. */
import { expect, it } from 'vitest';
import { environmentForNpm } from '../../support/vscodeCache';

it('an npm of its own hears nothing of who started us, and keeps how the user reaches a registry', () => {
  const kept = {
    PATH: '/bin',
    HOME: '/home/ada',
    npm_config_registry: 'https://registry.invalid/',
    'npm_config_//registry.invalid/:_authToken': 'secret',
    npm_config_cache: '/home/ada/.npm',
    npm_config_https_proxy: 'http://proxy.invalid',
    npm_config_cafile: '/etc/ca.pem',
    npm_config_nodedir: '/usr',
    npm_config_userconfig: '/home/ada/.npmrc',
  };
  const dropped = {
    npm_config_user_agent: 'npm/10.0.0 node/v20.20.2 linux x64',
    npm_node_execpath: '/usr/bin/node',
    npm_execpath: '/usr/lib/node_modules/npm/bin/npm-cli.js',
    npm_lifecycle_event: 'test',
    npm_package_name: 'skill-state',
    npm_config_prefix: '/usr',
    npm_config_local_prefix: '/somewhere',
    npm_config_ignore_scripts: 'true',
    npm_config_omit: 'dev',
    npm_config_global: 'true',
    NPM_CONFIG_PRODUCTION: 'true',
    NODE_ENV: 'production',
    NODE_OPTIONS: '--inspect',
    INIT_CWD: '/somewhere',
  };
  expect(environmentForNpm({ ...kept, ...dropped })).toEqual(kept);
});

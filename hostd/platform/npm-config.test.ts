import { expect, test } from 'vitest';
import { parseNpmConfigList } from './npm-config.ts';

test('settings in force are read, what another file overrides and comments are not', () => {
  const output = `; "user" config from /root/.npmrc

; registry = "https://old:***@old.example/" ; overridden by project
//npm.example/:_authToken = (protected)
strict-ssl = true

; "project" config from /project/.npmrc

@team:registry = "https://ci:***@team.example:8443/npm/"
registry = "https://ci:***@npm.example/"

; cwd = /project
; Run \`npm config ls -l\` to show all defaults.
`;
  expect(parseNpmConfigList(output)).toEqual({
    'strict-ssl': true,
    '@team:registry': 'https://ci:***@team.example:8443/npm/',
    registry: 'https://ci:***@npm.example/',
  });
});

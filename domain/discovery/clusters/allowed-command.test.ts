import { describe, expect, it } from 'vitest';
import { commandRefusalOf } from './allowed-command.ts';

const aLogin = (
  command: string,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
) => ({
  command,
  args,
  environment,
  apiVersion: 'client.authentication.k8s.io/v1',
});

const list = [
  'aws eks get-token --cluster-name * --output=j*n',
  'AWS_PROFILE=team-* aws sts *',
  'kubelogin get-token **',
  '/bin/token',
];
const getToken = ['eks', 'get-token', '--cluster-name', 'prod', '--output=json'];

describe('a command of a secret is run', () => {
  it.each([
    ['with the arguments that are listed', aLogin('aws', getToken)],
    ['with none, where none are listed', aLogin('/bin/token')],
    ['with any more, where the list ends so', aLogin('kubelogin', ['get-token', '--server-id', 'x'])],
    ['with no more, where the list ends so', aLogin('kubelogin', ['get-token'])],
    ['in a region', aLogin('aws', getToken, { AWS_REGION: 'eu-central-1' })],
    ['with a variable that is listed', aLogin('aws', ['sts', 'x'], { AWS_PROFILE: 'team-a' })],
  ])('%s', (_, login) => {
    expect(commandRefusalOf(login, list)).toBeUndefined();
  });

  it.each([
    [
      'another command',
      aLogin('/tmp/super-secret'),
      'execProviderConfig.command is not in OKRA_EXEC_COMMANDS',
    ],
    [
      'another path of the same',
      aLogin('/usr/bin/aws', getToken),
      'execProviderConfig.command is not in OKRA_EXEC_COMMANDS',
    ],
    ['other arguments', aLogin('aws', ['s3', 'cp', 'super-secret']), 'execProviderConfig.args must match'],
    ['one argument more', aLogin('aws', [...getToken, 'super-secret']), 'execProviderConfig.args must match'],
    ['one argument less', aLogin('aws', getToken.slice(0, -1)), 'execProviderConfig.args must match'],
    [
      'an argument where none are listed',
      aLogin('/bin/token', ['super-secret']),
      'allows for /bin/token: none',
    ],
    [
      'an option in place of a name',
      aLogin('aws', ['eks', 'get-token', '--cluster-name', '--endpoint-url=super-secret', '--output=json']),
      'execProviderConfig.args must match',
    ],
    [
      'what only begins as listed',
      aLogin('aws', [...getToken.slice(0, -1), '--output=jsonx']),
      'execProviderConfig.args must match',
    ],
    ['less than what any more follow', aLogin('kubelogin'), 'execProviderConfig.args must match'],
    [
      'a library for the loader',
      aLogin('/bin/token', [], { LD_PRELOAD: 'super-secret' }),
      'execProviderConfig.env may set only',
    ],
    [
      'a file that okrad may read',
      aLogin('/bin/token', [], { AZURE_FEDERATED_TOKEN_FILE: 'super-secret' }),
      'execProviderConfig.env may set only',
    ],
    [
      'a host to log in at',
      aLogin('/bin/token', [], { AZURE_AUTHORITY_HOST: 'super-secret' }),
      'execProviderConfig.env may set only',
    ],
    [
      'a profile',
      aLogin('aws', getToken, { AWS_PROFILE: 'team-super-secret' }),
      'execProviderConfig.env may set only',
    ],
    [
      'another profile than those listed',
      aLogin('aws', ['sts', 'x'], { AWS_PROFILE: 'super-secret' }),
      'execProviderConfig.env may set only',
    ],
  ])('but not with %s', (_, login, want) => {
    const refusal = commandRefusalOf(login, list);
    expect(refusal).toContain(want);
    expect(refusal).not.toContain('super-secret');
  });

  it('but not while none is listed', () => {
    expect(commandRefusalOf(aLogin('aws'), [])).toContain('which is empty');
  });

  it('or not, in a time that grows no faster than its arguments', () => {
    const began = performance.now();
    const stars = `a ${'*a'.repeat(500)}*b`;
    expect(commandRefusalOf(aLogin('a', ['a'.repeat(1_000_000)]), [stars])).toContain(
      'execProviderConfig.args must match',
    );
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

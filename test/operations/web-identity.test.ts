import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { standBefore, type Front, type SeenCall } from './credentials/front.ts';
import { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

const roleARN = 'arn:aws:iam::123456789012:role/okra';
const tokens = ['first-token-of-the-service-account', 'second-token-of-the-service-account'] as const;

describe('okrad with the role of a service account, and no keys', () => {
  let stage: Stage;
  let front: Front;
  let dir = '';
  let file = '';
  let priority = 0;
  beforeAll(async () => {
    const stack = inject('stack');
    front = await standBefore(stack.aws.endpoint);
    dir = await mkdtemp(join(tmpdir(), 'okra-web-identity-'));
    file = join(dir, 'token');
    await writeFile(file, tokens[0]);
    stage = await Stage.open(stack, {
      AWS_ACCESS_KEY_ID: '',
      AWS_SECRET_ACCESS_KEY: '',
      AWS_ROLE_ARN: roleARN,
      AWS_WEB_IDENTITY_TOKEN_FILE: file,
      AWS_ENDPOINT_URL_STS: front.url,
      AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2: front.url,
    });
    stage.secrets.push(...tokens);
  });
  afterAll(async () => {
    stage.secrets.push(...front.given.flatMap((one) => [one.secretAccessKey, one.sessionToken]));
    await stage.close();
    await front[Symbol.asyncDispose]();
    await rm(dir, { recursive: true });
  });
  beforeEach(async () => {
    priority += 10;
    front.calls.splice(0);
    await stage.mark();
  });
  afterEach(async () => {
    expect(await stage.violations([], priority)).toEqual([]);
  });

  async function install(name: string): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(stage.cell(name, { priority, role: name }));
  }
  const callsTo = (service: SeenCall['service']): readonly SeenCall[] =>
    front.calls.filter((call) => call.service === service);
  /** Whether a call is signed by credentials that STS gave away, as a whole. */
  const isSigned = ({ accessKeyId, sessionToken }: SeenCall): boolean =>
    front.given.some((one) => one.accessKeyId === accessKeyId && one.sessionToken === sessionToken);

  it('shows the token to STS, and signs its calls with what it is given', async () => {
    // What ends soon is renewed with every call.
    front.secondsToLive = 5;
    await install('irsa');
    await stage.untilPhase('irsa', 'Completed', '1.0.0');
    expect(callsTo('STS').length).toBeGreaterThan(0);
    for (const { action, parameters, accessKeyId } of callsTo('STS')) {
      expect({ action, accessKeyId }).toEqual({
        action: 'AssumeRoleWithWebIdentity',
        accessKeyId: undefined,
      });
      expect(parameters).toMatchObject({ RoleArn: roleARN, WebIdentityToken: tokens[0] });
    }
    expect(callsTo('ELBv2').map(({ action }) => action)).toContain('CreateRule');
    expect(callsTo('ELBv2').filter((call) => !isSigned(call))).toEqual([]);
  });

  it('shows the token that was put in its place', async () => {
    await writeFile(file, tokens[1]);
    await install('rotated');
    await stage.untilPhase('rotated', 'Completed', '1.0.0');
    await until('the second token to be shown', async () =>
      callsTo('STS').some(({ parameters }) => parameters['WebIdentityToken'] === tokens[1]),
    );
    front.calls.splice(0);
    await stage.targetGroups('2.0.0', ['rotatedb'], { role: 'rotated' });
    await stage.untilPhase('rotated', 'Completed', '2.0.0');
    expect(callsTo('STS').filter(({ parameters }) => parameters['WebIdentityToken'] !== tokens[1])).toEqual(
      [],
    );
    expect(callsTo('ELBv2').filter((call) => !isSigned(call))).toEqual([]);
  });

  it.each([
    [
      'the role does not trust it',
      'AccessDenied',
      'Not authorized to perform sts:AssumeRoleWithWebIdentity',
      'trust policy',
    ],
    [
      'its token has expired',
      'ExpiredTokenException',
      'Token expired: current date/time 2 must be before the expiration date/time 1',
      'AWS_WEB_IDENTITY_TOKEN_FILE',
    ],
    [
      'AWS does not know its cluster',
      'InvalidIdentityToken',
      'No OpenIDConnect provider found in your account for https://oidc.eks.us-east-1.amazonaws.com/id/0',
      'OIDC provider',
    ],
  ])('holds when %s, says what to do, and continues after it', async (_, code, message, advice) => {
    const name = `held${priority}`;
    front.secondsToLive = 1;
    await install(name);
    await stage.untilPhase(name, 'Completed', '1.0.0');
    front.refusal = { code, message };
    await until('the credentials to end', async () => front.given.every(({ ends }) => ends < Date.now()));
    await stage.targetGroups('2.0.0', [`${name}b`], { role: name });
    const held = await stage.untilStatus(name, 'denied', (status) => status.reason === 'AccessDenied');
    expect(held.message).toContain(message);
    expect(held.message).toContain(advice);
    front.refusal = undefined;
    await stage.untilPhase(name, 'Completed', '2.0.0');
  });
});

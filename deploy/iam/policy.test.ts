import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OWNER_TAG, UID_TAG } from '../../domain/kubernetes/labels.ts';
import policy from './policy.json' with { type: 'json' };

const root = join(import.meta.dirname, '../..');

const services: Readonly<Record<string, string>> = {
  'client-elastic-load-balancing-v2': 'elasticloadbalancing',
  'client-eks': 'eks',
  'client-sts': 'sts',
  'client-cloudwatch': 'cloudwatch',
};

const imports = /import (?:type )?\{([^}]*)\} from '@aws-sdk\/([a-z0-9-]+)'/g;

/** The actions of AWS that the code which ships can call, as the commands that it imports say. */
function calledByCode(): readonly string[] {
  const shipped = ['activities', 'clients', 'watchers', 'workflows', 'cli', 'worker.ts', 'config'];
  const paths = shipped.flatMap((room) =>
    room.endsWith('.ts')
      ? [room]
      : readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)),
  );
  const product = paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  const found = product.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(imports)].flatMap(([, names = '', client = '']) => {
      if (client === 'credential-providers')
        return names.includes('fromTemporaryCredentials') ? ['sts:AssumeRole'] : [];
      const commands = [...names.matchAll(/\b([A-Z]\w+)Command\b/g)].map(([, command = '']) => command);
      return commands.map((command) => `${services[client] ?? client}:${command}`);
    }),
  );
  return [...new Set(found)].toSorted();
}

interface Row {
  readonly action: string;
  readonly calledBy: string;
  readonly sid: string;
}

/** The rows of the page that says what each action is for. */
const rows = [
  ...readFileSync(join(root, 'docs/iam.md'), 'utf8').matchAll(
    /^\| `([\w-]+:\w+)` \| [^|]+ \| (okrad|AWS) \| `(\w+)` \| [^|]+ \|$/gm,
  ),
].map(([, action = '', calledBy = '', sid = '']): Row => ({ action, calledBy, sid }));

const granted = policy.Statement.flatMap(({ Sid, Action }) =>
  [Action].flat().map((action) => `${Sid} ${action}`),
);

describe('the permissions of okrad', () => {
  it('are those of the calls that its code can make, and no others', () => {
    const listed = rows.filter(({ calledBy }) => calledBy === 'okrad').map(({ action }) => action);
    expect([...new Set(listed)].toSorted()).toEqual(calledByCode());
  });

  it('let no change of a load balancer, a rule or a target group go to every resource', () => {
    const wide = policy.Statement.filter(({ Resource }) => Resource === '*').flatMap(({ Action }) => Action);
    expect(wide.filter((action) => !/:(Describe|List|Get)/.test(action))).toEqual([]);
  });

  it('have statements with names of their own', () => {
    expect(new Set(policy.Statement.map(({ Sid }) => Sid)).size).toBe(policy.Statement.length);
  });

  it('are explained on the page, each of them and no others', () => {
    expect(rows.map(({ action, sid }) => `${sid} ${action}`)).toEqual(granted);
  });

  it.each([
    ['ChangeOwnRules', { Null: { [`aws:ResourceTag/${OWNER_TAG}`]: 'false' } }],
    ['ChangeOwnListeners', { Null: { [`aws:ResourceTag/${OWNER_TAG}`]: 'false' } }],
    ['ChangeOwnTargetGroups', { Null: { [`aws:ResourceTag/${OWNER_TAG}`]: 'false' } }],
    ['CreateRules', { Null: { [`aws:RequestTag/${OWNER_TAG}`]: 'false' } }],
    ['CreateTargetGroups', { Null: { [`aws:RequestTag/${OWNER_TAG}`]: 'false' } }],
    ['TagWhatIsCreated', { StringEquals: { 'elasticloadbalancing:CreateAction': 'CreateRule' } }],
    [
      'TakeOver',
      { 'ForAllValues:StringEquals': { 'aws:TagKeys': [OWNER_TAG] }, Null: { 'aws:TagKeys': 'false' } },
    ],
    [
      'TagCreatedTargetGroups',
      {
        StringEquals: { 'elasticloadbalancing:CreateAction': 'CreateTargetGroup' },
        'ForAllValues:StringEquals': { 'aws:TagKeys': [OWNER_TAG, UID_TAG] },
      },
    ],
  ])('of %s are limited by the tags that Okra sets, and by what it creates', (sid, condition) => {
    expect(policy.Statement.find(({ Sid }) => Sid === sid)).toMatchObject({ Condition: condition });
  });
});

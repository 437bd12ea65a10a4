import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { staleIn } from '../../crds/generated-files.ts';
import { files, policy } from './generate.ts';
import { statements } from './permissions.ts';

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

describe('the permissions of okrad', () => {
  it('are those of the calls that its code can make, and no others', () => {
    const listed = statements
      .filter(({ calledBy }) => calledBy === 'okrad')
      .flatMap(({ actions }) => Object.keys(actions));
    expect([...new Set(listed)].toSorted()).toEqual(calledByCode());
  });

  it('let no change of a load balancer, a rule or a target group go to every resource', () => {
    const wide = policy()
      .Statement.filter(({ Resource }) => Resource === '*')
      .flatMap(({ Action }) => Action);
    expect(wide.filter((action) => !/:(Describe|List|Get)/.test(action))).toEqual([]);
  });

  it('have statements with names of their own', () => {
    expect(new Set(statements.map(({ sid }) => sid)).size).toBe(statements.length);
  });

  it('stand in the policy and on the page as the table has them', () => {
    expect(staleIn(files())).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { digest } from '../../clients/digest.ts';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { CellStatus } from '../../crds/cell.ts';
import { watchedInput } from '../../domain/versions/watched.ts';
import { until } from '../../test/support/until.ts';
import { aWorld, type World, type WorldOptions } from '../dashboard/testing/world.ts';
import { endingOf, type Shell, withoutTerminal } from './shell.ts';
import { okractl } from './program.ts';
import { aCell, aTargetGroup } from './testing/objects.ts';
import type { FakeObject } from './testing/shell.ts';

const one = aTargetGroup('web-a', '1.0.0');
const two = aTargetGroup('web-b', '2.0.0');

/** A Cell at rest that has looked at some target groups. */
function atRest(groups: readonly FakeObject[], message: string, refused: readonly FakeObject[] = []) {
  const condition = (type: string, status: 'True' | 'False') =>
    ({ type, status, reason: 'x', message, lastTransitionTime: '2026-11-22T09:00:00Z' }) as const;
  const status: CellStatus = {
    phase: 'Completed',
    message,
    conditions: [condition('Progressing', 'False'), condition('Ready', 'True')],
  };
  const cell = aCell(status);
  const arns = refused.map((group) => (group as AWSTargetGroup).spec.arn);
  const access = {
    namespace: 'default',
    policies: ['p'],
    unreadable: [],
    specs: [
      { namespaces: ['default'], targetGroups: groups.map((group) => (group as AWSTargetGroup).spec.arn) },
    ],
  };
  const all = [...groups, ...refused] as AWSTargetGroup[];
  const observedHash = digest(watchedInput(cell, all, arns.length === 0 ? undefined : access));
  const rejectedTargetGroups = refused.map(({ metadata: { name } }) => ({
    name,
    reason: 'NotAllowed',
    message: 'm',
  }));
  return aCell({ ...status, observedHash, rejectedTargetGroups });
}

/** Watches Cell web until it is settled. */
function watching(
  options: WorldOptions,
): World & { readonly out: string[]; readonly ended: Promise<number> } {
  const world = aWorld(options);
  const out: string[] = [];
  const say = (text: string): void => void out.push(text);
  const shell: Shell = {
    ...withoutTerminal,
    print: say,
    warn: say,
    write: () => undefined,
    now: () => Date.parse('2026-11-22T10:00:00Z'),
    signal: new AbortController().signal,
    read: () => Promise.reject(new Error('Expected no file to be read.')),
    filesAt: () => Promise.resolve([]),
    session: () => world.session,
    exitWith: () => undefined,
  };
  const ended = okractl(shell, '0.0.0')
    .parseAsync(['watch', 'web', '--until-settled'], { from: 'user' })
    .then(
      () => 0,
      (error: unknown) => {
        const { message, code } = endingOf(error);
        say(message);
        return code;
      },
    );
  return { ...world, out, ended };
}

describe('watch --until-settled', () => {
  it('does not take for the end what stood there before a new target group was looked at', async () => {
    const { out, ended, put } = watching({ objects: [atRest([one], '1.0.0 serves.'), one, two] });
    await until('the Cell to be shown', async () => out.length > 0);
    put(atRest([one, two], '2.0.0 serves.'));
    expect(await ended).toBe(0);
    expect(out.at(-1)).toBe('Completed: 2.0.0 serves.');
  });

  it('ends at once where the status is of what is there', async () => {
    const { out, ended } = watching({ objects: [atRest([one, two], '2.0.0 serves.'), one, two] });
    expect(await ended).toBe(0);
    expect(out.at(-1)).toBe('Completed: 2.0.0 serves.');
  });

  it('goes by the status where AccessPolicies may not be read', async () => {
    const cell = atRest([one], '1.0.0 serves.', [two]);
    const of = new Map<string, readonly FakeObject[]>([
      ['Cell', [cell]],
      ['AWSTargetGroup', [one, two]],
    ]);
    const { ended } = watching({
      snapshot: ({ kind }) =>
        kind === 'AccessPolicy'
          ? Promise.reject(new KubernetesError({ status: 403, reason: 'Forbidden', message: 'no' }))
          : Promise.resolve({ items: of.get(kind) ?? [], resourceVersion: '1' }),
    });
    expect(await ended).toBe(0);
  });

  it('is refused where the target groups may not be read', async () => {
    const { out, ended } = watching({
      objects: [atRest([one], '1.0.0 serves.')],
      allowed: ({ resource }) => resource !== 'awstargetgroups',
    });
    expect(await ended).toBe(3);
    expect(out.at(-1)).toContain('Kubernetes does not let ann list awstargetgroups');
  });
});

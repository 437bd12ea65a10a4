import { describe, expect, it } from 'vitest';
import { cell as kind, type Cell } from '../crds/cell.ts';
import type { AWSTargetGroup } from '../crds/aws-target-group.ts';
import type { Instruction } from './instruction.ts';
import { createRouter } from './router.ts';
import { aConfig, aGroup, LISTENER } from './testing/builders.ts';
import { noLog } from './testing/fakes.ts';

/**
 * The digests that releases have left in the statuses of settled Cells. A change that alters one has every such Cell of
 * every installation start a run with the upgrade, and another with a downgrade: a new field of the spec must not have a
 * default, and a new part of what is watched must be left out where it says nothing, so that these stay what they are.
 */
const released = [
  ['has the least that there may be', {}, '252cd84894c53180712608e088ee011296492794ba4276041fa316c6f6320b8c'],
  [
    'uses much',
    {
      version: '1.0.0',
      deletionPolicy: 'Delete',
      healthTimeout: '5m',
      progressDeadline: '2h',
      windows: [{ days: ['Mon'], start: '09:00', end: '17:00', timeZone: 'Europe/Berlin' }],
      updateStrategy: {
        type: 'Canary',
        bake: { duration: '10m' },
        canary: {
          steps: [
            { setWeight: 20 },
            { pause: { duration: '10m' } },
            { analysis: { templates: [{ templateName: 'success-rate' }] } },
            { setWeight: 60 },
          ],
        },
      },
    },
    '46a5d76b8d448b7418efeaf6f04e09bd7e35441ca238299c4a7ec94f3fe39697',
  ],
] as const;

const ingress = (role: string) => ({
  type: 'AWSApplicationLoadBalancer',
  awsApplicationLoadBalancer: {
    listenerARN: LISTENER,
    listener: { rule: { priority: 10, hosts: ['example.com'] } },
    targetGroupSelector: { matchLabels: { role } },
  },
});

/** A Cell as the API server has it, with the defaults of its schema, that a release has left settled. */
function settledCell(name: string, spec: object, observedHash: string): Cell {
  const parsed = kind.parseSpec({ ingress: ingress('web'), ...spec });
  if (!parsed.ok) throw new Error(parsed.problems.join(' '));
  const { apiVersion } = kind;
  const metadata = { namespace: 'default', name, generation: 1, uid: name };
  return {
    apiVersion,
    kind: 'Cell',
    metadata,
    spec: parsed.value,
    status: { phase: 'Completed', observedHash },
  };
}

const groups: readonly AWSTargetGroup[] = ['a', 'b'].map((name) =>
  aGroup(name, { role: 'web', 'okra.mumo.co/version': '1.0.0' }),
);

/** What watchers that have just been started send about a Cell. */
function toldOf(cells: readonly Cell[]): readonly Instruction[] {
  const told: Instruction[] = [];
  const router = createRouter((instruction) => void told.push(instruction), noLog);
  for (const object of groups) router.take({ kind: 'AWSTargetGroup', event: { type: 'add', object } });
  for (const object of cells) {
    router.take({ kind: 'Cell', event: { type: 'add', object } });
    const config = aConfig();
    const named = { ...config, metadata: { ...config.metadata, name: object.metadata.name } };
    router.take({ kind: 'AWSApplicationLoadBalancerConfig', event: { type: 'add', object: named } });
  }
  router.replay();
  return told.filter((one) => one.do === 'Start' && one.kind === 'Cell');
}

describe('a Cell that a release has left settled and that', () => {
  it.each(released)('%s is left alone by the next release', (_, spec, observedHash) => {
    expect(toldOf([settledCell('web', spec, observedHash)])).toEqual([]);
  });

  it('is one of a thousand is left alone as well, and one that has changed is not', () => {
    const [, [, spec, observedHash]] = released;
    const cells = Array.from({ length: 1_000 }, (_, index) =>
      settledCell(`web-${index}`, spec, observedHash),
    );
    expect(toldOf(cells)).toEqual([]);
    expect(
      toldOf([...cells, settledCell('other', { ...spec, version: '1.0.1' }, observedHash)]),
    ).toMatchObject([{ do: 'Start', key: { name: 'other' } }]);
  });
});

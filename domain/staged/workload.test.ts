import { describe, expect, it } from 'vitest';
import type { Binding } from './kubestellar.ts';
import {
  type BindingPolicy,
  isAsDesired,
  findCellProblem,
  listNamespaces,
  listObjects,
  findRefusal,
  explainUnbound,
} from './policy.ts';
import { anObject } from './testing/builders.ts';
import { aSpec } from './testing/world.ts';

const policy: BindingPolicy = {
  metadata: { name: 'web-dev', uid: 'p', generation: 2 },
  status: { observedGeneration: 2 },
};
const binding: Binding = {
  metadata: { name: 'web-dev', generation: 3, ownerReferences: [{ kind: 'BindingPolicy', uid: 'p' }] },
  spec: { workload: { namespaceScope: [anObject()] }, destinations: [{ clusterId: 'd1' }] },
  status: { observedGeneration: 3 },
};
const changed = (metadata: Partial<Binding['metadata']>): Binding => ({
  ...binding,
  metadata: { ...binding.metadata, ...metadata },
});

describe('a Binding', () => {
  it.each<[string, BindingPolicy, Binding | undefined, string | undefined]>([
    ['of what is asked for now', policy, binding, undefined],
    ['that is not there', policy, undefined, 'to create Binding web-dev'],
    [
      'to recreate Binding web-dev',
      policy,
      changed({ ownerReferences: [{ kind: 'BindingPolicy', uid: 'o' }] }),
      'to recreate Binding web-dev',
    ],
    [
      'that is being deleted',
      policy,
      changed({ deletionTimestamp: '2026-11-22T08:00:00Z' }),
      'to recreate Binding web-dev',
    ],
    [
      'of an older generation of its BindingPolicy',
      { ...policy, metadata: { ...policy.metadata, generation: 3 } },
      binding,
      'observe the latest BindingPolicy',
    ],
    ['that transport has not taken up yet', policy, changed({ generation: 4 }), 'to observe Binding web-dev'],
    [
      'with an error',
      policy,
      { ...binding, status: { observedGeneration: 3, errors: ['bad template'] } },
      'bad template',
    ],
    [
      'whose BindingPolicy has an error',
      { ...policy, status: { observedGeneration: 2, errors: ['bad clause'] } },
      binding,
      'bad clause',
    ],
  ])('%s', (_, by, found, want) => {
    const reason = explainUnbound(by, found);
    expect(want === undefined ? (reason ?? want) : reason?.includes(want)).toBe(
      want === undefined ? undefined : true,
    );
  });

  it('is refused by an error about it as it is now alone', () => {
    const failed = { ...binding, status: { observedGeneration: 3, errors: ['bad template'] } };
    const edited = { ...policy, metadata: { ...policy.metadata, generation: 3 } };
    expect([findRefusal(policy, failed), findRefusal(edited, failed), findRefusal(policy, binding)]).toEqual([
      'bad template',
      undefined,
      undefined,
    ]);
  });

  it('lists its objects in one order, whatever the order in which KubeStellar does', () => {
    const [a, b] = [anObject({ name: 'a' }), anObject({ name: 'b' })];
    const listed = (...namespaceScope: (typeof a)[]) =>
      listObjects({ ...binding, spec: { workload: { namespaceScope } } });
    expect(listed(b, a)).toEqual(listed(a, b));
  });

  it('says which namespaces a workload is in, with what the spec names', () => {
    const spec = aSpec([{ cell: { namespace: 'cells', name: 'web' } }], {
      downsync: [{ namespaces: ['shop', '*'] }],
    });
    expect([...listNamespaces(spec, [binding])].toSorted()).toEqual(['cells', 'nginx', 'shop']);
  });
});

describe('a BindingPolicy', () => {
  it.each([
    ['what it should', { a: [{ b: 1 }] }, true],
    ['more than it should, by a default', { a: [{ b: 1, c: 2 }], d: 3 }, true],
    ['less', { a: [] }, false],
    ['something more in a list', { a: [{ b: 1 }, { b: 2 }] }, false],
    ['something else', { a: [{ b: 2 }] }, false],
    ['nothing', undefined, false],
  ])('that says %s', (_, spec, want) => {
    expect(isAsDesired(spec, { a: [{ b: 1 }] })).toBe(want);
  });
});

describe('the Cell of a stage', () => {
  const wanted = { namespace: 'default', name: 'web', version: '2.0.0' };
  const cell = (status: 'True' | 'False', stableVersion: string, observedGeneration = 1) => ({
    metadata: { name: 'web', generation: 1 },
    status: {
      stableVersion,
      conditions: [
        {
          type: 'Ready',
          status,
          reason: 'x',
          message: 'It waits.',
          observedGeneration,
          lastTransitionTime: '2026-11-22T08:00:00Z',
        },
      ],
    },
  });
  it.each([
    ['is Ready at the version', cell('True', '2.0.0'), undefined],
    ['is not there', undefined, 'not found'],
    ['is not Ready', cell('False', '2.0.0'), 'It waits.'],
    ['was Ready before an edit', cell('True', '2.0.0', 0), 'is not Ready'],
    ['serves another version', cell('True', '1.0.0'), 'does not serve 2.0.0 yet; it serves 1.0.0'],
  ])('%s', (_, found, want) => {
    const problem = findCellProblem(wanted, found);
    expect(want === undefined ? problem : problem?.includes(want)).toBe(
      want === undefined ? undefined : true,
    );
  });
});

import { describe, expect, it } from 'vitest';
import { requestNames, requestVerbs, stagedRequestNames } from '../../crds/request-names.ts';
import { FREEZE } from './kinds.ts';
import type { Access } from './person.ts';
import { refusalTo, refusalToAsk, requestsAllowed, type Asked } from './request-rights.ts';

const web: Asked = { kind: 'Cell', key: { namespace: 'shop', name: 'web' } };
const nginx: Asked = { kind: 'StagedBindingPolicy', key: { namespace: '', name: 'nginx' } };

/** Someone whom Kubernetes lets do what has these verbs, and what was asked about them. */
function aPerson(...verbs: readonly string[]) {
  const asked: Access[] = [];
  return {
    asked,
    whoAmI: () => Promise.resolve('ann'),
    may: (access: Access) => {
      asked.push(access);
      return Promise.resolve(verbs.includes(access.verb));
    },
  };
}

describe('whether a person may make a request', () => {
  it.each(requestNames)(
    'is asked of Kubernetes for %s, by a verb of that name in lower case',
    async (name) => {
      const ann = aPerson(name.toLowerCase());
      expect(await refusalToAsk(ann, name, web)).toBeUndefined();
      expect(ann.asked).toEqual([
        {
          group: 'okra.mumo.co',
          resource: 'cells',
          verb: name.toLowerCase(),
          namespace: 'shop',
          name: 'web',
        },
      ]);
    },
  );

  it.each(stagedRequestNames)('is asked for %s of a StagedBindingPolicy, in no namespace', async (name) => {
    const ann = aPerson(name);
    expect(await refusalToAsk(ann, name, nginx)).toBeUndefined();
    expect(ann.asked).toEqual([
      { group: 'community.kubestellar.io', resource: 'stagedbindingpolicies', verb: name, name: 'nginx' },
    ]);
  });

  it.each<[string, Promise<string | undefined>, string]>([
    [
      'a request',
      refusalToAsk(aPerson('get', 'pause'), 'abort', web),
      'Kubernetes does not let ann abort Cell shop/web (verb abort of cells.okra.mumo.co). Have the ClusterRole okra-operator, or another with that verb, bound to ann in namespace shop.',
    ],
    [
      'an approval',
      refusalToAsk(aPerson('promote', 'promotefull'), 'approve', web),
      'Kubernetes does not let ann approve Cell shop/web (verb approve of cells.okra.mumo.co). Have the ClusterRole okra-approver, or another with that verb, bound to ann in namespace shop.',
    ],
    [
      'promote --full, for which promote is not enough',
      refusalToAsk(aPerson('promote'), 'promoteFull', web),
      'Kubernetes does not let ann promotefull Cell shop/web (verb promotefull of cells.okra.mumo.co). Have the ClusterRole okra-operator, or another with that verb, bound to ann in namespace shop.',
    ],
    [
      'a request of a StagedBindingPolicy',
      refusalToAsk(aPerson(), 'retry', nginx),
      'Kubernetes does not let ann retry StagedBindingPolicy nginx (verb retry of stagedbindingpolicies.community.kubestellar.io). Have the ClusterRole okra-operator, or another with that verb, bound to ann, for the whole cluster.',
    ],
    [
      'what is no request',
      refusalTo(aPerson(), { verb: 'create', kind: FREEZE, key: {} }),
      'Kubernetes does not let ann create freezes (verb create of freezes.okra.mumo.co). Have a role with that verb bound to ann, for the whole cluster.',
    ],
  ])('is refused for %s with what to do', async (_, refusal, said) => {
    expect(await refusal).toBe(said);
  });

  it('is asked for all requests at once, of all Cells of a namespace', async () => {
    const ann = aPerson('pause', 'approve');
    const allowed = await requestsAllowed(ann, { kind: 'Cell', key: { namespace: 'shop' } });
    expect([...allowed]).toEqual(['pause', 'approve']);
    expect(ann.asked.map(({ verb }) => verb)).toEqual(requestVerbs.Cell);
    expect(ann.asked.every((access) => access.namespace === 'shop' && !('name' in access))).toBe(true);
  });

  it('is a no where the API server does not say yes', async () => {
    const failing = { ...aPerson(), may: () => Promise.reject(new Error('HTTP 500')) };
    await expect(refusalToAsk(failing, 'abort', web)).rejects.toThrow('HTTP 500');
  });
});

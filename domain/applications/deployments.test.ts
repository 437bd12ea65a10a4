import { describe, expect, it } from 'vitest';
import { deploymentsOf, type ApplicationObject, type ApplicationSetObject } from './deployments.ts';

const SERVER = 'https://c1.example.com';
const WRITTEN = Date.parse('2026-11-22T10:00:00.700Z');

const aSet = (isUpToDate = true): ApplicationSetObject => ({
  metadata: { name: 'web', uid: 'set' },
  status: {
    conditions: [
      { type: 'ErrorOccurred', status: isUpToDate ? 'False' : 'True', message: 'no such generator' },
      { type: 'ResourcesUpToDate', status: isUpToDate ? 'True' : 'False' },
    ],
  },
});

const source = { repoURL: 'https://example.com/a.git', path: 'web' };

/** An Application that is well, but for what is said. */
function anApplication({
  destination = { server: SERVER },
  compared = { source, destination },
  status = {},
  more = {},
  metadata = {},
}: {
  destination?: object;
  compared?: object;
  status?: object;
  more?: object;
  metadata?: object;
} = {}): ApplicationObject {
  return {
    metadata: { name: 'web-c1', ownerReferences: [{ uid: 'set' }], ...metadata },
    spec: { source, destination },
    status: {
      sync: { status: 'Synced', comparedTo: compared },
      health: { status: 'Healthy' },
      reconciledAt: '2026-11-22T10:00:00Z',
      operationState: { phase: 'Succeeded' },
      ...status,
    },
    ...more,
  };
}

const target = {
  name: 'c1',
  secretName: 'eks-c1',
  secretNames: ['eks-c1'],
  server: SERVER,
  writtenAt: WRITTEN,
  isWanted: true,
};

const judge = (applications: readonly ApplicationObject[], sets = [aSet()]) =>
  deploymentsOf({ wanted: 'ApplicationSet web', sets, applications, targets: [target] });

describe('what Argo CD has deployed', () => {
  it('says on every cluster that there is no ApplicationSet', () => {
    const message = 'ApplicationSet web not found. Create it in the namespace of the Cell.';
    expect(judge([], [])).toMatchObject([{ isPresent: false, isHealthy: false, message }]);
  });

  it('is found by the ARN of a cluster, as Argo CD on EKS names it', () => {
    const arn = 'arn:aws:eks:eu-central-1:111122223333:cluster/eks-c1';
    const there = anApplication({ destination: { server: arn } });
    const of = (known: object) =>
      deploymentsOf({
        wanted: 'ApplicationSet web',
        sets: [aSet()],
        applications: [there],
        targets: [{ ...target, ...known }],
      })[0]?.isHealthy;
    expect(of({ arn })).toBe(true);
    expect(of({ arn: `${arn}-2` })).toBe(false);
    expect(of({})).toBe(false);
  });

  it.each([
    ['by the address of the cluster', anApplication()],
    ['with a slash behind it', anApplication({ destination: { server: `${SERVER}/` } })],
    [
      'by its name, to which Argo CD adds the address',
      anApplication({
        destination: { name: 'eks-c1' },
        compared: { source, destination: { name: 'eks-c1', server: SERVER } },
      }),
    ],
  ])('is reconciled when it is Synced and Healthy, %s', (_, application) => {
    expect(judge([application])).toMatchObject([{ secretName: 'eks-c1', isPresent: true, isHealthy: true }]);
  });

  it.each<[string, ApplicationObject, string]>([
    [
      'is OutOfSync',
      anApplication({
        status: { sync: { status: 'OutOfSync', comparedTo: { source, destination: { server: SERVER } } } },
      }),
      'OutOfSync and Healthy',
    ],
    ['is Degraded', anApplication({ status: { health: { status: 'Degraded' } } }), 'Synced and Degraded'],
    [
      'has a status of another destination',
      anApplication({ compared: { source, destination: { server: 'https://old' } } }),
      'from before its last change',
    ],
    [
      'has a status of another source',
      anApplication({ compared: { source: {}, destination: { server: SERVER } } }),
      'from before its last change',
    ],
    ['was compared with nothing', anApplication({ compared: {} }), 'from before its last change'],
    [
      'has a status from before the secret',
      anApplication({ status: { reconciledAt: '2026-11-22T09:59:59Z' } }),
      'before the secret',
    ],
    ['has no time', anApplication({ status: { reconciledAt: undefined } }), 'before the secret'],
    [
      'is being synced',
      anApplication({ status: { operationState: { phase: 'Running' } } }),
      'a sync that runs',
    ],
    ['is asked to sync', anApplication({ more: { operation: { sync: {} } } }), 'a sync that runs'],
    [
      'is being deleted',
      anApplication({ metadata: { deletionTimestamp: '2026-11-22T10:00:00Z' } }),
      'being deleted',
    ],
  ])('is waited for while an Application %s', (_, application, said) => {
    expect(judge([application])).toMatchObject([
      { isPresent: true, isHealthy: false, message: expect.stringContaining(said) },
    ]);
  });

  it('is waited for while there is no Application on the cluster', () => {
    const elsewhere = anApplication({ destination: { server: 'https://c2.example.com' } });
    const foreign = anApplication({ metadata: { ownerReferences: [{ uid: 'other' }] } });
    for (const application of [elsewhere, foreign])
      expect(judge([application])).toMatchObject([{ isPresent: false, isHealthy: false }]);
  });

  it('is waited for while the ApplicationSet is not up to date, and says why', () => {
    const message: unknown = expect.stringContaining('no such generator');
    expect(judge([anApplication()], [aSet(false)])).toMatchObject([{ isHealthy: false, message }]);
  });
});

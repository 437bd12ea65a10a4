import { describe, expect, it } from 'vitest';
import type { EKSCluster } from '../../../clients/aws/eks.ts';
import { createReadClusters } from './cluster-set.ts';

const one: EKSCluster = {
  name: 'c',
  arn: 'arn:aws:eks:eu-central-1:111111111111:cluster/c',
  region: 'eu-central-1',
  status: 'ACTIVE',
  tags: {},
};
const roleARN = 'arn:aws:iam::222222222222:role/okra';

/** The accounts of the places that a read of EKS covers. */
async function accountsRead(found: readonly EKSCluster[], account: string | undefined, role: object) {
  const eks = () => ({
    clusters: () => Promise.resolve({ clusters: found, denied: [] }),
    named: () => Promise.resolve({ clusters: [], denied: [] }),
    account: () => Promise.resolve(account),
  });
  const settings = { selector: { matchTags: { a: 'b' } }, region: 'eu-central-1', ...role };
  const { places } = await createReadClusters({ eks })(settings, new AbortController().signal, []);
  return [...new Set(places.map((place) => place.split(':').slice(3).join(':')))];
}

describe('the place that a read of EKS covers', () => {
  it.each([
    ['is that of the clusters that were found', [one], '333333333333', {}, ['eu-central-1:111111111111:']],
    ['is that of the role', [], undefined, { roleARN }, ['eu-central-1:222222222222:']],
    [
      'is that of the credentials when there are no clusters',
      [],
      '333333333333',
      {},
      ['eu-central-1:333333333333:'],
    ],
    ['is none when nobody says whose empty list it is', [], undefined, {}, []],
  ])('%s', async (_, found, account, role, want) => {
    expect(await accountsRead(found, account, role)).toEqual(want);
  });
});

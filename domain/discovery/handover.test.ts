import { describe, expect, it } from 'vitest';
import { selectClaims, selectDesiredGroups, type Owned } from './generated.ts';

const set = (uid: string) => ({ uid, name: uid, kind: 'AWSTargetGroupSet' });
const me = { uid: 'mine', kind: 'AWSTargetGroupSet' };

describe('a set', () => {
  it.each<[string, Omit<Owned, 'name'>, boolean]>([
    ['claims what another set has', { owner: set('other') }, true],
    ['claims it once', { owner: set('other'), heirs: ['mine'] }, false],
    ['claims it beside others', { owner: set('other'), heirs: ['third'] }, true],
    ['does not claim its own', { owner: set('mine') }, false],
    ['does not claim what someone wrote', {}, false],
    [
      'does not claim what something else has made',
      { owner: { ...set('other'), kind: 'ClusterSet' } },
      false,
    ],
  ])('%s', (_, owned, isClaimed) => {
    expect(selectClaims([{ name: 'web', ...owned }], me)).toEqual(isClaimed ? ['web'] : []);
  });
});

describe('a group of another set', () => {
  const marks = (source: string) => ({
    labels: {},
    annotations: { 'okra.mumo.co/target-group-binding': source },
  });
  const group = { name: 'web', arn: 'arn:web', owner: set('other'), ...marks('cdk1/default/web') };
  const asking = [{ source: 'cdk1/default/web', arn: 'arn:web' }];
  const binding = { name: 'web', ...marks('cdk1/default/web') };
  it.each([
    ['is wanted when it is made of the same', [group], asking, [], true],
    ['is wanted with the binding that it is made of', [group], [], [binding], true],
    ['is not wanted when it is made of something else', [group], [], [], false],
    [
      'is not wanted with another target group',
      [group],
      [{ source: 'cdk1/default/web', arn: 'arn:api' }],
      [],
      false,
    ],
    [
      'is not wanted beside one of its own',
      [group, { ...group, name: 'own', owner: set('mine') }],
      asking,
      [],
      false,
    ],
  ])('%s', (_, groups, asks, bindings, isWanted) => {
    const wanted = selectDesiredGroups(groups, { uid: 'mine', asking: asks, bindings });
    expect(wanted.map(({ name }) => name)).toEqual(isWanted ? ['web'] : []);
  });
});

import { describe, expect, it } from 'vitest';
import { desiredSecret, isAsWanted, marksFor, observedSecret, writtenAtOf } from './secrets.ts';

const cluster = {
  name: 'web-1',
  eksName: 'eks-web-1',
  server: 'https://c1.example.com',
  certificateAuthority: 'Y2E=',
  secretName: 'eks-web-1',
};
const eks = { arn: 'arn:c1', region: 'eu-central-1', tags: { role: 'web' } };
const asking = { web: { 'myservice-role': 'web' }, api: { 'myservice-api': 'yes' } };

const wanted = desiredSecret({ cell: 'mysystem', cluster, eks }, asking, { web: 5 });
const stored = { ...wanted, uid: 'u' };
const observe = (secret = stored) => observedSecret(secret, 'mysystem');

describe('the secret of a cluster of a Cell', () => {
  it('has the labels of all applications, and says who asks for what', () => {
    expect(wanted.labels).toEqual({
      'myservice-role': 'web',
      'myservice-api': 'yes',
      'argocd.argoproj.io/secret-type': 'cluster',
      'okra.mumo.co/cell': 'mysystem',
    });
    expect(observe()).toEqual({
      name: 'eks-web-1',
      applications: asking,
      isOwn: true,
      server: cluster.server,
      certificateAuthority: 'Y2E=',
      isIntact: true,
    });
    expect(isAsWanted(stored, wanted)).toBe(true);
    expect(writtenAtOf(stored.annotations)).toEqual({ web: 5 });
  });

  it('says of which EKS cluster it is, unless its id says another', () => {
    const named = (arn: string) =>
      desiredSecret({ cell: 'mysystem', cluster, eks: { ...eks, arn } }, asking, {});
    const of = (name: string) =>
      observe({ ...named(`arn:aws:eks:eu-central-1:111122223333:cluster/${name}`), uid: 'u' }).eksName;
    expect([of('eks-web-1'), of('web-1')]).toEqual(['eks-web-1', undefined]);
  });

  it.each([
    ['a label', { ...stored, labels: { ...stored.labels, 'myservice-role': 'other' } }],
    ['its name for Argo CD', { ...stored, content: { ...stored.content, name: 'other' } }],
    ['its login', { ...stored, content: { ...stored.content, config: '{"bearerToken":"x"}' } }],
  ])('is not intact when someone has changed %s', (_, changed) => {
    expect(observe(changed)).toMatchObject({ isOwn: true, isIntact: false });
  });

  it.each([
    ['of another Cell', { ...stored, labels: { ...stored.labels, 'okra.mumo.co/cell': 'other' } }],
    ['of a ClusterSet', { ...stored, owner: { uid: 's', name: 'set', kind: 'ClusterSet' } }],
    ['of someone', { ...stored, annotations: {} }],
  ])('is not its own when it is %s', (_, secret) => {
    expect(observe(secret)).toMatchObject({ isOwn: false, applications: {} });
  });

  it('loses the labels of an application that leaves, and stays intact', () => {
    const marks = marksFor(stored, 'mysystem', { api: asking.api });
    expect(marks.labels).not.toHaveProperty('myservice-role');
    expect(observe({ ...stored, ...marks })).toMatchObject({
      applications: { api: asking.api },
      isIntact: true,
    });
  });
});

import { describe, expect, it } from 'vitest';
import { cell as cellKind } from '../../crds/cell.ts';
import { clusters as clustersNamed, web } from './testing/applications.ts';
import { arnOf } from './testing/world.ts';
import type { ObservedCluster } from './observation.ts';
import { resolveApplications, type FoundBinding, type Resolution } from './resolve.ts';

interface Given {
  readonly clusters: readonly object[];
  readonly applications: readonly object[];
  readonly tags?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly unknown?: readonly string[];
  readonly bindings?: Readonly<Record<string, FoundBinding>>;
}

/** What applications come to. */
function resolve(given: Given): Readonly<Record<string, Resolution>> {
  const { tags = {}, unknown = [], bindings = {} } = given;
  const parsed = cellKind.parseSpec({ clusters: given.clusters, applications: given.applications });
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  const { clusters = [], applications = [] } = parsed.value;
  const observed = clusters.map(({ name }): ObservedCluster => {
    const found = {
      name,
      eksName: name,
      server: `https://${name}`,
      certificateAuthority: 'CA',
      secretName: name,
    };
    const about = { name, tags: tags[name] ?? {}, isReady: true, message: '' };
    return unknown.includes(name) ? about : { ...about, found };
  });
  const found = Object.fromEntries(applications.map(({ name }) => [name, bindings]));
  return resolveApplications({
    clusters: { written: clusters, observed },
    applications,
    bindings: found,
    digest: (text) => text,
  });
}

const forwarding = (targetGroup: object): object => ({
  alb: {
    listenerARN:
      'arn:aws:elasticloadbalancing:eu-central-1:111122223333:listener/app/demo/0123456789abcdef/0123456789abcdef',
    forwardConfig: { priority: 10, targetGroup },
  },
});

const byLabel = web(forwarding({ arnFromLabel: 'targetGroupARN' }));
const labelled = (name: string, targetGroupARN: string): object => ({
  name,
  labels: { role: 'web', targetGroupARN },
});

describe('resolving an application', () => {
  it('takes the clusters with a label, whatever their order', () => {
    const one = resolve({
      clusters: clustersNamed('web-b', 'api-a', 'web-a'),
      applications: [web({ alb: undefined })],
    });
    const other = resolve({
      clusters: clustersNamed('web-a', 'web-b', 'api-a'),
      applications: [web({ alb: undefined })],
    });
    expect(one).toMatchObject({
      web: { ok: true, value: { clusters: [{ name: 'web-a' }, { name: 'web-b' }], targetGroups: [] } },
    });
    expect(one['web']).toEqual(other['web']);
  });

  it('takes the clusters with a tag in EKS', () => {
    const application = web({ clusterSelector: { matchEKSTags: { role: 'front' } }, alb: undefined });
    const tags = { 'web-b': { role: 'front' }, 'web-a': { role: 'back' } };
    expect(
      resolve({ clusters: clustersNamed('web-a', 'web-b'), applications: [application], tags }),
    ).toMatchObject({ web: { value: { clusters: [{ name: 'web-b' }] } } });
  });

  it('A-G13 takes the ARN from a label of the cluster', () =>
    expect(
      resolve({ clusters: [labelled('web-a', arnOf('x'))], applications: [byLabel] })['web'],
    ).toMatchObject({ value: { targetGroups: [{ arn: arnOf('x'), clusters: ['web-a'] }] } }));

  it('A-G14 takes the ARN of the TargetGroupBinding in each cluster', () =>
    expect(
      resolve({
        clusters: clustersNamed('web-a', 'web-b'),
        applications: [web()],
        bindings: { 'web-a': { ok: true, arn: arnOf('a') }, 'web-b': { ok: true, arn: arnOf('b') } },
      })['web'],
    ).toMatchObject({ value: { targetGroups: [{ arn: arnOf('a') }, { arn: arnOf('b') }] } }));

  it('counts a target group once that clusters share', () =>
    expect(
      resolve({
        clusters: ['a', 'b', 'c'].map((name) => labelled(name, arnOf('shared'))),
        applications: [byLabel],
      })['web'],
    ).toMatchObject({ value: { targetGroups: [{ arn: arnOf('shared'), clusters: ['a', 'b', 'c'] }] } }));

  it.each<[string, Given, string]>([
    [
      'a selector that selects nothing',
      { clusters: clustersNamed('api-a', 'api-b'), applications: [web()] },
      'Expected clusterSelector to select a cluster of spec.clusters, got none with {"role":"web"}.',
    ],
    [
      'A-G05 one ARN for two clusters',
      { clusters: clustersNamed('web-a', 'web-b'), applications: [web(forwarding({ arn: arnOf('x') }))] },
      'Expected targetGroup.arn for one cluster, got 2: web-a, web-b.',
    ],
    [
      'a label that is missing',
      { clusters: clustersNamed('web-a'), applications: [byLabel] },
      'Expected cluster web-a to have the label targetGroupARN',
    ],
    [
      'a label that is no ARN',
      { clusters: [labelled('web-a', 'web')], applications: [byLabel] },
      'to be the ARN of a target group, got "web"',
    ],
    [
      'a TargetGroupBinding that is missing',
      {
        clusters: clustersNamed('web-a'),
        applications: [web()],
        bindings: { 'web-a': { ok: false, message: 'Expected one TargetGroupBinding, got none.' } },
      },
      'Expected one TargetGroupBinding, got none.',
    ],
    [
      'three target groups',
      {
        clusters: ['a', 'b', 'c'].map((name) => labelled(name, arnOf(name))),
        applications: [byLabel],
      },
      'Expected at most 2 target groups, got 3.',
    ],
    [
      'a cluster that EKS does not know',
      { clusters: clustersNamed('web-a'), applications: [web()], unknown: ['web-a'] },
      'Expected EKS to know every cluster',
    ],
    [
      'tags of a cluster that EKS does not know',
      {
        clusters: clustersNamed('web-a', 'web-b'),
        applications: [web({ clusterSelector: { matchEKSTags: { role: 'web' } } })],
        tags: { 'web-a': { role: 'web' } },
        unknown: ['web-b'],
      },
      'Expected EKS to know every cluster',
    ],
  ])('refuses %s', (_, given, problem) => {
    const resolved = resolve(given)['web'];
    expect(resolved?.ok === false ? resolved.problems.join() : '').toContain(problem);
  });

  it('refuses two values for one label of a secret, for the later application', () => {
    const other = web({
      name: 'other',
      argocd: { clusterSecret: { labels: { app: 'other' } } },
      alb: undefined,
    });
    const resolved = resolve({
      clusters: clustersNamed('web-a'),
      applications: [web({ alb: undefined }), other],
    });
    expect(resolved['web']).toMatchObject({ ok: true });
    expect(resolved['other']).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('the label app of the secret of cluster web-a') as string],
    });
  });
});

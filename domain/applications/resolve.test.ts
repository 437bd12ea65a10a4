import { describe, expect, it } from 'vitest';
import { cell as cellKind } from '../../crds/cell.ts';
import { clusters as clustersNamed, ruleAt, web } from './testing/applications.ts';
import { arnOf } from './testing/world.ts';
import { secretNameOf } from '../discovery/cluster-set/cluster-set.ts';
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
  const observed = clusters.map(({ name, eks }): ObservedCluster => {
    const eksName = eks?.clusterName ?? name;
    const found = {
      name,
      eksName,
      server: `https://${eksName}`,
      certificateAuthority: 'CA',
      secretName: secretNameOf(eksName),
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
      'clusterSelector selects no cluster of spec.clusters: none has {"role":"web"}.',
    ],
    [
      'A-G05 one ARN for two clusters',
      { clusters: clustersNamed('web-a', 'web-b'), applications: [web(forwarding({ arn: arnOf('x') }))] },
      'targetGroup.arn works for one cluster; 2 are selected: web-a, web-b.',
    ],
    [
      'a label that is missing',
      { clusters: clustersNamed('web-a'), applications: [byLabel] },
      'Cluster web-a does not have the label targetGroupARN',
    ],
    [
      'a label that is no ARN',
      { clusters: [labelled('web-a', 'web')], applications: [byLabel] },
      'must be the ARN of a target group, not "web"',
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
      'The application has 3 target groups; at most 2 are allowed.',
    ],
    [
      'a cluster that EKS does not know',
      { clusters: clustersNamed('web-a'), applications: [web()], unknown: ['web-a'] },
      'Some clusters are not in EKS yet',
    ],
    [
      'tags of a cluster that EKS does not know',
      {
        clusters: clustersNamed('web-a', 'web-b'),
        applications: [web({ clusterSelector: { matchEKSTags: { role: 'web' } } })],
        tags: { 'web-a': { role: 'web' } },
        unknown: ['web-b'],
      },
      'Some clusters are not in EKS yet',
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
      problems: [
        'The label app of the secret of cluster web-a cannot have two values: web of application web and other of application other. Use another label.',
      ],
    });
  });

  const alike = [
    { name: 'web-a', eks: { clusterName: 'prod_1' }, labels: { role: 'web', of: 'shop' } },
    { name: 'api-a', eks: { clusterName: 'prod-1' }, labels: { role: 'api', of: 'shop' } },
  ];
  const api = web({ name: 'api', clusterSelector: { role: 'api' }, alb: undefined });

  it.each([
    ['one application', [web({ clusterSelector: { of: 'shop' }, alb: undefined })], ['web']],
    ['two applications', [web({ alb: undefined }), api], ['web', 'api']],
  ])('refuses two EKS clusters that would have one secret, of %s', (_, applications, refused) => {
    const resolved = resolve({ clusters: alike, applications });
    for (const name of refused)
      expect(resolved[name]).toMatchObject({
        ok: false,
        problems: [
          expect.stringMatching(
            'Secret prod-1 .* EKS cluster prod.1 is that of EKS cluster prod.1 of this Cell: their names',
          ) as string,
        ],
      });
  });

  it.each([
    ['one cluster has two entries', alike.map((one) => ({ ...one, eks: { clusterName: 'prod_1' } })), {}],
    ['no secret is made', alike, { argocd: undefined, alb: ruleAt(10) }],
  ])('takes clusters whose secrets have one name where %s', (_, clusters, changed) => {
    const application = web({ clusterSelector: { of: 'shop' }, alb: undefined, ...changed });
    const bound = { ok: true, arn: arnOf('x') } as const;
    const bindings = { 'web-a': bound, 'api-a': bound };
    expect(resolve({ clusters, applications: [application], bindings })['web']).toMatchObject({ ok: true });
  });
});

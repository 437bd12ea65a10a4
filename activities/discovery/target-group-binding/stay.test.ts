import { describe, expect, it } from 'vitest';
import { unlimited } from '../../../clients/rate-limiter.ts';
import type { ELBv2, ELBv2Regions } from '../../../clients/aws/elbv2.ts';
import { ACCESS_POLICY, type KindRef } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { Registration } from '../../../domain/discovery/target-group-binding/registered-target.ts';
import { lifetimeFrom } from '../lifetime.ts';
import { bindingLedger } from './ledger.ts';
import { stay } from './target-group-binding.ts';
import { searches } from './searches.ts';
import { unused } from './testing/unused.ts';

const arnOf = (name: string): string =>
  `arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/${name}/4567`;
const payments = arnOf('payments');
const problem = { object: arnOf('team-nosuch'), reason: 'TargetGroupNotFound', message: 'Got none.' };

/** Has a binding that is in `payments` stay there, which wants one more target; says what AWS was asked and told. */
async function staying(allowed: readonly string[] | undefined) {
  const asked: string[] = [];
  const registered: Registration[] = [];
  const elbv2 = unused<ELBv2>({
    targetGroups: (arns) => {
      asked.push(...arns);
      return Promise.resolve(arns.map((TargetGroupArn) => ({ TargetGroupArn, TargetType: 'ip' as const })));
    },
    targetHealth: () => Promise.resolve([{ Target: { Id: '10.0.0.1', Port: 80 } }]),
    registerTargets: (_, batch) => Promise.resolve(void registered.push(...batch)),
  });
  const every = (): ELBv2 => elbv2;
  const regions: ELBv2Regions = Object.assign(every, { inRegion: every });
  const policy = {
    metadata: { name: 'teams' },
    spec: { namespaces: ['shop'], targetGroups: allowed },
  };
  const kubernetes = unused<KubernetesClient>({
    list: <T>({ kind }: KindRef) => {
      const isPolicy = kind === ACCESS_POLICY.kind && allowed !== undefined;
      return Promise.resolve((isPolicy ? [policy] : []) as T[]);
    },
    apply: (object) =>
      Promise.resolve({ ...object, metadata: { ...object.metadata, resourceVersion: '2' } } as never),
  });
  const bound = {
    key: { namespace: 'shop', name: 'web' },
    uid: 'u',
    spec: {
      targetGroupARN: problem.object,
      targets: [{ name: 'web', port: 80, ids: ['10.0.0.1', '10.0.0.2'] }],
    },
    status: { targetGroupARN: payments, targets: [{ name: 'web', port: 80, ids: ['10.0.0.1'] }] },
    life: lifetimeFrom(new AbortController().signal),
  };
  const ledger = bindingLedger(kubernetes, { ...bound, resourceVersion: '1' });
  const outcome = await stay(
    {
      kubernetes,
      elbv2: regions,
      limits: { writes: unlimited, registrations: unlimited },
      searches: searches(),
      reads: unused({}),
      graceSeconds: 0,
    },
    { bound, ledger },
    problem,
  );
  return { asked, registered, ledger: ledger.now(), outcome };
}

describe('a binding whose new target group is not to be had', () => {
  it.each([
    ['where there is no AccessPolicy', undefined],
    ['where it may use that one', ['*targetgroup/team-*', '*targetgroup/payments/*']],
  ])('is kept up in the one before, %s', async (_, allowed) => {
    const { registered, outcome } = await staying(allowed);
    expect(registered).toEqual([{ id: '10.0.0.2', port: 80 }]);
    expect(outcome.problems).toEqual([
      { ...problem, message: `Got none. Until then the targets stay in ${payments}.` },
    ]);
  });

  it('leaves the one before alone where it may not use that any more', async () => {
    const { asked, registered, ledger, outcome } = await staying(['*targetgroup/team-*']);
    expect([...asked, ...registered]).toEqual([]);
    expect(ledger.targets).toEqual([{ name: 'web', port: 80, ids: ['10.0.0.1'] }]);
    expect(outcome.problems).toEqual([
      problem,
      {
        object: payments,
        reason: 'NotAllowed',
        message: `Expected an AccessPolicy to let namespace shop use target group ${payments}, got teams without it. Name another, or have it added to spec.targetGroups. What is registered stays meanwhile.`,
      },
    ]);
  });
});

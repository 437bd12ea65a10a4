import { ABOUT, REPORTS, reportsSpec, type CombinedStatus, type WorkloadObject } from '../kubestellar.ts';

/** The BindingPolicy of a stage. */
export const POLICY = { name: 'web-dev', uid: 'p-1' } as const;

/** A Deployment as a Binding lists it. */
export const anObject = (changed: Partial<WorkloadObject> = {}): WorkloadObject => ({
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'nginx',
  name: 'nginx',
  resourceVersion: '7',
  statusCollectors: ['deployments-aggregator', REPORTS],
  ...changed,
});

/** A row of Okra's StatusCollector: what a cluster has reported, and when. */
export function aReport(
  said: { cluster?: string; reported?: string; uid?: string; resourceVersion?: string } = {},
): object {
  const { cluster = 'd1', reported = '2026-11-22T08:00:00Z', uid = 'o-1', resourceVersion = '7' } = said;
  return { columns: [cluster, reported, uid, resourceVersion].map((string) => ({ type: 'String', string })) };
}

/** What a CombinedStatus may say otherwise. */
export interface Said {
  readonly policy?: { readonly name: string; readonly uid: string };
  readonly object?: WorkloadObject;
  readonly uid?: string;
  readonly collector?: string;
  readonly float?: string;
  readonly rows?: readonly object[];
  readonly reports?: readonly object[];
  readonly rowErrors?: readonly object[];
  readonly aggregationErrors?: readonly object[];
}

/** A CombinedStatus by which a Deployment fulfils the published example. */
export function aCombinedStatus(said: Said = {}): CombinedStatus {
  const {
    policy = POLICY,
    object = anObject(),
    uid = 'o-1',
    float = '1',
    reports = [aReport({ uid })],
  } = said;
  const { rows = [{ columns: [{ type: 'Number', float }] }], collector = 'deployments-aggregator' } = said;
  const { rowErrors, aggregationErrors } = said;
  return {
    metadata: {
      name: `${uid}.${policy.uid}`,
      namespace: object.namespace ?? 'kubestellar-report',
      labels: {
        [ABOUT.group]: object.group,
        [ABOUT.resource]: object.resource,
        [ABOUT.namespace]: object.namespace ?? '',
        [ABOUT.name]: object.name,
        [ABOUT.policy]: policy.name,
      },
    },
    results: [
      {
        name: collector,
        columnNames: ['count'],
        rows,
        ...(rowErrors === undefined ? {} : { rowErrors }),
        ...(aggregationErrors === undefined ? {} : { aggregationErrors }),
      },
      { name: REPORTS, columnNames: reportsSpec.select.map(({ name }) => name), rows: reports },
    ],
  };
}

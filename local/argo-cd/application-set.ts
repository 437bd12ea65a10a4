import { APPLICATION_SET } from '../../clients/kubernetes/kinds.ts';

/** An ApplicationSet that deploys an application to every cluster whose secret has these labels. */
export const applicationSet = (of: {
  readonly namespace: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly clusters: Readonly<Record<string, string>>;
  /** The Git repository with its manifests, in the folder of its name; none where nothing is deployed. */
  readonly repoURL?: string;
  /** Where its objects are on the clusters. */
  readonly into?: string;
}) => ({
  apiVersion: APPLICATION_SET.apiVersion,
  kind: APPLICATION_SET.kind,
  metadata: { namespace: of.namespace, name: of.name, labels: of.labels ?? {} },
  spec: {
    goTemplate: true,
    generators: [{ clusters: { selector: { matchLabels: of.clusters } } }],
    template: {
      metadata: { name: `${of.name}-{{.name}}` },
      spec: {
        project: 'default',
        source: {
          repoURL: of.repoURL ?? 'https://example.com/apps.git',
          targetRevision: 'main',
          path: of.name,
        },
        destination: { server: '{{.server}}', namespace: of.into ?? 'default' },
        syncPolicy: {
          automated: { prune: true, selfHeal: true },
          syncOptions: ['CreateNamespace=true'],
        },
      },
    },
  },
});

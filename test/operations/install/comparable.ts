import { parseAllDocuments } from 'yaml';

interface Named {
  readonly name: string;
}

interface EnvVar extends Named {
  readonly value?: string;
  readonly valueFrom?: unknown;
}

interface Container extends Named {
  readonly image?: string;
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly { readonly configMapRef?: Named }[];
  readonly volumeMounts?: readonly Named[];
  readonly livenessProbe?: { readonly timeoutSeconds?: number };
}

interface PodSpec {
  readonly containers?: readonly Container[];
  readonly volumes?: readonly Named[];
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly securityContext?: Readonly<Record<string, unknown>>;
}

/** An object of an installation, as far as the comparison looks at it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Named & {
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly rules?: readonly {
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  readonly spec?: {
    readonly strategy?: { readonly type: string };
    readonly template?: { readonly spec?: PodSpec };
    readonly rollout?: { readonly gate?: { readonly workflowType?: string } };
  };
}

/** The objects in a text of YAML documents. */
export const documents = (text: string): readonly Manifest[] =>
  parseAllDocuments(text)
    .map((document): Manifest | null => document.toJS())
    .filter((object) => object !== null);

/** What each way of installing says in its own way, and which means nothing to okrad. */
const ownLabels = [
  'app.kubernetes.io/instance',
  'app.kubernetes.io/version',
  'app.kubernetes.io/managed-by',
  'helm.sh/chart',
];

const byName = <T extends Named>(some: readonly T[] = []): readonly T[] =>
  some.toSorted((one, other) => one.name.localeCompare(other.name));

/** Objects by kind and name, without what Helm and kustomize have to say differently. */
export function comparable(objects: readonly Manifest[]): Readonly<Record<string, unknown>> {
  const settings = new Map(
    objects
      .filter(({ kind }) => kind === 'ConfigMap')
      .map(({ metadata, data }) => [metadata.name, data ?? {}]),
  );
  // With Helm the settings are variables of the containers; `helm test` starts a pod that kustomize has not.
  const compared = objects.filter(({ kind }) => kind !== 'ConfigMap' && kind !== 'Pod');
  return Object.fromEntries(
    compared
      .map((object) => withoutOwn(withPods(object, settings)))
      .map((object): [string, unknown] => [keyOf(object), object])
      .toSorted(([one], [other]) => one.localeCompare(other)),
  );
}

const keyOf = ({ kind, metadata }: Manifest): string =>
  `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;

type Settings = ReadonlyMap<string, Readonly<Record<string, string>>>;

function withPods(object: Manifest, settings: Settings): Manifest {
  const { template } = object.spec ?? {};
  if (object.kind !== 'Deployment' || template?.spec === undefined) return object;
  const { containers = [], volumes } = template.spec;
  const spec = {
    ...template.spec,
    volumes: byName(volumes),
    containers: containers.map((container) => withVariables(container, settings)),
  };
  return { ...object, spec: { ...object.spec, template: { ...template, spec } } };
}

function withVariables({ env = [], envFrom = [], ...container }: Container, settings: Settings): Container {
  const shared = envFrom.flatMap(({ configMapRef }) =>
    Object.entries(settings.get(configMapRef?.name ?? '') ?? {}).map(([name, value]) => ({ name, value })),
  );
  return { ...container, env: byName([...env, ...shared]), volumeMounts: byName(container.volumeMounts) };
}

function withoutOwn(object: Manifest): Manifest {
  const { labels: _, annotations = {}, ...metadata } = object.metadata;
  const { 'helm.sh/resource-policy': __, ...others } = annotations;
  const text = JSON.stringify(
    { ...object, metadata: { ...metadata, annotations: others } },
    (key, value: unknown) => (ownLabels.includes(key) ? undefined : value),
  );
  return JSON.parse(text) as Manifest;
}

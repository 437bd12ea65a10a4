import { z } from 'zod';
import { CEL_RULES, celOf, evaluatorOf, type Rule } from './rules.ts';
import { structuralSchema, type StructuralSchema } from './structural-schema.ts';

export const GROUP = 'okra.mumo.co';
export const VERSION = 'v1alpha1';

/** The metadata that Okra reads of an object (metav1.ObjectMeta). */
export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly resourceVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly controller?: boolean;
    readonly blockOwnerDeletion?: boolean;
  }[];
}

export interface Resource<Spec, Status> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec: Spec;
  readonly status?: Status;
}

/** A column of `kubectl get`; one with priority 1 is shown with `-o wide` only. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date' | 'boolean' | 'number';
  readonly jsonPath: string;
  readonly description?: string;
  readonly priority?: number;
}

export interface KindWorkflow {
  /** Sync: one of Okra's that is the same for all kinds, and syncs again and again with the activity `sync<Type>`. Own: one that `workflows/index.ts` exports by the name of its type. */
  readonly does: 'Sync' | 'Own';
  /** The type of the workflow, as the server and its Web UI show it. */
  readonly type: string;
  /** What its ids begin with: `<prefix>/<namespace>/<name>`, or `<prefix>/<name>` for an object without a namespace. */
  readonly idPrefix: string;
  /** What the object is called in the Web UI of Temporal; its kind unless this says otherwise. */
  readonly title?: string;
  /** What the workflow is started with besides the key of the object. */
  readonly input?: Readonly<Record<string, string>>;
  /** Whether the object bears the name of a Cell, so that a search for the Cell finds the workflow. */
  readonly bearsCellName?: boolean;
}

/** What Okra does with the objects of a kind, apart from what they look like. */
export interface KindTraits {
  /** Whether watchers look at the objects: always, or (optional) only where the kind is installed; they do not unless this is set. */
  readonly watched?: 'Always' | 'Optional';
  readonly workflow?: KindWorkflow;
  /** What okrad does with the objects in the Kubernetes API besides watching them. */
  readonly verbs?: readonly ('get' | 'create' | 'patch' | 'delete')[];
  readonly isReported?: boolean;
}

/** What has to be known of a kind to find its objects in the Kubernetes API. */
export interface KindRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** All there is to say about a kind. */
export interface Definition extends KindTraits {
  readonly group?: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  /** Whether the objects belong to a namespace; they do unless this says otherwise. */
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly spec: z.ZodType;
  readonly status: z.ZodType;
  /** Rules over the whole object, of whose metadata CEL sees only the name. */
  readonly rules?: readonly Rule[];
  readonly printerColumns: readonly PrinterColumn[];
  /** The paths of string fields by which objects can be listed, for example `.spec.listenerARN`. */
  readonly selectableFields?: readonly string[];
}

export type SpecOf<Of extends Definition> = z.output<Of['spec']>;

export interface Named {
  readonly metadata: { readonly name: string };
  readonly spec?: unknown;
}

type Parsed<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly problems: readonly string[] };

/** A kind: its definition, its manifest, and how to read its spec. */
export type ResourceKind<Of extends Definition = Definition> = Definition &
  Of &
  KindRef & {
    /** Reads a spec that came from outside; a problem says what was expected, what was got, and where. */
    readonly parseSpec: (spec: unknown) => Parsed<SpecOf<Of>>;
    /** Reads the spec of an object, and holds the object to the rules of its kind. */
    readonly parse: (object: Named & { readonly spec: unknown }) => Parsed<SpecOf<Of>>;
    readonly manifest: () => StructuralSchema;
  };

/** Makes a kind of its zod schemas, which are the single source of its types, its manifest and its parser. */
export function defineResource<const Of extends Definition>(definition: Of): ResourceKind<Of> {
  const parseSpec = (value: unknown): Parsed<SpecOf<Of>> => {
    const result = z.safeParse<Of['spec']>(definition.spec, value, { reportInput: true });
    return result.success
      ? { ok: true, value: result.data }
      : { ok: false, problems: result.error.issues.map(describeIssue) };
  };
  const rules = (definition.rules ?? []).map((rule) => ({ ...rule, isKept: evaluatorOf(rule) }));
  let manifest: StructuralSchema | undefined;
  return {
    ...definition,
    apiVersion: `${definition.group ?? GROUP}/${VERSION}`,
    plural: pluralOf(definition.kind),
    namespaced: definition.scope !== 'Cluster',
    parseSpec,
    parse(object) {
      const parsed = parseSpec(object.spec);
      // A spec that is not of its type breaks rules over the whole object for that alone.
      const self = { metadata: object.metadata, spec: parsed.ok ? parsed.value : {} };
      const broken = rules.filter(({ isKept }) => !isKept(self));
      if (broken.length === 0) return parsed;
      const problems = broken.map(({ message }) => `${message} Got ${show(object.metadata.name)}.`);
      return { ok: false, problems: parsed.ok ? problems : [...problems, ...parsed.problems] };
    },
    manifest: () => (manifest ??= manifestOf(definition)),
  };
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${String(key)}`),
    'spec',
  );
  const value = issue.input;
  if (issue.code === 'custom') {
    // Some rules name the field themselves.
    const where = path === 'spec' || issue.message.startsWith(path) ? '' : `${path}: `;
    return `${where}${issue.message}${typeof value === 'object' ? '' : ` Got ${show(value)}.`}`;
  }
  if (value === undefined) return `${path} is required.`;
  return `Invalid ${path}: ${show(value)}, ${describeLimit(issue)}.`;
}

function describeLimit(issue: Exclude<z.core.$ZodIssue, { readonly code: 'custom' }>): string {
  switch (issue.code) {
    case 'too_big':
      return `must ${measureOf(issue.origin, `at most ${issue.maximum}`)}`;
    case 'too_small':
      return `must ${measureOf(issue.origin, `at least ${issue.minimum}`)}`;
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}`;
    default:
      return issue.message;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

const units: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'entries',
  object: 'keys',
  record: 'keys',
};

function measureOf(origin: string, bound: string): string {
  const unit = units[origin];
  return unit === undefined ? `be ${bound}` : `have ${bound} ${unit}`;
}

/** A value for people, in one short line. */
function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}

const pluralOf = (kind: string): string => `${kind.toLowerCase()}s`.replace(/ys$/, 'ies');

function manifestOf(definition: Definition): StructuralSchema {
  const {
    group = GROUP,
    kind,
    shortNames,
    description,
    printerColumns,
    scope = 'Namespaced',
    selectableFields = [],
  } = definition;
  const plural = pluralOf(kind);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [...shortNames],
        categories: ['okra'],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: printerColumns,
          ...(selectableFields.length === 0
            ? {}
            : { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
          schema: { openAPIV3Schema: objectSchema(definition, description) },
        },
      ],
    },
  };
}

function objectSchema(definition: Definition, description: string): StructuralSchema {
  return {
    type: 'object',
    description,
    required: ['spec'],
    properties: {
      apiVersion: {
        type: 'string',
        description: `The API version: ${definition.group ?? GROUP}/${VERSION}.`,
      },
      kind: { type: 'string', description: `The kind: ${definition.kind}.` },
      metadata: { type: 'object' },
      spec: { description: 'The desired state.', ...structuralSchema(definition.spec) },
      status: {
        description: 'The observed state; only Okra writes it.',
        ...structuralSchema(definition.status),
      },
    },
    ...(definition.rules === undefined ? {} : { [CEL_RULES]: celOf(definition.rules) }),
  };
}

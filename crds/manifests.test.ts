import { describe, expect, it } from 'vitest';
import { staleIn } from '../local/generate/files.ts';
import { files } from '../local/generate/kinds.ts';
import { resources } from './index.ts';
import { CEL_RULES } from './rules.ts';

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every schema in a schema, with the path to it. */
function* schemas(node: Node, path: string): Generator<readonly [string, Node]> {
  yield [path, node];
  const properties = node['properties'];
  if (isNode(properties))
    for (const [name, child] of Object.entries(properties))
      if (isNode(child)) yield* schemas(child, `${path}.${name}`);
  for (const key of ['items', 'additionalProperties']) {
    const child = node[key];
    if (isNode(child)) yield* schemas(child, `${path}[]`);
  }
}

/** What a structural schema may say (JSONSchemaProps of apiextensions.k8s.io/v1), as far as Okra's schemas say it. */
const allowed = new Set(
  (
    'type format description default enum pattern properties required items additionalProperties nullable ' +
    'minimum maximum minLength maxLength minItems maxItems minProperties maxProperties ' +
    'x-kubernetes-int-or-string x-kubernetes-preserve-unknown-fields x-kubernetes-list-type x-kubernetes-list-map-keys x-kubernetes-validations'
  ).split(' '),
);

const isBeyondIntegers = (bound: unknown): boolean =>
  typeof bound === 'number' && Math.abs(bound) >= Number.MAX_SAFE_INTEGER;

function schemaOf(resource: (typeof resources)[number]): Node {
  const { versions } = resource.manifest()['spec'] as { versions: { schema: { openAPIV3Schema: Node } }[] };
  return versions[0]?.schema.openAPIV3Schema ?? {};
}

describe('the manifests', () => {
  it('have rules', () => {
    const ruled = resources.filter((one) =>
      [...schemas(schemaOf(one), '')].some(([, node]) => CEL_RULES in node),
    );
    // A view that nobody edits has nothing to refuse.
    expect(resources.length - ruled.length).toBeLessThanOrEqual(1);
  });

  it('are what the schemas say', () => expect(staleIn(files())).toEqual([]));

  // kubectl keeps it as JSON in an annotation, and all annotations together have this limit.
  it.each(resources.map((one) => [one.kind, JSON.stringify(one.manifest())] as const))(
    '%s is small enough for a plain kubectl apply',
    (_, text) => {
      expect(text.length).toBeGreaterThan(1000);
      expect(text.length).toBeLessThan(262_144);
    },
  );

  describe.each(resources.map((resource) => [resource.kind, schemaOf(resource)] as const))(
    'of %s',
    (_, schema) => {
      const all = [...schemas(schema, '')];

      it('say nothing that a structural schema may not', () => {
        const unknown = all.flatMap(([path, node]) =>
          Object.keys(node)
            .filter((key) => !allowed.has(key))
            .map((key) => `${path}: ${key}`),
        );
        expect(unknown).toEqual([]);
      });

      it('never have additionalProperties beside properties', () => {
        const both = all.filter(([, node]) => 'properties' in node && 'additionalProperties' in node);
        expect(both.map(([path]) => path)).toEqual([]);
      });

      it('have a type everywhere, and no bounds that every integer keeps', () => {
        const wrong = all.filter(
          ([, node]) =>
            !(typeof node['type'] === 'string' || node['x-kubernetes-int-or-string'] === true) ||
            isBeyondIntegers(node['minimum']) ||
            isBeyondIntegers(node['maximum']),
        );
        expect(wrong.map(([path]) => path)).toEqual([]);
      });

      it('say in every rule what was expected', () => {
        const rules = all.flatMap(([, node]) => (node[CEL_RULES] ?? []) as { message: string }[]);
        for (const { message } of rules) expect(message).toMatch(/^(?!Expected ).+[.]$/);
      });

      // What an analysis of a check has is described by the Check itself, and a job by the steps of a canary.
      it('describe every field that people write', () => {
        const silent = all.filter(
          ([path, node]) =>
            path.startsWith('.') &&
            !path.endsWith('[]') &&
            path !== '.metadata' &&
            !/[.]check[.]analysis[.]|blueGreen[.]steps\[\][.]job[.]|checks\[\][.](analysis|templates|args|job)/.test(
              path,
            ) &&
            !('description' in node),
        );
        expect(silent.map(([path]) => path)).toEqual([]);
      });
    },
  );
});

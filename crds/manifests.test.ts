import { describe, expect, it } from 'vitest';
import { manifests, stale } from './generate.ts';
import { resources } from './index.ts';

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

function schemaOf(resource: (typeof resources)[number]): Node {
  const { versions } = resource.manifest()['spec'] as { versions: { schema: { openAPIV3Schema: Node } }[] };
  return versions[0]?.schema.openAPIV3Schema ?? {};
}

describe('the manifests', () => {
  it('are what the schemas say', () => expect(stale()).toEqual([]));

  it.each([...manifests()])('%s is small enough for a plain kubectl apply', (_, text) => {
    expect(text.length).toBeGreaterThan(1000);
    expect(text.length).toBeLessThan(262_144);
  });

  describe.each(resources.map((resource) => [resource.kind, schemaOf(resource)] as const))(
    'of %s',
    (_, schema) => {
      const all = [...schemas(schema, '')];

      it('have nothing that a structural schema refuses', () => {
        const refused = all.filter(
          ([, node]) =>
            'oneOf' in node || 'anyOf' in node || ('properties' in node && 'additionalProperties' in node),
        );
        expect(refused.map(([path]) => path)).toEqual([]);
      });

      it('describe every field that people write', () => {
        const silent = all.filter(
          ([path, node]) =>
            path.startsWith('.') && !path.endsWith('[]') && path !== '.metadata' && !('description' in node),
        );
        expect(silent.map(([path]) => path)).toEqual([]);
      });
    },
  );
});

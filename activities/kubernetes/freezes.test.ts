import { describe, expect, it } from 'vitest';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { frozen } from '../../domain/applications/hold.ts';
import { freezesIn } from './freezes.ts';

const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
const made = (seconds: number) => ({ metadata: { creationTimestamp: ago(seconds) } });
const sale = { metadata: { name: 'sale' }, spec: { by: 'ops', reason: 'Black Friday.' } };
const elsewhere = { metadata: { name: 'there' }, spec: { ...sale.spec, namespaces: ['there'] } };

/** The Freezes of an API server where the definition of Freezes is as it is said. */
const read = (definition: object, freezes: object[] = [], createdAt = ago(3600)) =>
  freezesIn(
    {
      get: () => Promise.resolve(definition),
      list: () => Promise.resolve(freezes),
      serves: () => Promise.resolve(true),
    } as never,
    { namespaces: ['', 'default'], createdAt },
  );

describe('the Freezes that hold an object', () => {
  it('come to the one that holds longest, however many are over that nobody has deleted', async () => {
    const over = Array.from({ length: 3_000 }, (_, index) => ({
      metadata: { name: `night-${index}` },
      spec: { ...sale.spec, until: ago(index + 1) },
    }));
    const night = {
      metadata: { name: 'tonight' },
      spec: { ...sale.spec, until: new Date(Date.now() + 60_000).toISOString() },
    };
    expect((await read(made(200), [...over, night])).map(({ name }) => name)).toEqual(['tonight']);
    expect((await read(made(200), [...over, sale, night])).map(({ name }) => name)).toEqual(['sale']);
  });

  it('are those of its namespaces, each once', async () =>
    expect((await read(made(200), [sale, elsewhere])).map(({ name }) => name)).toEqual(['sale']));

  it.each([
    ['is being deleted', { metadata: { ...made(200).metadata, deletionTimestamp: ago(1) } }, ago(3600), true],
    ['was made again a moment ago', made(60), ago(3600), true],
    ['was made a moment ago, before the object', made(60), ago(30), false],
    ['was made long ago', made(200), ago(3600), false],
  ])(
    'hold it where nobody knows of any, as their definition %s: %#',
    async (_, definition, createdAt, holds) => {
      const hold = frozen({ freezes: await read(definition, [], createdAt) }, Date.now());
      expect(hold?.message.startsWith('Held by the kind Freeze: ') ?? false).toBe(holds);
      expect(hold?.until ?? 0).toBeLessThanOrEqual(Date.now() + 120_000);
    },
  );

  it('hold it where that kind is not installed', async () => {
    const missing = new KubernetesError({ status: 404, reason: 'NotFound', message: 'No such kind.' });
    const freezes = await freezesIn({ list: () => Promise.reject(missing) } as never, {
      namespaces: ['default'],
      createdAt: ago(30),
    });
    expect(frozen({ freezes }, Date.now())?.reason).toBe('WaitingForFreeze');
  });
});

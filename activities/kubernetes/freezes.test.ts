import { describe, expect, it } from 'vitest';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { freezesIn } from './freezes.ts';

const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
const sale = { metadata: { name: 'sale' }, spec: { by: 'ops', reason: 'Black Friday.' } };
const elsewhere = { metadata: { name: 'there' }, spec: { ...sale.spec, namespaces: ['there'] } };

const read = (list: () => Promise<object[]>) => freezesIn({ list } as never, ['', 'default']);
const namesOf = async (freezes: object[]) =>
  (await read(() => Promise.resolve(freezes))).map(({ name }) => name);
const refused = (status: number, reason: string) => () =>
  Promise.reject(new KubernetesError({ status, reason, message: `${reason}.` }));

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
    expect(await namesOf([...over, night])).toEqual(['tonight']);
    expect(await namesOf([...over, sale, night])).toEqual(['sale']);
  });

  it('are those of its namespaces, each once', async () =>
    expect(await namesOf([sale, elsewhere])).toEqual(['sale']));

  it('are none where the kind is not installed', async () =>
    expect(await read(refused(404, 'NotFound'))).toEqual([]));

  it.each([
    [403, 'Forbidden'],
    [503, 'ServiceUnavailable'],
  ])(
    'are not taken for none when they cannot be read: %s',
    async (status, reason) => await expect(read(refused(status, reason))).rejects.toThrow(reason),
  );
});

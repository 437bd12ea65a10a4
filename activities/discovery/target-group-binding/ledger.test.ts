import { describe, expect, it } from 'vitest';
import {
  KubernetesError,
  type Identified,
  type Key,
  type KubernetesClient,
} from '../../../clients/kubernetes/kubernetes.ts';
import { openLedger, createBindingReporter } from './ledger.ts';
import { startLifetimeOf } from '../lifetime.ts';

const key = { namespace: 'default', name: 'web' };
const targets = (...ids: string[]) => [{ name: 'nodes', port: 80, ids }];
const conflict = new KubernetesError({ status: 409, reason: 'Conflict', message: 'It is another by now.' });

/** An API server that has one object, and takes an apply only for the version that it has. */
function serving() {
  let version = 1;
  const taken: unknown[] = [];
  const apply = <T extends Identified>(object: T): Promise<T> => {
    const metadata: Key & { readonly resourceVersion?: string } = object.metadata;
    const { resourceVersion = String(version) } = metadata;
    if (resourceVersion !== String(version)) return Promise.reject(conflict);
    version += 1;
    taken.push(object);
    return Promise.resolve({ ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
  };
  return { kubernetes: { apply } as KubernetesClient, taken };
}

const life = startLifetimeOf(new AbortController().signal);
const read = { key, uid: 'u', resourceVersion: '1', status: { targets: targets('i-a') }, life };

describe('what a binding has registered', () => {
  it('is written again and again by the one attempt that writes it', async () => {
    const { kubernetes, taken } = serving();
    const ledger = openLedger(kubernetes, read);
    await ledger.write({ targets: targets('i-a', 'i-b') });
    await ledger.write({ targets: targets('i-b') });
    expect(taken).toMatchObject([{ metadata: { uid: 'u' } }, { status: { targets: targets('i-b') } }]);
  });

  it('is not forgotten because of an attempt that was given up', async () => {
    const { kubernetes, taken } = serving();
    const [givenUp, newer] = [openLedger(kubernetes, read), openLedger(kubernetes, read)];
    await newer.write({ targets: targets('i-a', 'i-b') });
    await expect(givenUp.write({ targets: targets('i-c') })).rejects.toThrow('another by now');
    const object = { apiVersion: '', kind: '', metadata: { ...key, uid: 'u' }, spec: { targets: [] } };
    const report = createBindingReporter(kubernetes);
    await expect(report(object, givenUp, { problems: [] })).rejects.toThrow('another by now');
    expect(taken).toHaveLength(1);
    expect(await report(object, newer, { problems: [] })).toMatchObject({ isPresent: true });
  });

  it('is not written when the time of the attempt is over', async () => {
    const { kubernetes, taken } = serving();
    const over = startLifetimeOf(AbortSignal.abort(new Error('over')));
    const ledger = openLedger(kubernetes, { ...read, life: over });
    await expect(ledger.write({ targets: [] })).rejects.toThrow('over');
    expect(taken).toEqual([]);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { CLUSTER_SET } from '../../clients/kubernetes/kinds.ts';
import { createReadReporter, type ReadObject } from './status-reporter.ts';

interface Applied {
  readonly metadata: { readonly resourceVersion?: string };
  readonly status: { readonly message?: string };
}
const conflict = new KubernetesError({ status: 409, reason: 'Conflict', message: 'It has changed.' });

/** An object in an API server that compares versions. */
class World {
  uid = 'u';
  version = 1;
  status: Applied['status'] | undefined;

  read(): ReadObject {
    const metadata = { namespace: 'shop', name: 'all', uid: this.uid, resourceVersion: `${this.version}` };
    return { metadata, ...(this.status === undefined ? {} : { status: this.status }) };
  }
  edit(): void {
    this.version += 1;
  }
  readonly #report = createReadReporter({
    get: () => Promise.resolve(this.read()),
    apply: ({ metadata, status }: Applied) => {
      if (metadata.resourceVersion !== `${this.version}`) return Promise.reject(conflict);
      this.version += 1;
      this.status = status;
      return Promise.resolve({});
    },
  } as never);

  async tell(read: ReadObject, message: string): Promise<string> {
    try {
      await this.#report(CLUSTER_SET, read, { message });
      return 'Told';
    } catch (error) {
      return String(error);
    }
  }
}

describe('a status of an object as it was read', () => {
  let world: World;
  beforeEach(() => (world = new World()));

  it('is written, also when the object was edited meanwhile', async () => {
    const read = world.read();
    world.edit();
    expect(await world.tell(read, 'first')).toBe('Told');
    expect(world.status).toMatchObject({ message: 'first' });
    expect(await world.tell(world.read(), 'second')).toBe('Told');
    expect(world.status).toMatchObject({ message: 'second' });
  });

  it('is not written over a status that was written since', async () => {
    const late = world.read();
    await world.tell(world.read(), 'later');
    expect(await world.tell(late, 'late')).toContain('was not written: a later one is there');
    expect(world.status).toMatchObject({ message: 'later' });
  });

  it('is not written to another object of that name', async () => {
    const late = world.read();
    world.edit();
    world.uid = 'v';
    expect(await world.tell(late, 'late')).toBe('Told');
    expect(world.status).toBeUndefined();
  });
});

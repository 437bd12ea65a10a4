import { expect, it } from 'vitest';
import { unlimited } from '../../clients/rate-limiter.ts';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { targetGroupsOf, type ObservedForwarding } from '../../domain/load-balancers/load-balancer.ts';
import { aCell, weightsOf } from '../../domain/testing/builders.ts';
import { configViewOf } from './config-object.ts';
import { configWriter } from './config-writer.ts';
import type { ConfigObject } from './port.ts';
import { asActivity, key } from './testing/writer.ts';
import { loadBalancerOf } from './index.ts';

const type = 'AWSApplicationLoadBalancer';
const loadBalancer = loadBalancerOf(type);
const conflict = new KubernetesError({ status: 409, reason: 'Conflict', message: 'It has changed.' });

function serving(weights: Readonly<Record<string, number>>): ObservedForwarding {
  const { observedForwarding } = aCell().serving(weights).seen();
  if (observedForwarding === undefined) throw new TypeError('Expected a Cell that serves.');
  return observedForwarding;
}

/** A configuration object in an API server that compares versions, and what is done to it. */
function anObject() {
  let version = 1;
  let sequence = 1;
  let generation = 1;
  let uid = 'u';
  let status: object | undefined;
  const object = (): ConfigObject => ({
    apiVersion: loadBalancer.kind.apiVersion,
    kind: loadBalancer.kind.kind,
    metadata: {
      ...key,
      uid,
      generation,
      resourceVersion: `${version}`,
      annotations: { 'okra.mumo.co/sequence': `${sequence}` },
    },
    spec: loadBalancer.spec(serving({ a: 100 }), 'Retain'),
    ...(status === undefined ? {} : { status }),
  });
  const kubernetes = {
    get: () => Promise.resolve(object()),
    list: () => Promise.resolve([]),
    apply: (applied: Pick<ConfigObject, 'kind' | 'metadata'> & { readonly status: object }) => {
      // What people read of it besides is an object of its own.
      if (applied.kind !== loadBalancer.kind.kind) return Promise.resolve(applied);
      const { resourceVersion } = applied.metadata;
      if (resourceVersion !== undefined && resourceVersion !== `${version}`) return Promise.reject(conflict);
      version += 1;
      ({ status } = applied);
      return Promise.resolve(applied);
    },
  };
  const writer = configWriter({
    kubernetes: kubernetes as never,
    elbv2: () => {
      throw new Error('Expected nobody to call ELBv2.');
    },
    installation: () => Promise.resolve('here'),
    writes: unlimited,
  });
  /** Reads the object, and gives what tells later of what was served then. */
  const attempt = (weights: Readonly<Record<string, number>>): (() => Promise<string>) => {
    const config = configViewOf({ type, key }, object());
    const served = serving(weights);
    return async () => {
      try {
        const said = await asActivity(() => writer.report(config, { is: 'Served', served, created: false }));
        return said === undefined ? 'Gone' : 'Written';
      } catch (error) {
        return String(error);
      }
    };
  };
  return {
    attempt,
    write: () => void ((version += 1), (sequence += 1), (generation += 1)),
    annotate: () => void (version += 1),
    replace: () => void ((version += 1), (uid = 'v')),
    weights: () => {
      const { observed } = configViewOf({ type, key }, object()).status;
      return observed === undefined ? undefined : weightsOf(targetGroupsOf(observed));
    },
  };
}

it('a status that comes late is not written over that of the attempt that was made since', async () => {
  const object = anObject();
  const late = object.attempt({ a: 80, b: 20 });
  object.write();
  expect(await object.attempt({ a: 100, b: 0 })()).toBe('Written');
  expect(await late()).toContain('a newer attempt has changed the object');
  expect(object.weights()).toEqual({ a: 100, b: 0 });
});

it('nor while that attempt is under way', async () => {
  const object = anObject();
  const late = object.attempt({ a: 80, b: 20 });
  object.write();
  expect(await late()).toContain('a newer attempt has changed the object');
});

it('nor where attempts do not count their writes, as those without a Cell', async () => {
  const object = anObject();
  const late = object.attempt({ a: 80, b: 20 });
  await object.attempt({ a: 100, b: 0 })();
  expect(await late()).toContain('a newer attempt has changed the object');
  expect(object.weights()).toEqual({ a: 100, b: 0 });
});

it('a status is not lost when someone changes something else of the object meanwhile', async () => {
  const object = anObject();
  const report = object.attempt({ a: 80, b: 20 });
  object.annotate();
  expect(await report()).toBe('Written');
  expect(object.weights()).toEqual({ a: 80, b: 20 });
});

it('a status is about no other object of the same name', async () => {
  const object = anObject();
  const report = object.attempt({ a: 80, b: 20 });
  object.replace();
  expect(await report()).toBe('Gone');
});

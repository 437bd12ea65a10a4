import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../test/support/until.ts';
import { aCell, arnOf, paused } from '../okractl/testing/objects.ts';
import { openHub, type Hub } from './hub.ts';
import { aWorld, type WorldOptions } from './testing/world.ts';

let stop = new AbortController();
afterEach(() => {
  stop.abort();
  stop = new AbortController();
});

const cells = ['shop', 'bank', 'other'].map((namespace) => ({
  ...aCell(paused),
  metadata: { name: 'web', namespace },
}));

function hubOf(namespaces: readonly string[], options: WorldOptions = {}): Hub {
  const { session } = aWorld({ objects: cells, ...options });
  return openHub({ kubernetes: session.kubernetes, namespaces, now: Date.now, signal: stop.signal });
}

describe('what is watched', () => {
  it.each([
    ['all namespaces', [], ['shop/web', 'bank/web', 'other/web']],
    ['those that are named', ['shop', 'bank'], ['shop/web', 'bank/web']],
  ])('is of %s', async (_, namespaces, want) => {
    const hub = hubOf(namespaces);
    await until('all of it', async () => hub.watched().isWhole && hub.rows().size === want.length);
    expect([...hub.rows().keys()].toSorted()).toEqual(want.toSorted());
  });

  it('is not all there is until each namespace has been told', async () => {
    const hub = hubOf(['shop', 'bank'], {
      snapshot: (_kind, { namespace } = {}) =>
        namespace === 'bank'
          ? Promise.reject(new Error('no answer in time'))
          : Promise.resolve({ items: [], resourceVersion: '1' }),
    });
    await until('the trouble', async () => hub.watched().troubles.size > 0);
    expect(hub.watched().isWhole).toBe(false);
  });

  it('says of each namespace for itself what may be old, and asks once for what belongs to none', async () => {
    const asked: string[] = [];
    let isBankBack = false;
    const hub = hubOf(['shop', 'bank'], {
      snapshot: ({ kind }, { namespace } = {}) => {
        asked.push(kind);
        const isAway = kind === 'Cell' && (namespace === 'shop' || !isBankBack);
        return isAway
          ? Promise.reject(new Error('no answer in time'))
          : Promise.resolve({ items: [], resourceVersion: '1' });
      },
    });
    const troubles = (): string[] => [...hub.watched().troubles.keys()];
    await until('both', async () => troubles().length === 2);
    expect(troubles().toSorted()).toEqual(['Cell in bank', 'Cell in shop']);
    isBankBack = true;
    await until('one of them', async () => troubles().length === 1);
    expect(troubles()).toEqual(['Cell in shop']);
    expect(asked.filter((kind) => kind === 'Freeze' || kind === 'StagedBindingPolicy')).toHaveLength(2);
  });

  it('shows the Cells that can be read, whatever else cannot', async () => {
    const hub = hubOf(['shop', 'bank'], {
      snapshot: ({ kind }, { namespace } = {}) =>
        namespace === 'bank'
          ? Promise.reject(new Error('no answer in time'))
          : Promise.resolve({ items: kind === 'Cell' ? cells.slice(0, 1) : [], resourceVersion: '1' }),
    });
    await until('the row', async () => hub.rows().size === 1);
    expect(hub.watched().isWhole).toBe(false);
  });

  it('forgets what was asked for when the configuration is gone', async () => {
    const config = {
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'AWSApplicationLoadBalancerConfig',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        listenerARN: 'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:listener/app/web/01/02',
        listener: {
          rule: {
            priority: 10,
            hosts: ['example.com'],
            forward: { targetGroups: [{ name: 'web-a', arn: arnOf('web-a'), weight: 100 }] },
          },
        },
      },
    };
    const { session, remove } = aWorld({ objects: [...cells, config] });
    const hub = openHub({
      kubernetes: session.kubernetes,
      namespaces: [],
      now: Date.now,
      signal: stop.signal,
    });
    const asked = () => hub.known('shop/web')?.asked.is;
    await until('what is asked for', async () => asked() === 'Known');
    remove(config);
    await until('that nothing is', async () => asked() === 'Nothing');
  });

  it('shows all other Cells beside one that is not as it should be', async () => {
    const [web, api] = cells;
    const broken = { ...web!, status: { ...paused, conditions: 'none' as never } };
    const hub = hubOf([], { objects: [broken, api!] });
    await until('the other', async () => hub.rows().size === 1);
    expect([...hub.watched().troubles]).toEqual([
      ['Cell shop/web', expect.stringMatching(/^cannot be shown: TypeError/)],
    ]);
  });
});

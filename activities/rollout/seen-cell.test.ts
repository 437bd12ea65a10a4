import { describe, expect, it } from 'vitest';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { readField } from '../../domain/kubernetes/field-path.ts';
import { rollingOut } from '../../domain/testing/rolling-out.ts';
import { seenCell } from './analysis-templates.ts';

const key = { namespace: 'default', name: 'web' };

/** What a field of a Cell in the midst of a rollout is to an analysis. */
async function read(path: string, of: { readonly rollout?: string } = {}): Promise<unknown> {
  const simulation = rollingOut({
    updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
  });
  simulation.run();
  const { status, spec } = simulation;
  const client = {
    get: () => Promise.resolve({ metadata: key, spec, status }),
  } as unknown as KubernetesClient;
  const { rollout = status.rollout?.id ?? '' } = of;
  const seen = await seenCell(client, { cell: { key, uid: 'u' }, desiredVersion: '2.0.0', rollout });
  return readField(seen, path);
}

describe('what an analysis reads of its Cell', () => {
  it.each([
    ['status.desiredVersion', '2.0.0'],
    ['status.rollout.canary.version', '2.0.0'],
    ['status.rollout.canary.targetGroups[0].fullName', expect.stringMatching(/^targetgroup\/b\//)],
    ['status.rollout.stable.targetGroups[0].fullName', expect.stringMatching(/^targetgroup\/a\//)],
    ['status.rollout.loadBalancer.fullName', expect.stringMatching(/^app\//)],
  ])('is %s', async (path, value) => expect(await read(path)).toEqual({ ok: true, value }));

  it('is not the side of another rollout', async () =>
    expect(await read('status.rollout.canary.version', { rollout: 'another' })).toMatchObject({ ok: false }));
});

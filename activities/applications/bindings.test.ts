import { expect, it } from 'vitest';
import { clusters, web } from '../../domain/applications/testing/applications.ts';
import { ApplicationsWorld } from '../../domain/applications/testing/world.ts';
import { findBindings } from './clusters.ts';

it('says of a cluster that does not answer that nobody knows its TargetGroupBindings', async () => {
  const { spec } = new ApplicationsWorld({ clusters: clusters('web-v1'), applications: [web()] });
  const message = 'Its API server does not answer.';
  const found = await findBindings(
    spec.applications,
    spec.clusters.map((entry) => ({
      observed: { name: entry.name, tags: {}, isReady: false, message },
    })),
  );
  expect(found).toEqual({ web: { 'web-v1': { ok: false, message, isUnanswered: true } } });
});

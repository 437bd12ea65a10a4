import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { bindingsOf, type Bindings } from './bindings.ts';
import { startWorkload, type Workload } from './workload.ts';
import { Stage } from '../support/stage/stage.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/many-clusters.md'), 'utf8');
const [first = '', later = ''] = [...page.matchAll(/```yaml\n([^`]*)```/g)].map(([, text]) => text);

const versions = ['1.0.0', '2.0.0'] as const;
const groupOf = (version: string): string => `web-${version.replaceAll('.', '-')}`;
const instances = (version: string): readonly string[] =>
  [1, 2, 3].map((index) => `i-${`${version[0]}${index}`.padStart(17, '0')}`);
const at30080 = (ids: readonly string[]): readonly string[] => ids.map((id) => `${id}:30080`);

describe('three clusters of a version in one target group', () => {
  let stage: Stage;
  let bindings: Bindings;
  const clusters = new Map<string, Workload>();
  beforeAll(async () => {
    stage = await Stage.open(inject('stack'));
    bindings = bindingsOf(stage);
    for (const version of versions) {
      const arn = await bindings.group(groupOf(version), 'instance');
      stage.versions.set(arn, version);
      await Promise.all(instances(version).map((_, index) => startCluster(version, index)));
    }
  }, 480_000);
  afterAll(async () => {
    await stage.close();
    await Promise.all([...clusters.values()].map((one) => one[Symbol.asyncDispose]()));
  });

  async function startCluster(version: string, index: number): Promise<void> {
    const name = `${groupOf(version)}-${index}`;
    clusters.set(name, await startWorkload(stage, name, { role: 'web', version }));
  }
  const addNode = async (version: string, index: number): Promise<void> =>
    clusters
      .get(`${groupOf(version)}-${index}`)
      ?.addNode('node', instances(version)[index] ?? '', { labels: { role: 'web' } });

  /** Applies what the page shows, with the ARNs of this stage. */
  async function apply(manifests: string): Promise<void> {
    const named = [...stage.arns].reduce(
      (text, [name, arn]) => text.replaceAll(new RegExp(`arn:\\S+:targetgroup/${name}/\\S+`, 'g'), arn),
      manifests.replaceAll(/arn:\S+:listener\/\S+/g, stage.listenerARN),
    );
    for (const document of parseAllDocuments(named)) await stage.apply(document.toJS() as object);
  }
  const registered = (version: string): Promise<readonly string[]> =>
    bindings.registered(stage.arns.get(groupOf(version)) ?? '');
  const untilRegistered = (version: string, ids: readonly string[]): Promise<void> =>
    bindings.untilRegistered(stage.arns.get(groupOf(version)) ?? '', at30080(ids));

  it('is installed by the manifests of the page', async () => {
    for (const index of [0, 1, 2]) await addNode('1.0.0', index);
    await apply(first);
    await untilRegistered('1.0.0', instances('1.0.0'));
    await stage.untilPhase('web', 'Completed', '1.0.0');
    expect(await stage.weights()).toEqual({ 'web-1-0-0': 100 });
  });

  it('gets no traffic as a new version before a node of each of its clusters is healthy', async () => {
    for (const index of [0, 1]) await addNode('2.0.0', index);
    await apply(later);
    await untilRegistered('2.0.0', instances('2.0.0').slice(0, 2));
    const { message } = await stage.untilStatus(
      'web',
      'waiting for the third cluster',
      (status) => status.reason === 'WaitingForHealth' && status.message?.includes('2 of') === true,
    );
    expect(message).toContain('must have at least 3 healthy targets');
    expect(await stage.weights()).toEqual({ 'web-1-0-0': 100, 'web-2-0-0': 0 });
  });

  it('rolls from one to the other by steps, each with all of its targets', async () => {
    await addNode('2.0.0', 2);
    await stage.untilWeights({ 'web-1-0-0': 80, 'web-2-0-0': 20 });
    for (const version of versions) {
      expect(await registered(version)).toEqual(at30080(instances(version)).toSorted());
    }
    await stage.untilPhase('web', 'Paused');
    await stage.signal('web', 'promote');
    await stage.untilPhase('web', 'Completed', '2.0.0');
    expect(await stage.writes()).toEqual([
      { 'web-1-0-0': 100 },
      { 'web-1-0-0': 100, 'web-2-0-0': 0 },
      { 'web-1-0-0': 80, 'web-2-0-0': 20 },
      { 'web-1-0-0': 40, 'web-2-0-0': 60 },
      { 'web-1-0-0': 0, 'web-2-0-0': 100 },
    ]);
    expect(await registered('2.0.0')).toEqual(at30080(instances('2.0.0')).toSorted());
    expect(await stage.violations([20, 60], 10)).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import type { Cell } from '../../crds/cell.ts';
import type { Freeze } from '../../crds/freeze.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { SOURCE_ANNOTATION } from '../../domain/kubernetes/labels.ts';
import { eachForged, forgedIn, HOSTILE, worldsOf } from '../testing/forged.ts';
import { endingOf } from './shell.ts';
import { asYaml, forPrograms } from './output.ts';
import { CHANGE_CAUSE } from './rollback.ts';
import { showIn } from './watch.ts';
import { aCell, arnOf, aTargetGroup, paused } from './testing/objects.ts';
import { runOkractl, type FakeObject } from './testing/shell.ts';
import { nothingWatched } from './watched.ts';

const time = '2026-11-22T09:00:00Z';
const API_VERSION = 'okra.mumo.co/v1alpha1';
const request = { action: 'pause', by: 'ann', reason: 'lunch', time } as const;
const verdict = { name: 'check', phase: 'Failed', message: 'too many errors' } as const;

const cell: FakeObject = {
  ...aCell({
    ...paused,
    paused: request,
    requests: [request],
    rollout: { ...paused.rollout!, paused: request, stepStartedAt: time, stepEndsAt: time },
    blockedVersions: [{ version: '3.0.0', cause: 'Aborted by ann.', time }],
    rejectedTargetGroups: [{ name: 'web-a', reason: 'NoVersion', message: 'web-a has no version.' }],
    analysisRun: verdict,
    backgroundAnalysisRun: verdict,
    check: verdict,
    approval: {
      id: 'r1-1',
      count: 2,
      lacking: 1,
      groups: ['release'],
      approvals: [{ by: 'bob', reason: 'looks fine', time }],
      message: 'Look at the graphs.',
    },
    clusters: [{ name: 'east', ready: false, message: 'It does not answer.', since: time }],
    conditions: [
      { type: 'Ready', status: 'False', reason: 'Paused', message: 'Paused.', lastTransitionTime: time },
    ],
    history: [
      {
        version: '1.0.0',
        from: '0.9.0',
        outcome: 'Completed',
        message: '1.0.0 serves.',
        startedAt: time,
        endedAt: time,
        requests: [request],
      },
    ],
  } as Cell['status']),
  metadata: { name: 'web', namespace: 'default', annotations: { [CHANGE_CAUSE]: 'okractl rollback by ann' } },
};

const applications = {
  ...aCell({
    phase: 'Progressing',
    message: 'It moves.',
    paused: request,
    applications: [
      {
        name: 'api',
        phase: 'Progressing',
        revision: 2,
        message: 'It waits.',
        checks: [{ name: 'errors', phase: 'Failed' }],
        child: { name: 'api-child', weight: 10 },
      },
    ],
  } as unknown as Cell['status']),
  metadata: { name: 'apps', namespace: 'default' },
};

const policy = {
  apiVersion: 'community.kubestellar.io/v1alpha1',
  kind: 'StagedBindingPolicy',
  metadata: { name: 'nginx' },
  spec: { stages: [{ name: 'dev', clusterSelectors: [{ matchLabels: { env: 'dev' } }] }] },
  status: {
    phase: 'Paused',
    reason: 'Asked',
    message: 'It waits.',
    activeStage: 'dev',
    fulfilled: '1/2',
    paused: request,
    held: { reason: 'Superseded', message: 'Another one came.' },
    requests: [request],
    stages: [{ name: 'dev', phase: 'Paused', objects: 2, fulfilled: 1, firstUnfulfilled: 'a', reason: 'b' }],
  },
};

const freeze = {
  apiVersion: API_VERSION,
  kind: 'Freeze',
  metadata: { name: 'sale' },
  spec: { by: 'ops', reason: 'peak', namespaces: ['default'], until: '2027-01-01T00:00:00Z' },
};

const group = aTargetGroup('web-a', '1.0.0');
const objects: readonly FakeObject[] = [
  cell,
  applications,
  policy,
  freeze,
  {
    ...group,
    metadata: {
      ...group.metadata,
      annotations: { [SOURCE_ANNOTATION]: 'east/shop/web' },
      ownerReferences: [{ kind: 'AWSTargetGroupSet', name: 'all' }],
    },
    status: { conditions: [{ type: 'Ready', status: 'False', message: 'There is none.' }] },
  } as FakeObject,
  aTargetGroup('web-b', '2.0.0'),
  {
    apiVersion: API_VERSION,
    kind: 'AWSTargetGroupBinding',
    metadata: { name: 'web', namespace: 'default' },
    spec: { targetGroupARN: arnOf('web-a') },
    status: { targets: [{ clusters: ['east'], ids: ['i-1'] }] },
  } as FakeObject,
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'east',
      namespace: 'default',
      annotations: { 'okra.mumo.co/cluster-id': 'arn:east' },
      ownerReferences: [{ kind: 'ClusterSet', name: 'all' }],
    },
  } as FakeObject,
  {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'web.1', namespace: 'default' },
    type: 'Warning',
    reason: 'Paused',
    note: 'Someone has paused it.',
    eventTime: time,
    regarding: { kind: 'Cell', name: 'web' },
  } as FakeObject,
];

const worlds = worldsOf(objects);

describe('a text that someone else has written', () => {
  it.each([
    [['get', 'cells']],
    [['get', 'cells', '-o', 'wide', '-A']],
    [['get', 'cells', '-o', 'name']],
    [['get', 'sbp']],
    [['get', 'freezes']],
    [['get', 'awstargetgroups']],
    [['describe', 'web', 'apps']],
    [['describe', 'sbp/nginx']],
    [['history', 'web']],
    [['history', 'sbp/nginx']],
    [['plan', 'web']],
    [['plan', 'apps']],
    [['trace', 'awstargetgroup/web-a']],
    [['check']],
    [['abort', 'web']],
    [['abort', 'sbp/nginx']],
    [['rollback', 'web', '--to', '0.1.0']],
    [['unfreeze', 'night']],
  ])('begins no line of %j', async (words) => {
    const forged = [];
    for (const world of worlds) {
      const { out, err } = await runOkractl(words, { objects: world, answer: { is: 'NotRunning' } });
      forged.push(...forgedIn(out), ...forgedIn(err));
    }
    expect(forged).toEqual([]);
  });

  it.each([[['lint']], [['plan', '--offline']], [['convert']]])(
    'begins no line of what %j says of a file',
    async (words) => {
      for (const manifest of eachForged({ ...aCell(), status: undefined, old: 'x' })) {
        const files = { 'web.yaml': stringify(manifest) };
        const { out, err } = await runOkractl([...words, '-f', 'web.yaml'], { files });
        expect([...(words[0] === 'convert' ? [] : forgedIn(out)), ...forgedIn(err)]).toEqual([]);
      }
    },
  );

  it('begins no line of an error', () => {
    const error = new Error(`Expected an answer, got none.${HOSTILE}`);
    expect(forgedIn(endingOf(error).message)).toEqual([]);
  });

  it.each([
    ['on a screen', { columns: () => 1_000, rows: () => 200 }],
    ['line by line', undefined],
  ])('begins no line and moves no cursor where a rollout is watched %s', (_, screen) => {
    for (const world of worlds) {
      const said: string[] = [];
      const shown = showIn({
        isColoured: () => false,
        screen,
        write: (text: string) => said.push(text),
        print: (text: string) => said.push(text),
        warn: (text: string) => said.push(text),
        now: () => Date.parse(time),
      } as unknown as Parameters<typeof showIn>[0]);
      const of = <T>(kind: string) =>
        new Map(
          world
            .filter((object) => object.kind === kind)
            .map(({ metadata: { namespace, name }, ...object }) => {
              const key = namespace === undefined ? name : `${namespace}/${name}`;
              return [key, { metadata: { namespace, name }, ...object } as T];
            }),
        );
      shown.update({
        ...nothingWatched(),
        isWhole: true,
        cells: of<Cell>('Cell'),
        policies: of<StagedBindingPolicy>('StagedBindingPolicy'),
        freezes: of<Freeze>('Freeze'),
        troubles: new Map([['cells', `no answer${HOSTILE}`]]),
      });
      shown.end();
      // oxlint-disable-next-line no-control-regex -- what okractl itself moves the cursor with
      const text = said.join('\n').replaceAll(/\u001B\[(\?1049[hl]|\?25[hl]|[HKJ])/g, '');
      expect(forgedIn(text)).toEqual([]);
      expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
    }
  });

  it('is exactly what it was for programs, and no command to a terminal either', () => {
    for (const object of objects)
      for (const forged of eachForged(object)) {
        const value = { [`key${HOSTILE}`]: `\ttab\n${HOSTILE}\n`, list: [forged, 'two\nlines\n'] };
        const json = forPrograms(value, 'json') ?? '';
        const yaml = asYaml(value);
        expect(JSON.parse(json)).toEqual(value);
        expect(parseAllDocuments(yaml).map((one) => one.toJS() as unknown)).toEqual([value]);
        expect(json + yaml).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
      }
  });
});

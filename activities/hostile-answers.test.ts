import { decodeBase64 } from '../clients/kubernetes/base64.ts';
import { Readable } from 'node:stream';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { ApplicationFailure } from '@temporalio/common';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectEKS } from '../clients/aws/eks.ts';
import { elbv2Reads, type ELBv2Reads } from '../clients/aws/elbv2-reads.ts';
import { clientOver } from '../clients/kubernetes/kubernetes.ts';
import { REMOTE_CLUSTER } from '../clients/kubernetes/kubernetes-answer.ts';
import { openRemoteClusters, type StoredClusterSecret } from '../clients/kubernetes/remote-clusters.ts';
import { readKnownCluster } from '../domain/discovery/clusters/known-cluster.ts';
import { deriveGroup } from '../domain/discovery/target-group-set/target-group-of-binding.ts';
import { failures } from '../domain/failures.ts';
import {
  awsAnswer,
  bindingLists,
  eksAnswers,
  elbv2Answer,
  storedSecret,
} from '../test/support/hostile/answers.ts';
import { SECRET, TOKEN } from '../test/support/hostile/values.ts';
import { createReadClusters } from './discovery/cluster-set/cluster-set.ts';
import { listBindings } from './discovery/clusters/target-group-bindings.ts';
import { toFailure } from './failure.ts';

/** 20,000 together: secrets, lists of three bindings on average, readings of two or three answers of EKS, and answers of ELBv2. */
const RUNS = { secrets: 7_000, bindings: 3_000, eks: 1_000, elbv2: 1_500 };

const NEVER = new AbortController().signal;
const LONGEST_MILLISECONDS = 1_000;
// Some seconds, unless the machine does much besides.
const TIMEOUT = 120_000;

/** Runs something, and says that it takes no long time of the processor, whatever else the machine does. */
async function briefly<T>(run: () => T | Promise<T>): Promise<T> {
  const before = process.threadCpuUsage();
  const got = await run();
  const { user, system } = process.threadCpuUsage();
  expect((user - before.user + system - before.system) / 1_000).toBeLessThan(LONGEST_MILLISECONDS);
  return got;
}

/** What nobody meant to throw, unless it is from a package, which may be of another mind about an answer. */
function slipIn(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const isSlip = [TypeError, RangeError, ReferenceError, URIError].some((slip) => error instanceof slip);
  if (!isSlip) return undefined;
  const [place = ''] = /^\s+at .*$/m.exec(error.stack ?? '') ?? [];
  return /node_modules|node:/.test(place) ? undefined : error.stack;
}

/** The result of something; an error has to be one that Okra, or the SDK, meant, and must tell no secret. */
async function outcomeOf<T>(run: () => Promise<T>, untold: readonly string[]): Promise<T | undefined> {
  const outcome = await briefly(() =>
    run().then(
      (got) => ({ got, error: undefined }),
      (error: unknown) => ({ got: undefined, error: error ?? new TypeError('nothing') }),
    ),
  );
  if (outcome.error !== undefined) judge(outcome.error, untold);
  return outcome.got;
}

function judge(error: unknown, untold: readonly string[]): void {
  expect(slipIn(error)).toBeUndefined();
  const told = toFailure(error);
  expect(told).toBeInstanceOf(ApplicationFailure);
  expect(Object.keys(failures)).toContain(told instanceof ApplicationFailure ? told.type : undefined);
  expect(told.message).not.toBe('');
  for (const text of untold) expect(told.message).not.toContain(text);
}

const texts = (of: Readonly<Record<string, unknown>>): void => {
  for (const [key, value] of Object.entries(of)) expect([key, typeof value]).toEqual([key, 'string']);
};

describe('what a cluster secret says, whatever it is,', () => {
  const clusters = openRemoteClusters({
    tokens: () => Promise.resolve('token'),
    endpoints: () => Promise.reject(new Error('nobody asks')),
    own: () => () => Promise.reject(new Error('nobody asks')),
    access: () => Promise.resolve(undefined),
    region: 'eu-central-1',
    execCommands: [],
    execServers: [],
  });

  it(
    'is followed, or refused without a word out of it',
    async () => {
      const seen = { Client: 0, Problem: 0 };
      await fc.assert(
        fc.asyncProperty(storedSecret, async (secret) => {
          const stored = secret as StoredClusterSecret;
          const { name, tags = {} } = await briefly(() => readKnownCluster(stored, decodeBase64));
          texts({ name, ...tags });
          const reach = await briefly(() => clusters.reach(stored));
          seen[reach.is] += 1;
          if (reach.is === 'Client') return;
          expect(reach.problem).toMatch(/^[A-Z].*\.$/s);
          expect(reach.problem).not.toContain(SECRET);
        }),
        { numRuns: RUNS.secrets },
      );
      for (const much of Object.values(seen)) expect(much).toBeGreaterThan(RUNS.secrets / 50);
    },
    TIMEOUT,
  );
});

describe('whatever a cluster answers for its bindings', () => {
  it(
    'they are read as what they are, or not read',
    async () => {
      const seen = { read: 0, unread: 0 };
      await fc.assert(
        fc.asyncProperty(bindingLists, async (answers) => {
          const open = [...answers];
          const send = () => Promise.resolve(Readable.from([Buffer.from(open.shift() ?? answers[0] ?? '')]));
          const client = clientOver(send, 10_000, { limits: REMOTE_CLUSTER });
          const lists = await outcomeOf(() => listBindings(client), [SECRET, TOKEN]);
          seen[lists === undefined ? 'unread' : 'read'] += 1;
          for (const binding of (lists ?? []).flatMap((list) => list ?? [])) {
            const { arn = '', namespace, name, labels } = binding;
            texts({ arn, namespace, name, ...labels });
            const cluster = { secret: 'prod', name: 'prod', labels: {}, tags: {} };
            await briefly(() => deriveGroup({ generators: [] }, cluster, binding));
          }
        }),
        { numRuns: RUNS.bindings },
      );
      for (const much of Object.values(seen)) expect(much).toBeGreaterThan(RUNS.bindings / 50);
    },
    TIMEOUT,
  );
});

describe('whatever AWS answers', () => {
  const credentials = () => Promise.resolve({ accessKeyId: 'AKIA', secretAccessKey: TOKEN });
  let answers: readonly { status: number; type: string; body: string }[] = [];
  let asked = 0;

  beforeAll(() => {
    vi.spyOn(NodeHttpHandler.prototype, 'handle').mockImplementation(() => {
      const answer = answers[asked % answers.length];
      asked += 1;
      const { status: statusCode, type, body } = answer ?? { status: 200, type: '', body: '' };
      const headers = {
        'content-type': 'application/json',
        ...(type === '' ? {} : { 'x-amzn-errortype': type }),
      };
      const response = { statusCode, headers, body: Readable.from([Buffer.from(body)]) };
      return Promise.resolve({ response } as unknown as ReturnType<NodeHttpHandler['handle']>);
    });
  });
  afterAll(() => vi.restoreAllMocks());

  it(
    'EKS is read as what it says, or not read',
    async () => {
      const eks = connectEKS({ credentials, endpoint: 'http://127.0.0.1:1' });
      const readClusters = createReadClusters({ eks });
      const seen = { read: 0, unread: 0 };
      await fc.assert(
        fc.asyncProperty(fc.array(awsAnswer(eksAnswers), { minLength: 1, maxLength: 4 }), async (given) => {
          answers = given;
          asked = 0;
          const settings = { region: 'eu-central-1' };
          const found = await outcomeOf(() => readClusters(settings, NEVER, []), [TOKEN]);
          seen[found === undefined ? 'unread' : 'read'] += 1;
          for (const { id, name, tags, said, access } of found?.clusters ?? [])
            texts({ id, name, ...tags, said, ...access });
          for (const { problem } of found?.unread ?? []) expect(problem.message).not.toContain(TOKEN);
        }),
        { numRuns: RUNS.eks },
      );
      for (const much of Object.values(seen)) expect(much).toBeGreaterThan(RUNS.eks / 50);
    },
    TIMEOUT,
  );

  it(
    'ELBv2 is read as what it says, or not read',
    async () => {
      const elbv2 = elbv2Reads(
        new ElasticLoadBalancingV2Client({
          region: 'eu-central-1',
          credentials,
          endpoint: 'http://127.0.0.1:1',
        }),
      );
      const reads: readonly ((of: ELBv2Reads) => Promise<unknown>)[] = [
        (of) => of.rulesOf('l'),
        (of) => of.rule('r'),
        (of) => of.listener('l'),
        (of) => of.loadBalancer('b'),
        (of) => of.loadBalancerAttributes('b'),
        (of) => of.tagsOf('r'),
        (of) => of.tagsOfAll(['r', 'l']),
        (of) => of.tagsOfGroups(['a', 'b']),
        (of) => of.targetGroups(['a', 'b']),
        (of) => of.targetGroupNamed('a'),
        (of) => of.targetHealth('a'),
        (of) => of.attributesOf('a'),
      ];
      const seen = { read: 0, unread: 0 };
      await fc.assert(
        fc.asyncProperty(fc.nat(reads.length - 1), awsAnswer(elbv2Answer), async (which, given) => {
          answers = [given];
          const found = await outcomeOf(async () => [await reads[which]?.(elbv2)], [TOKEN]);
          seen[found === undefined ? 'unread' : 'read'] += 1;
        }),
        { numRuns: RUNS.elbv2 },
      );
      for (const much of Object.values(seen)) expect(much).toBeGreaterThan(RUNS.elbv2 / 50);
    },
    TIMEOUT,
  );
});

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { BUDGET_NAME } from '../../clients/aws/budget-object.ts';
import { CONFIG_MAP, NAMESPACE } from '../../clients/kubernetes/kinds.ts';
import { connectKubernetes, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { createLog } from '../../clients/log.ts';
import { sharedBudget, type WriteBudget } from '../../clients/aws/shared-budget.ts';
import type { Grant, Ticket } from '../../domain/load-balancers/budget.ts';
import { applyTo, type Manifest } from '../../local/applying/apply.ts';
import { callTo } from '../../local/applying/calls.ts';

const stack = inject('stack');
const RBAC = 'rbac.authorization.k8s.io';
const never = new AbortController().signal;
const rate = { perSecond: 20, burst: 5 };
const T = 50;

let namespaces = 0;
let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'okra-budget-'));
});
afterAll(() => rm(dir, { recursive: true }));

/** A namespace of its own, with a client for each worker, as each is a process of its own. */
async function place() {
  namespaces += 1;
  const namespace = `budget-${namespaces}`;
  const kubernetes = connectKubernetes(stack.kubeconfig);
  await kubernetes.create({ apiVersion: 'v1', kind: NAMESPACE.kind, metadata: { name: namespace } });
  const worker = (client: KubernetesClient = connectKubernetes(stack.kubeconfig)): WriteBudget =>
    sharedBudget({
      kubernetes: client,
      namespace,
      rates: { writes: rate, registrations: rate, queries: rate },
      log: createLog('silent'),
    }).writes;
  const key = { namespace, name: BUDGET_NAME };
  return { namespace, kubernetes, worker, key };
}

interface Served {
  readonly urgent: boolean;
  readonly atMs: number;
  /** How long it was told to wait, in all. Requests that take long do not count. */
  readonly waitMs: number;
  readonly ticket: Ticket | undefined;
}

/** Comes back as told until it is granted, and says when that was, how long it was told to wait, and what place it had at first. */
async function served(budget: WriteBudget, urgent: boolean, begin: number): Promise<Served> {
  let first: Ticket | undefined;
  let waitMs = 0;
  for (let ticket: Ticket | undefined; ;) {
    const grant = await budget.take('1/eu', { urgent, ticket }, never);
    const atMs = Date.now() - begin;
    if (grant.is === 'Granted') return { urgent, atMs, waitMs, ticket: first };
    ticket = grant.ticket;
    first ??= ticket;
    waitMs += grant.waitMs;
    await wait(grant.waitMs);
  }
}

const ticketIn = (grant: Grant | undefined): Ticket => {
  if (grant?.is !== 'Wait') throw new Error(`Expected to have to wait, got ${JSON.stringify(grant)}.`);
  return grant.ticket;
};

describe('the write budget', () => {
  it('is kept by several workers at once: the rate holds, in order, and what is urgent goes first', async () => {
    const { worker } = await place();
    const workers = [worker(), worker(), worker()];
    const begin = Date.now();
    const usual = Array.from({ length: 60 }, (_, index) => served(workers[index % 3]!, false, begin));
    await Promise.race(usual);
    const urgent = Array.from({ length: 10 }, (_, index) => served(workers[index % 3]!, true, begin));
    const all = (await Promise.all([...usual, ...urgent])).toSorted((a, b) => a.atMs - b.atMs);

    for (const [index, { atMs }] of all.entries()) {
      expect(index + 1).toBeLessThanOrEqual(rate.burst + 1 + atMs / T);
    }
    // Those that are urgent wait for each other, and once more at most where they come late for their turn; not for the 55 that came before.
    const urgentWaits = all.filter((one) => one.urgent).map(({ waitMs }) => waitMs);
    expect(urgentWaits).toHaveLength(urgent.length);
    expect(Math.max(...urgentWaits)).toBeLessThanOrEqual(2 * urgent.length * T);
    const numbers = all.filter((one) => !one.urgent && one.ticket).map(({ ticket }) => ticket!.number);
    const third = Math.floor(numbers.length / 3);
    const inOrder = numbers.toSorted((a, b) => a - b);
    const [early, late] = [new Set(inOrder.slice(0, third)), new Set(inOrder.slice(-third))];
    // On a busy machine one may come late for its turn; without an order, half of them would be overtaken.
    const overtaken = numbers.flatMap((number, index) =>
      early.has(number) ? numbers.slice(0, index).filter((before) => late.has(before)) : [],
    );
    expect(overtaken.length).toBeLessThan((early.size * late.size) / 5);
  });

  it('begins again, empty, when the object is deleted while some wait', async () => {
    const { worker, kubernetes, key } = await place();
    const [one, other] = [worker(), worker()];
    const take = (budget: WriteBudget, ticket?: Ticket) =>
      budget.take('1/eu', { urgent: false, ticket }, never);
    const grants = await Promise.all(Array.from({ length: 20 }, () => take(one)));
    const waiting = grants.filter(({ is }) => is === 'Wait');
    // However long the requests take, no more can come due meanwhile than at once.
    expect(waiting.length).toBeGreaterThanOrEqual(20 - rate.burst);
    await kubernetes.delete(CONFIG_MAP, key);
    const begin = Date.now();
    const back = await Promise.all(waiting.map((grant) => take(other, ticketIn(grant))));
    expect(back.filter(({ is }) => is === 'Granted').length).toBeLessThanOrEqual((Date.now() - begin) / T);
    expect(await kubernetes.get(CONFIG_MAP, key)).toMatchObject({ data: { '1_eu': expect.any(String) } });
    const after = await Promise.all([served(one, false, begin), served(other, false, begin)]);
    expect(after).toHaveLength(2);
  });

  it('begins again when someone writes nonsense into it', async () => {
    const { worker, kubernetes, key } = await place();
    const budget = worker();
    const take = () => budget.take('1/eu', { urgent: false }, never);
    await take();
    await kubernetes.patch(CONFIG_MAP, key, { data: { '1_eu': '{"at":1e99}', other: 'kept' } });
    expect(await take()).toMatchObject({ is: 'Wait', waitMs: T });
    expect(await kubernetes.get(CONFIG_MAP, key)).toMatchObject({ data: { other: 'kept' } });
  });

  it('says which rights are missing, and these are enough', async () => {
    const { namespace, worker } = await place();
    const applying = applyTo(stack.kubeconfig);
    const apply = (object: object) => applying(object as Manifest, namespace);
    const metadata = { name: 'okra' };
    await apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    const { status } = await callTo(stack.kubeconfig)<{ status: { token: string } }>({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/okra/token`,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    });
    const admin = parse(await readFile(stack.kubeconfig, 'utf8')) as object;
    const kubeconfig = join(dir, namespace);
    await writeFile(
      kubeconfig,
      stringify({ ...admin, users: [{ name: 'admin', user: { token: status.token } }] }),
    );
    const budget = worker(connectKubernetes(kubeconfig));
    const take = () => budget.take('1/eu', { urgent: false }, never);

    await expect(take()).rejects.toThrow(
      `Allow get, create and patch of configmaps in the namespace ${namespace}.`,
    );
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch'] }];
    await apply({ apiVersion: `${RBAC}/v1`, kind: 'Role', metadata, rules });
    const roleRef = { apiGroup: RBAC, kind: 'Role', name: 'okra' };
    const subjects = [{ kind: 'ServiceAccount', name: 'okra', namespace }];
    await apply({ apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata, roleRef, subjects });
    await expect.poll(take, { timeout: 30_000 }).toMatchObject({ is: 'Granted' });
    // As many at once as come in one patch, however long that takes.
    const grants = await Promise.all(Array.from({ length: 4 * rate.burst }, take));
    expect(new Set(grants.map((grant) => grant.is))).toEqual(new Set(['Granted', 'Wait']));
    expect((await served(budget, true, Date.now())).urgent).toBe(true);
  });
});

import { setTimeout as wait } from 'node:timers/promises';
import type { ArmedFault } from './faults.ts';
import type { CallFilter, CallRecord } from './log.ts';
import type { FaultInput, Settings, TargetsInput } from './switches.ts';

export type { ArmedFault } from './faults.ts';
export type { TargetView } from './health.ts';
export type { CallFilter, CallRecord } from './log.ts';
export type { FaultInput, Match, Settings, TargetsInput } from './switches.ts';
export type { Forward, RuleView } from './world/world.ts';

/** Switches a running proxy and reads its log. */
export interface ProxyControl {
  health(): Promise<{ readonly ok: true }>;
  settings(): Promise<Settings>;
  /** Changes some settings; the others stay. They hold for everybody who uses the proxy: prefer faults with a match. */
  changeSettings(change: Partial<Settings>): Promise<Settings>;
  resetSettings(): Promise<Settings>;
  /** Arms a fault and gives its id. */
  addFault(fault: FaultInput): Promise<string>;
  faults(): Promise<readonly ArmedFault[]>;
  removeFault(id: string): Promise<void>;
  clearFaults(): Promise<void>;
  /** Says what the targets of a group are from now on. */
  setTargets(targets: TargetsInput): Promise<void>;
  /** Makes the targets of a group, or of all groups, healthy again. */
  clearTargets(targetGroupArn?: string): Promise<void>;
  /** Lets the caller with an access key do what an IAM policy allows, and nothing else. */
  setPolicy(accessKey: string, policy: object): Promise<void>;
  /** Lets everybody do everything again. */
  clearPolicies(): Promise<void>;
  calls(filter?: CallFilter): Promise<readonly CallRecord[]>;
  /** The number of the last call, to be used as `since`. */
  lastCall(): Promise<number>;
  /** Waits until a logged call fulfils the condition, and gives it. */
  waitForCall(
    condition: (call: CallRecord) => boolean,
    options?: { readonly filter?: CallFilter; readonly timeoutMs?: number },
  ): Promise<CallRecord>;
}

interface Calls {
  readonly calls: readonly CallRecord[];
  readonly last: number;
}

type Send = <T>(method: string, path: string, body?: unknown) => Promise<T>;

function sender(url: string): Send {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const answer = await fetch(`${url}/_proxy/${path}`, init);
    const json = (await answer.json()) as T & { readonly error?: string };
    if (!answer.ok)
      throw new Error(json.error ?? `Expected the proxy to answer ${path}, got ${answer.status}.`);
    return json;
  };
}

function queryOf(filter: CallFilter): string {
  const given: readonly [string, unknown][] = Object.entries(filter);
  const pairs = given.flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined)
      .map((one): [string, string] => [name, String(one)]),
  );
  return new URLSearchParams(pairs).toString();
}

async function waitFor(
  send: Send,
  condition: (call: CallRecord) => boolean,
  filter: CallFilter,
  timeoutMs: number,
) {
  const deadline = Date.now() + timeoutMs;
  for (let since = filter.since ?? 0; ;) {
    const { calls, last } = await send<Calls>('GET', `calls?${queryOf({ ...filter, since })}`);
    const found = calls.find(condition);
    if (found !== undefined) return found;
    since = last;
    if (Date.now() > deadline) {
      throw new Error(
        `Expected a call that fulfils ${condition.toString()} within ${timeoutMs} ms, got none.`,
      );
    }
    await wait(20);
  }
}

/** Connects to the control endpoint of a proxy. */
export function proxyControl(url: string): ProxyControl {
  const send = sender(url);
  return {
    health: () => send('GET', 'health'),
    settings: () => send('GET', 'settings'),
    changeSettings: (change) => send('PUT', 'settings', change),
    resetSettings: () => send('DELETE', 'settings'),
    addFault: async (fault) => (await send<{ readonly id: string }>('POST', 'faults', fault)).id,
    faults: async () => (await send<{ readonly faults: readonly ArmedFault[] }>('GET', 'faults')).faults,
    removeFault: async (id) => {
      await send('DELETE', `faults/${encodeURIComponent(id)}`);
    },
    clearFaults: async () => {
      await send('DELETE', 'faults');
    },
    setTargets: async (targets) => {
      await send('PUT', 'targets', targets);
    },
    clearTargets: async (arn) => {
      await send(
        'DELETE',
        arn === undefined ? 'targets' : `targets?targetGroupArn=${encodeURIComponent(arn)}`,
      );
    },
    setPolicy: async (accessKey, policy) => {
      await send('PUT', 'policies', { accessKey, policy });
    },
    clearPolicies: async () => {
      await send('DELETE', 'policies');
    },
    calls: async (filter = {}) => (await send<Calls>('GET', `calls?${queryOf(filter)}`)).calls,
    lastCall: async () => (await send<Calls>('GET', `calls?since=${Number.MAX_SAFE_INTEGER}`)).last,
    waitForCall: (condition, { filter = {}, timeoutMs = 10_000 } = {}) =>
      waitFor(send, condition, filter, timeoutMs),
  };
}

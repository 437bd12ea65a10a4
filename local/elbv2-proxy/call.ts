import { setTimeout as wait } from 'node:timers/promises';
import { askFor } from './emulator.ts';
import type { ArmedFault } from './faults.ts';
import { failed, type Call, type Handled, type ProxyState, type Reply } from './handled.ts';
import type { CallRecord } from './log.ts';
import { judgeAccess } from './iam/judge.ts';
import { isRead } from './protocol/actions.ts';
import { type Fields, withoutSecrets } from './protocol/fields.ts';
import type { ElbRequest } from './protocol/request.ts';
import type { AwsError } from './protocol/xml.ts';
import { read } from './read.ts';
import { awsBuckets, isSlow, type Fault } from './switches.ts';
import type { Scope } from './world/scopes.ts';
import { write } from './write.ts';

const nameOf = (fault: ArmedFault): string => `${fault.kind}-${fault.when}`;

const throttled = (code: string): AwsError => ({ code, message: 'Rate exceeded', status: 400 });

function replyOf(fault: ArmedFault): Reply | undefined {
  if (fault.kind === 'drop') return { kind: 'drop' };
  if (fault.kind === 'throttle') return { kind: 'error', error: throttled(fault.code ?? 'Throttling') };
  if (fault.kind !== 'error') return undefined;
  const message = fault.message ?? 'The request processing has failed because of an unknown error.';
  return {
    kind: 'error',
    error: { code: fault.code ?? 'InternalFailure', message, status: fault.status ?? 500 },
  };
}

async function suffer(
  state: ProxyState,
  call: { readonly action: string; readonly parameters: Fields },
  when: Fault['when'],
): Promise<{ readonly reply: Reply | undefined; readonly struck: readonly ArmedFault[] }> {
  const struck = state.faults.take(call, when, Date.now());
  const delay = struck.reduce((sum, fault) => sum + (fault.kind === 'delay' ? (fault.delayMs ?? 0) : 0), 0);
  if (delay > 0) await wait(delay);
  return { reply: struck.map(replyOf).find((reply) => reply !== undefined), struck };
}

const bucketOf = (action: string): keyof typeof awsBuckets => {
  if (isRead(action)) return 'reads';
  return action === 'RegisterTargets' || action === 'DeregisterTargets' ? 'registrations' : 'writes';
};

function isThrottled({ action, state, scope }: Call): AwsError | undefined {
  const { throttle } = state.settings;
  if (throttle === null) return undefined;
  const kind = bucketOf(action);
  const limits = throttle[kind] ?? awsBuckets[kind];
  const isAllowed = state.buckets.take(`${scope.account}/${scope.region}/${kind}`, limits, Date.now());
  return isAllowed ? undefined : throttled(throttle.code);
}

async function isDenied(call: Call, request: ElbRequest): Promise<AwsError | undefined> {
  const { action, parameters, state, scope, ask } = call;
  const accessKey = request.credential?.accessKey ?? '';
  const policy = state.policies.get(accessKey);
  if (policy === undefined) return undefined;
  const { account, region } = scope;
  return judgeAccess(
    policy,
    { action, parameters, world: await scope.world(ask), account, region },
    accessKey,
  );
}

async function perform(state: ProxyState, request: ElbRequest, scope: Scope): Promise<Handled> {
  const { action, parameters } = request;
  if (state.settings.delayMs > 0) await wait(state.settings.delayMs);
  const early = await suffer(state, request, 'before');
  const names = early.struck.map(nameOf);
  if (early.reply !== undefined) return { reply: early.reply, notes: { fault: names.join(' ') } };
  const staleFault = early.struck.find((fault) => fault.kind === 'stale');
  const spelt = scope.spelling.spoken(askFor(state.upstream, request));
  const ask = scope.keeping.spoken(scope.protocols.spoken(spelt));
  const slow = early.struck.filter((fault) => isSlow(fault.kind));
  const call: Call = { action, parameters, state, scope, ask, staleFault, slow };
  const denial = await isDenied(call, request);
  if (denial !== undefined) return failed(denial, { refusedBy: 'policy' });
  const refusal = isThrottled(call);
  if (refusal !== undefined) return failed(refusal, { fault: [...names, 'throttle-setting'].join(' ') });
  const handled = isRead(action) ? await read(call) : await write(call);
  const late =
    handled.reply.kind === 'result'
      ? await suffer(state, request, 'after')
      : { reply: undefined, struck: [] };
  const all = [...names, ...late.struck.map(nameOf)];
  const fault = all.length === 0 ? {} : { fault: all.join(' ') };
  return { reply: late.reply ?? handled.reply, notes: { ...handled.notes, ...fault } };
}

const unreachable = (error: unknown): AwsError => ({
  code: 'ServiceUnavailable',
  message: `Expected the emulator behind the proxy to answer, got: ${error instanceof Error ? error.message : String(error)}`,
  status: 503,
});

function outcomeOf(reply: Reply): CallRecord['outcome'] {
  if (reply.kind === 'result') return { status: 200 };
  return reply.kind === 'drop' ? { status: 0 } : { status: reply.error.status, code: reply.error.code };
}

const unsigned: AwsError = {
  code: 'MissingAuthenticationToken',
  message: 'Request is missing Authentication Token',
  status: 403,
};

/** Handles one ELBv2 call and writes it to the log. */
export async function handle(state: ProxyState, request: ElbRequest): Promise<Reply> {
  const startedAt = Date.now();
  let scope: Scope | undefined;
  let handled: Handled;
  try {
    scope = request.credential === undefined ? undefined : await state.scopes.of(request);
    handled =
      scope === undefined ? failed(unsigned, { refusedBy: 'signed' }) : await perform(state, request, scope);
  } catch (error) {
    handled = failed(unreachable(error));
  }
  state.log.add({
    startedAt,
    endedAt: Date.now(),
    action: request.action,
    parameters: withoutSecrets(request.parameters),
    account: scope?.account ?? '',
    region: scope?.region ?? '',
    userAgent: String(request.headers['user-agent'] ?? request.headers['x-amz-user-agent'] ?? ''),
    outcome: outcomeOf(handled.reply),
    applied: false,
    ...handled.notes,
  });
  return handled.reply;
}

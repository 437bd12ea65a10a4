import { z } from 'zod';
import type { ProxyState } from './handled.ts';
import type { RawRequest } from './protocol/request.ts';
import {
  callerPolicySchema,
  defaultSettings,
  faultSchema,
  settingsChangeSchema,
  targetsSchema,
} from './switches.ts';

/** An answer of the control endpoint. */
export interface ControlAnswer {
  readonly status: number;
  readonly body: unknown;
}

interface ControlRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

type Route = (state: ProxyState, request: ControlRequest) => ControlAnswer;

const ok = (body: unknown): ControlAnswer => ({ status: 200, body });

const bad = (error: string, status = 400): ControlAnswer => ({ status, body: { error } });

function explain(error: z.ZodError, got: unknown): string {
  const lines = error.issues.map((issue) => {
    const at = issue.path.reduce<unknown>(
      (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
      got,
    );
    return `${issue.path.join('.') || 'the body'}: ${issue.message}, got ${JSON.stringify(at) ?? 'nothing'}`;
  });
  return `Expected other input. ${lines.join('; ')}. Correct it and send it again; local/elbv2-proxy/README.md shows examples.`;
}

function parse<T>(schema: z.ZodType<T>, body: string, use: (value: T) => ControlAnswer): ControlAnswer {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return bad(
      `Expected a JSON body, got ${JSON.stringify(body.slice(0, 80))}. Send JSON; local/elbv2-proxy/README.md shows examples.`,
    );
  }
  const parsed = schema.safeParse(json);
  return parsed.success ? use(parsed.data) : bad(explain(parsed.error, json));
}

const callFilter = z.strictObject({
  since: z.coerce.number().int().min(0).optional(),
  listener: z.string().startsWith('arn:').optional(),
  targetGroup: z.string().startsWith('arn:').optional(),
  action: z.string().optional(),
  mentions: z.array(z.string()).optional(),
});

const calls: Route = (state, { query }) => {
  const mentioned = query.getAll('mentions');
  const given = { ...Object.fromEntries(query), mentions: mentioned.length === 0 ? undefined : mentioned };
  const filter = callFilter.safeParse(given);
  if (!filter.success) return bad(explain(filter.error, given));
  const { since, listener, targetGroup, action, mentions } = filter.data;
  const wanted = {
    ...(since === undefined ? {} : { since }),
    ...(listener === undefined ? {} : { listener }),
    ...(targetGroup === undefined ? {} : { targetGroup }),
    ...(action === undefined ? {} : { action }),
    ...(mentions === undefined ? {} : { mentions }),
  };
  return ok({ calls: state.log.find(wanted), last: state.log.last() });
};

const changeSettings: Route = (state, { body }) =>
  parse(settingsChangeSchema, body, (change) => {
    const given = Object.entries(change).filter(([, value]) => value !== undefined);
    state.settings = { ...state.settings, ...Object.fromEntries(given) };
    if (change.throttle !== undefined) state.buckets.clear();
    return ok(state.settings);
  });

const removeFault: Route = (state, { path }) => {
  const id = path.slice('/_proxy/faults/'.length);
  if (state.faults.remove(id)) return ok({ removed: id });
  const armed = state.faults.list().map((fault) => fault.id);
  return bad(`Expected the id of an armed fault (${armed.join(', ') || 'none is armed'}), got "${id}".`, 404);
};

const removeTargets: Route = (state, { query }) => {
  const arn = query.get('targetGroupArn');
  if (arn === null) state.targets.clear();
  else state.targets.delete(arn);
  return ok({ targets: [...state.targets.values()] });
};

const routes: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
  health: { GET: () => ok({ ok: true }) },
  settings: {
    GET: (state) => ok(state.settings),
    PUT: changeSettings,
    DELETE: (state) => {
      state.settings = defaultSettings;
      state.buckets.clear();
      return ok(state.settings);
    },
  },
  faults: {
    GET: (state) => ok({ faults: state.faults.list() }),
    POST: (state, { body }) => parse(faultSchema, body, (fault) => ok({ id: state.faults.add(fault).id })),
    DELETE: (state, request) => {
      if (request.path !== '/_proxy/faults') return removeFault(state, request);
      state.faults.clear();
      return ok({ faults: [] });
    },
  },
  targets: {
    GET: (state) => ok({ targets: [...state.targets.values()] }),
    PUT: (state, { body }) =>
      parse(targetsSchema, body, (targets) => {
        state.targets.set(targets.targetGroupArn, targets);
        return ok(targets);
      }),
    DELETE: removeTargets,
  },
  policies: {
    GET: (state) => ok({ policies: Object.fromEntries(state.policies) }),
    PUT: (state, { body }) =>
      parse(callerPolicySchema, body, ({ accessKey, policy }) => {
        state.policies.set(accessKey, policy);
        return ok({ accessKey });
      }),
    DELETE: (state) => {
      state.policies.clear();
      return ok({ policies: {} });
    },
  },
  calls: { GET: calls },
};

/** Answers a request to the control endpoint. */
export function control(state: ProxyState, raw: RawRequest): ControlAnswer {
  const url = new URL(raw.path, 'http://127.0.0.1');
  const [, , name = '', ...rest] = url.pathname.split('/');
  const methods = rest.length === 0 || name === 'faults' ? routes[name] : undefined;
  if (methods === undefined) {
    return bad(
      `Expected one of ${Object.keys(routes).join(', ')} under /_proxy/, got "${url.pathname}".`,
      404,
    );
  }
  const route = methods[raw.method];
  if (route === undefined)
    return bad(`Expected ${Object.keys(methods).join(' or ')}, got ${raw.method}.`, 405);
  return route(state, { path: url.pathname, query: url.searchParams, body: raw.body.toString('utf8') });
}

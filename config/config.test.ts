import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { variables } from './variables.ts';
import { ConfigError, hostToListenOn, loadConfig, unreadVariables } from './config.ts';

describe('loadConfig', () => {
  it('works without any variable', () => {
    expect(loadConfig({})).toMatchObject({
      kubernetes: { watchNamespaces: [] },
      aws: {},
      temporal: { address: '127.0.0.1:7233', namespace: 'default' },
      taskQueue: 'okra',
      elbv2TaskQueue: 'okra-elbv2',
      elbv2: {
        writes: { perSecond: 1.5, burst: 10 },
        registrations: { perSecond: 2, burst: 10 },
        reads: { perSecond: 10, burst: 40 },
      },
      lease: { namespace: 'default', name: 'okra' },
      driftIntervalSeconds: 60,
      logLevel: 'info',
    });
    expect(loadConfig({}).temporal.tls).toBeUndefined();
    expect(loadConfig({}).health).toBeUndefined();
  });

  it('gives every process a name of its own, also where hosts and process ids are the same', async () => {
    const { identity } = loadConfig({});
    expect(identity).toMatch(new RegExp(`-${process.pid}-[0-9a-f]{8}$`));
    expect(loadConfig({}).identity).toBe(identity);
    vi.resetModules();
    const another = await import('./config.ts');
    expect(another.loadConfig({}).identity).not.toBe(identity);
  });

  it('takes an empty variable for one that is not set', () => {
    expect(loadConfig({ OKRA_TASK_QUEUE: '', OKRA_DRIFT_INTERVAL: '' }).taskQueue).toBe('okra');
  });

  it('is frozen to the last part', () => {
    const config = loadConfig({ OKRA_WATCH_NAMESPACE: 'shop' });
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.kubernetes.watchNamespaces)).toBe(true);
  });

  it('serves the dashboard on this machine alone, unless people have to log in', () => {
    const local = { host: '127.0.0.1', port: 8090, login: false, hosts: [] };
    expect(loadConfig({}).dashboard).toEqual(local);
    expect(() => loadConfig({ OKRA_DASHBOARD_HOST: '0.0.0.0' })).toThrow(
      'invalid OKRA_DASHBOARD_HOST: must be 127.0.0.1 without a login, not "0.0.0.0".',
    );
    const open = { OKRA_DASHBOARD_HOST: '0.0.0.0', OKRA_DASHBOARD_LOGIN: 'true' };
    expect(loadConfig({ ...open, OKRA_DASHBOARD_HOSTS: 'okra.example.com, okra' }).dashboard).toEqual({
      host: '0.0.0.0',
      port: 8090,
      login: true,
      hosts: ['okra.example.com', 'okra'],
    });
  });

  it('takes a part of a write per second', () => {
    expect(loadConfig({ OKRA_ELBV2_WRITES_PER_SECOND: '0.25' }).elbv2.writes.perSecond).toBe(0.25);
  });

  it('tells of the Temporal SDK little, and its metrics only on a port', () => {
    expect(loadConfig({}).temporalTelemetry).toEqual({ level: 'warn' });
    const environment = {
      OKRA_TEMPORAL_LOG_LEVEL: 'debug',
      OKRA_TEMPORAL_METRICS_PORT: '9091',
      OKRA_HEALTH_HOST: '0.0.0.0',
    };
    expect(loadConfig(environment).temporalTelemetry).toEqual({
      level: 'debug',
      metrics: { host: '0.0.0.0', port: 9091 },
    });
  });

  it('sends traces where an endpoint is named', () => {
    expect(loadConfig({}).tracesEndpoint).toBeUndefined();
    const endpoint = 'http://collector:4318';
    expect(loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }).tracesEndpoint).toBe(endpoint);
  });

  it('has a codec of payloads where a module is named', () => {
    expect(loadConfig({}).temporal.codec).toBeUndefined();
    expect(loadConfig({ OKRA_PAYLOAD_CODEC: '/etc/okra/codec.mjs' }).temporal.codec).toBe(
      '/etc/okra/codec.mjs',
    );
  });

  it('has a version of the worker where both its name and its build are given', () => {
    expect(loadConfig({}).deployment).toBeUndefined();
    const environment = { TEMPORAL_DEPLOYMENT_NAME: 'okra', TEMPORAL_WORKER_BUILD_ID: 'v1.2.3' };
    expect(loadConfig(environment).deployment).toEqual({ deploymentName: 'okra', buildId: 'v1.2.3' });
    expect(problemsOf({ TEMPORAL_DEPLOYMENT_NAME: 'okra' })).toEqual([
      'TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID must be set together. Set both, or none.',
    ]);
  });

  it('takes a rate for each kind of call to ELBv2', () => {
    const environment = {
      OKRA_ELBV2_WRITES_PER_SECOND: '1',
      OKRA_ELBV2_WRITE_BURST: '2',
      OKRA_ELBV2_REGISTRATIONS_PER_SECOND: '3',
      OKRA_ELBV2_REGISTRATION_BURST: '4',
      OKRA_ELBV2_READS_PER_SECOND: '5',
      OKRA_ELBV2_READ_BURST: '6',
    };
    expect(loadConfig(environment).elbv2).toEqual({
      writes: { perSecond: 1, burst: 2 },
      registrations: { perSecond: 3, burst: 4 },
      reads: { perSecond: 5, burst: 6 },
    });
  });

  it('divides the rates of an account by the workers, and leaves each one call', () => {
    const { elbv2, datadog } = loadConfig({ OKRA_WORKERS: '4', OKRA_ELBV2_WRITE_BURST: '2' });
    expect(elbv2.writes).toEqual({ perSecond: 0.375, burst: 1 });
    expect(elbv2.registrations).toEqual({ perSecond: 0.5, burst: 2 });
    expect(datadog.queries).toEqual({ perSecond: 0.1, burst: 10 });
    expect(elbv2.reads).toEqual({ perSecond: 10, burst: 40 });
  });

  it('looks after StagedBindingPolicies, which are in no namespace, unless namespaces are named without a selector', () => {
    expect(loadConfig({}).stagedSelector).toBe('');
    expect(loadConfig({ OKRA_WATCH_NAMESPACE: 'shop' }).stagedSelector).toBeUndefined();
    const both = { OKRA_WATCH_NAMESPACE: 'shop', OKRA_STAGED_BINDING_POLICY_SELECTOR: 'team=shop' };
    expect(loadConfig(both).stagedSelector).toBe('team=shop');
  });

  it('splits the namespaces to watch', () => {
    expect(loadConfig({ OKRA_WATCH_NAMESPACE: 'shop, okra' }).kubernetes.watchNamespaces).toEqual([
      'shop',
      'okra',
    ]);
  });

  it.each([
    ['90s', 90],
    ['2m', 120],
    ['1h30m', 5400],
    ['60', 60],
  ])('reads the duration %s as %i seconds', (written, seconds) =>
    expect(loadConfig({ OKRA_SYNC_INTERVAL: written }).syncIntervalSeconds).toBe(seconds),
  );

  it('lists every problem with what was expected, what was got and what to do', () => {
    const environment = {
      OKRA_DRIFT_INTERVAL: '1 min',
      OKRA_HEALTH_PORT: '70000',
      AWS_ENDPOINT_URL: 'localhost',
    };
    expect(problemsOf(environment)).toEqual([
      'invalid AWS_ENDPOINT_URL: must be a URL such as http://127.0.0.1:4566, not "localhost". Correct or unset it.',
      'invalid OKRA_DRIFT_INTERVAL: must be a duration from 1s to 24h, such as 90s, not "1 min". Correct or unset it.',
      'invalid OKRA_HEALTH_PORT: must be a port from 1 to 65535, not "70000". Correct or unset it.',
    ]);
  });
});

describe('the endpoint of an AWS service', () => {
  const all = 'http://127.0.0.1:1';
  const own = 'http://127.0.0.1:2';
  it.each([
    ['is that of all services', { AWS_ENDPOINT_URL: all }, all],
    [
      'is its own where there is one',
      { AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2: own },
      own,
    ],
    ['is left to the SDK otherwise', {}, undefined],
  ])('%s', (_, environment, want) => expect(loadConfig(environment).aws.elbv2Endpoint).toBe(want));

  it('is another for EKS and for STS', () => {
    const environment = { AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_STS: own };
    expect(loadConfig(environment).aws).toMatchObject({ eksEndpoint: all, stsEndpoint: own });
    expect(loadConfig({ AWS_ENDPOINT_URL_EKS: own }).aws).toEqual({ eksEndpoint: own });
  });
});

describe('the commands that secrets may name', () => {
  it('are none, unless they are listed', () => {
    expect(loadConfig({}).execCommands).toEqual([]);
    const listed = 'aws eks  get-token --cluster-name *, /bin/kubelogin';
    expect(loadConfig({ OKRA_EXEC_COMMANDS: listed }).execCommands).toEqual([
      'aws eks get-token --cluster-name *',
      '/bin/kubelogin',
    ]);
  });

  it('send their tokens nowhere, unless hosts are listed', () => {
    expect(loadConfig({}).execServers).toEqual([]);
    expect(loadConfig({ OKRA_EXEC_SERVERS: '*.azmk8s.io, a.example:6443' }).execServers).toEqual([
      '*.azmk8s.io',
      'a.example:6443',
    ]);
  });

  it('see the variables that are listed', () => {
    expect(loadConfig({}).execEnvironment).toEqual([]);
    expect(loadConfig({ OKRA_EXEC_ENVIRONMENT: 'A, B_1' }).execEnvironment).toEqual(['A', 'B_1']);
  });
});

describe('the lease', () => {
  it.each([
    ['lies in the namespace of the pod', { POD_NAMESPACE: 'okra-system' }, 'okra-system'],
    ['lies where it is put', { POD_NAMESPACE: 'okra-system', OKRA_LEASE_NAMESPACE: 'other' }, 'other'],
  ])('%s', (_, environment, want) => expect(loadConfig(environment).lease.namespace).toBe(want));
});

describe('encryption', () => {
  const pair = { TEMPORAL_TLS_CLIENT_CERT_PATH: '/tls/crt', TEMPORAL_TLS_CLIENT_KEY_PATH: '/tls/key' };
  const client = { certificate: { path: '/tls/crt' }, key: { path: '/tls/key' } };
  it.each([
    ['comes with an API key', { TEMPORAL_API_KEY: 'k' }, {}],
    ['comes with the file of an API key', { OKRA_TEMPORAL_API_KEY_FILE: '/key' }, {}],
    ['comes with a certificate', pair, { client }],
    ['is had by asking', { TEMPORAL_TLS: 'true' }, {}],
    ['can be refused', { ...pair, TEMPORAL_TLS: 'false' }, undefined],
    [
      'takes certificates as content',
      { TEMPORAL_TLS_SERVER_CA_CERT_DATA: 'PEM' },
      { serverCa: { data: 'PEM' } },
    ],
  ])('%s', (_, environment, want) => expect(loadConfig(environment).temporal.tls).toEqual(want));

  it.each([
    [
      'refuses a certificate without a key',
      { TEMPORAL_TLS_CLIENT_CERT_PATH: '/tls/crt' },
      /must be set together/,
    ],
    ['refuses a path beside content', { ...pair, TEMPORAL_TLS_CLIENT_KEY_DATA: 'PEM' }, /are both set/],
    ['refuses not to verify', { TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'true' }, /always verified/],
  ])('%s', (_, environment, want) => expect(problemsOf(environment)).toEqual([expect.stringMatching(want)]));
});

describe('the API key of Temporal', () => {
  it.each([
    ['is a variable', { TEMPORAL_API_KEY: 'k' }, { data: 'k' }],
    ['is a file', { OKRA_TEMPORAL_API_KEY_FILE: '/key' }, { path: '/key' }],
  ])('%s', (_, environment, want) => expect(loadConfig(environment).temporal.apiKey).toEqual(want));

  it('is not both', () => {
    expect(problemsOf({ TEMPORAL_API_KEY: 'k', OKRA_TEMPORAL_API_KEY_FILE: '/key' })).toEqual([
      'TEMPORAL_API_KEY and OKRA_TEMPORAL_API_KEY_FILE are both set. Unset one.',
    ]);
  });
});

it('knows which variables of Okra nobody reads', () => {
  const read = { OKRA_WATCH_NAMESPACE: 'shop', OKRA_CODEC_KEY: 'k', AWS_REGION: 'x', HOME: '/' };
  const ofServices = {
    OKRA_METRICS_SERVICE_HOST: 'a',
    OKRA_METRICS_PORT_80_TCP: 'b',
    OKRA_METRICS_PORT: 'c',
  };
  expect(unreadVariables({ ...read, ...ofServices, OKRA_WATCH_NAMESPACES: 'shop' })).toEqual([
    'OKRA_WATCH_NAMESPACES',
  ]);
});

describe('a key', () => {
  const names = ['TEMPORAL_API_KEY', 'DD_API_KEY', 'DD_APP_KEY'];
  it.each(names)('in %s may end in a line break, as Secrets that are made of files do', (name) => {
    const { temporal, datadog } = loadConfig({ [name]: ' k1\n' });
    expect([temporal.apiKey, datadog.apiKey, datadog.appKey]).toContainEqual(
      name === 'TEMPORAL_API_KEY' ? { data: 'k1' } : 'k1',
    );
  });

  it.each(names)('in %s that no header takes is refused, and not repeated', (name) => {
    const want = `invalid ${name}: must be a key in one line of printable ASCII, not something else. Correct or unset it.`;
    for (const value of ['secret\nkey', 'schlüssel', '\n'])
      expect(problemsOf({ [name]: value })).toEqual([want]);
  });
});

const refused: [string, string][] = [
  ['AWS_REGION', 'Frankfurt'],
  ['TEMPORAL_ADDRESS', 'localhost'],
  ['TEMPORAL_TLS', 'yes'],
  ['OKRA_WATCH_NAMESPACE', 'Shop'],
  ['OKRA_WATCH_NAMESPACE', 'shop,'],
  ['OKRA_LEASE_NAME', 'My Lease'],
  ['OKRA_STAGED_BINDING_POLICY_SELECTOR', 'team in shop'],
  ['OKRA_DRIFT_INTERVAL', '0s'],
  ['OKRA_DRIFT_INTERVAL', '25h'],
  ['OKRA_SYNC_INTERVAL', '1h30'],
  ['OKRA_ELBV2_WRITES_PER_SECOND', '0'],
  ['OKRA_ELBV2_WRITE_BURST', '1.5'],
  ['OKRA_ELBV2_REGISTRATIONS_PER_SECOND', '-1'],
  ['OKRA_ELBV2_READ_BURST', '0'],
  ['OKRA_WORKERS', '0'],
  ['OKRA_EXEC_COMMANDS', 'aws,'],
  ['OKRA_EXEC_COMMANDS', 'AWS_PROFILE=shop'],
  ['OKRA_EXEC_ENVIRONMENT', 'AWS_*'],
  ['OKRA_LOG_LEVEL', 'verbose'],
  ['OKRA_HEALTH_PORT', '0'],
];

describe('a bad value', () => {
  it.each(refused)('of %s is refused: %s', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringContaining(`invalid ${name}: must be `)]);
  });
});

describe('docs/configuration.md', () => {
  it.each(Object.keys(variables.shape))('tells of %s', (name) => {
    expect(readFileSync(new URL('../docs/configuration.md', import.meta.url), 'utf8')).toContain(
      `| \`${name}\` |`,
    );
  });
});

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

const four = { lo: [{ family: 'IPv4' }] };
const both = { lo: [{ family: 'IPv4' }, { family: 'IPv6' }] };

describe('the address to listen on', () => {
  it.each([
    ['is all of IPv6, and so those of IPv4 too', '::', both, '::'],
    ['is all of IPv4 on a machine without IPv6', '::', four, '0.0.0.0'],
    ['is the one that is named', '0.0.0.0', both, '0.0.0.0'],
    ['is the one that is named, without IPv6 too', '127.0.0.1', four, '127.0.0.1'],
  ])('%s', (_, host, interfaces, want) => expect(hostToListenOn(host, interfaces)).toBe(want));

  it('can be listened on here', async () => {
    const server = createServer().listen(0, hostToListenOn('::'));
    await once(server, 'listening');
    server.close();
  });
});

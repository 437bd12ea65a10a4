import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { variables } from '../config/variables.ts';
import { loadConfig } from '../config/config.ts';

const root = join(import.meta.dirname, '..');

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly target: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly restart?: string;
}

const project = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const services = Object.entries(project.services);
const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8');

/** The version that an image has unless a variable says otherwise. */
const versionOf = ({ image = '' }: Service): string => /:(?:\$\{\w+:-)?([^:}]+)\}?$/.exec(image)?.[1] ?? '';

/** What is waited for to be healthy says how it is; what is waited for to end is not started again. */
function canBeKnown(condition: string, needed: Service | undefined): boolean {
  if (needed === undefined) return false;
  if (condition === 'service_healthy') return needed.healthcheck !== undefined;
  return condition !== 'service_completed_successfully' || needed.restart === undefined;
}

describe('docker-compose.yml', () => {
  it('has both components of okrad, and all that they need', () => {
    expect(services.map(([name]) => name).toSorted()).toEqual([
      'elbv2-proxy',
      'k3s',
      'kubeconfig',
      'moto',
      'postgresql',
      'temporal',
      'temporal-namespace',
      'temporal-schema',
      'temporal-ui',
      'watchers',
      'worker',
    ]);
    const components = ['watchers', 'worker'].map((name) => project.services[name]?.command);
    expect(components).toEqual([
      ['--components', 'watchers'],
      ['--components', 'worker'],
    ]);
  });

  it.each(services)('names a version of %s, and not the latest', (_, service) => {
    expect(versionOf(service)).toMatch(/^v?\d+/);
  });

  it('has a Temporal without CVE-2025-14986, that is 1.29.2 or newer', () => {
    const [major = 0, minor = 0, patch = 0] = versionOf(project.services['temporal'] ?? {})
      .split('.')
      .map(Number);
    expect([major, minor > 29 || (minor === 29 && patch >= 2)]).toEqual([1, true]);
  });

  it.each(services)('lets nobody else reach the ports of %s', (_, { ports = [] }) => {
    for (const port of ports) expect(port).toMatch(/^127[.]0[.]0[.]1:\d+:\d+$/);
  });

  it.each(services)('mounts and builds what there is for %s', (_, { volumes = [], build }) => {
    const sources = volumes.map((volume) => volume.split(':')[0] ?? '');
    const missing = sources.filter((source) =>
      source.startsWith('.') ? !existsSync(join(root, source)) : !(source in project.volumes),
    );
    expect(missing).toEqual([]);
    expect(build === undefined || dockerfile.includes(` AS ${build.target}\n`)).toBe(true);
  });

  it.each(services)('waits for services of which it can be known, before %s starts', (_, service) => {
    const waits = Object.entries(service.depends_on ?? {});
    const wrong = waits.filter(([name, { condition }]) => !canBeKnown(condition, project.services[name]));
    expect(wrong).toEqual([]);
  });

  it('takes PostgreSQL as healthy once it listens, and not as long as a first start prepares it', () => {
    expect(project.services['postgresql']?.healthcheck?.test).toContain('--host=127.0.0.1');
  });

  it('tells okrad what okrad understands', () => {
    const { environment = {} } = project.services['worker'] ?? {};
    const known = new Set([...Object.keys(variables.shape), 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']);
    expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([]);
    const config = loadConfig(environment);
    expect(config.health?.port).toBe(8080);
    expect(config.temporal.address).toBe('temporal:7233');
    expect(config.aws.elbv2Endpoint).toBe('http://elbv2-proxy:4566');
  });
});

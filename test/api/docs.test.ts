import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { resources } from '../../crds/index.ts';
import { blocksOf, pages, read, type DocumentedManifest } from '../support/documented-manifests.ts';
import { gettingStarted } from '../support/samples/getting-started.ts';
import { applyTo, type Manifest as KubernetesManifest } from '../../local/applying/apply.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** Kinds of others that are not installed here, and why they may stand in the documentation all the same. */
const notInstalled: Readonly<Record<string, string>> = {
  'elbv2.k8s.aws/v1beta1 TargetGroupBinding': 'belongs to the AWS Load Balancer Controller',
  'argoproj.io/v1alpha1 Application': 'belongs to Argo CD',
  'argoproj.io/v1alpha1 ApplicationSet': 'belongs to Argo CD',
  'kustomize.toolkit.fluxcd.io/v1 Kustomization': 'belongs to Flux',
};

/** What a page shows when it is not a Cell. */
const subjects: readonly (readonly [string, readonly string[]])[] = [
  ['docs/discovery/', resources.map(({ kind }) => kind)],
  ['docs/load-balancers/', resources.map(({ kind }) => kind)],
  ['docs/', ['Cell']],
];

const kindOf = ({ apiVersion = '', kind = '' }: DocumentedManifest): string => `${apiVersion} ${kind}`;

const blocks = pages.flatMap(blocksOf);

async function kubectl(args: readonly string[], input = ''): Promise<string> {
  const { binaries, environment } = inject('stack');
  const running = run(binaries.kubectl, [...args], { env: { ...process.env, ...environment } });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

describe('the manifests in the documentation', () => {
  const applyDry = applyTo(inject('stack').kubeconfig, { dryRun: true });
  const namespace = `docs-${process.pid}`;
  const named = new Set(
    blocks.flatMap(({ manifests }) => manifests).flatMap(({ metadata }) => metadata?.namespace ?? []),
  );
  beforeAll(async () => {
    await kubectl(['create', 'namespace', namespace]);
    for (const one of named) {
      const manifest = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: one } });
      await kubectl(['apply', '-f', '-'], manifest);
    }
  });
  afterAll(() => kubectl(['delete', 'namespace', namespace, '--wait=false']));

  // TargetGroupBindings are in other clusters.
  const { targetGroupBinding: _there, ...guide } = gettingStarted();
  it.concurrent.each(Object.entries(guide))(
    'A-I02 %s of the first getting-started guide is taken by the API server as it stands',
    async (_name, manifest) => {
      expect(await applyDry(manifest, namespace)).toBe(true);
    },
  );

  const cases = blocks.map(({ place, manifests }) => [place, manifests] as const);
  it.concurrent.each(cases)('%s is taken by the API server as it is', async (_, manifests) => {
    expect(manifests).not.toEqual([]);
    for (const manifest of manifests) {
      expect(manifest).toMatchObject({
        apiVersion: expect.any(String),
        kind: expect.any(String),
        metadata: { name: expect.any(String) },
      });
      if (kindOf(manifest) in notInstalled) continue;
      const place = manifest.metadata?.namespace ?? namespace;
      if (await applyDry(manifest as KubernetesManifest, place)) continue;
      const flags = ['--dry-run=server', '--validate=strict', '-n', place, '-o', 'name'];
      await kubectl(['apply', ...flags, '-f', '-'], JSON.stringify(manifest));
    }
  });
});

describe('the documentation', () => {
  const topics = pages.filter((file) => /^docs\/(steps\/|load-balancers\/|decisions|gates)/.test(file));

  it.each(topics)('%s shows what it is about in a manifest', (file) => {
    const kinds = subjects.find(([folder]) => file.startsWith(folder))?.[1] ?? [];
    const shown = blocksOf(file).flatMap(({ manifests }) => manifests);
    expect(shown.filter(({ kind = '' }) => kinds.includes(kind))).not.toEqual([]);
  });

  it('has an index with every page', () => {
    // The pages about the kinds are generated, with an index of their own.
    const index = ['docs/README.md', 'docs/kinds/README.md'].flatMap(linksOf).map(({ target }) => target);
    expect(pages.filter((file) => file.startsWith('docs/') && !index.includes(file))).toEqual([
      'docs/README.md',
    ]);
  });

  it.each(pages)('%s links to what there is', (file) => {
    const broken = linksOf(file).filter(({ target, anchor }) => !exists(target, anchor));
    expect(broken).toEqual([]);
  });
});

interface Link {
  /** The path of the file from the root. */
  readonly target: string;
  readonly anchor: string;
}

/** The links of a page to other files, and to headings. */
function linksOf(file: string): readonly Link[] {
  const links = [...read(file).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
  return links.map(([, path = '', anchor = '']) => ({
    target: path === '' ? file : relative(root, join(root, dirname(file), path)),
    anchor,
  }));
}

function exists(target: string, anchor: string): boolean {
  const found = globSync(target, { cwd: root }).length > 0;
  if (!found || anchor === '') return found;
  const headings = read(target).match(/^#+ .*$/gm) ?? [];
  return headings.some((heading) => anchorOf(heading) === anchor);
}

/** How GitHub names the place of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { keptOf, publishedOf } from './keep-external.mjs';

const { packages } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
) as { readonly packages: Parameters<typeof keptOf>[0] };

it('the image keeps the packages that are not bundled, with what they need, and what the dashboard serves', () => {
  const kept = keptOf(packages);
  const wanted = [
    '@temporalio/worker',
    '@temporalio/core-bridge',
    '@datadog/datadog-api-client',
    'lit-html',
    'webpack',
  ];
  expect(wanted.filter((name) => !kept.has(`node_modules/${name}`))).toEqual([]);
  const bundled = [
    '@kubernetes/client-node',
    'zod',
    '@aws-sdk/client-elastic-load-balancing-v2',
    'commander',
  ];
  expect(bundled.filter((name) => kept.has(`node_modules/${name}`))).toEqual([]);
});

it('the published package names the dependencies that are not bundled, and no other', () =>
  expect(
    publishedOf({
      zod: '4.6.7',
      '@temporalio/worker': '1.24.0',
      '@temporalio-x/y': '1',
      'lit-html': '3.3.3',
    }),
  ).toEqual({ '@temporalio/worker': '1.24.0', 'lit-html': '3.3.3' }));

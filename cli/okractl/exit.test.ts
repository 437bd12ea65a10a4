import { expect, it } from 'vitest';
import { KubernetesError } from '../../clients/kubernetes/kubernetes-error.ts';
import { badUsage, endingOf, failed, refused, screenOf } from './shell.ts';
import { ConfigError } from '../../config/config.ts';

it.each([
  ['1 to what is not there', failed('x'), 1],
  ['2 to a wrong command line', badUsage('x'), 2],
  ['2 to a wrong environment', new ConfigError(['x']), 2],
  ['3 to what makes no sense', refused('x'), 3],
  [
    '3 to what Kubernetes does not allow',
    new KubernetesError({ status: 403, reason: 'Forbidden', message: 'x' }),
    3,
  ],
  [
    '1 to what Kubernetes does not answer',
    new KubernetesError({ status: 0, reason: 'Unreachable', message: 'x' }),
    1,
  ],
  ['1 to everything else', 'x', 1],
])('gives %s', (_, error, code) => {
  expect(endingOf(error)).toEqual({ code, message: expect.stringContaining('x') as unknown });
});

it('takes a terminal that does not know its size for one of 80 columns', () => {
  const sizeOf = (columns?: number, rows?: number) => {
    const screen = screenOf({ isTTY: true, columns, rows } as Parameters<typeof screenOf>[0]);
    return [screen?.columns(), screen?.rows()];
  };
  expect([sizeOf(0, 0), sizeOf(), sizeOf(120, 40)]).toEqual([
    [80, 24],
    [80, 24],
    [120, 40],
  ]);
  expect(screenOf({})).toBeUndefined();
});

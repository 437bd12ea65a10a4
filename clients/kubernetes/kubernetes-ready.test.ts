import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { KubernetesError } from './kubernetes-error.ts';
import { clientOver } from './kubernetes.ts';

const answering = (answer: string | Error) =>
  clientOver(({ path }) => {
    expect(path).toBe('/readyz');
    return answer instanceof Error
      ? Promise.reject(answer)
      : Promise.resolve(Readable.from([Buffer.from(answer)]));
  });
const error = (status: number): KubernetesError =>
  new KubernetesError({ status, reason: 'Other', message: 'no' });

describe('whether an API server is ready', () => {
  it.each([
    ['is said by its ok', 'ok', true],
    ['is not said by anything else', '<html>ok</html>', false],
    ['is denied by its error', error(500), false],
  ])('%s', async (_, answer, want) => expect(await answering(answer).isReady()).toBe(want));

  it.each([
    ['it refuses the login', 401],
    ['it is not there', 0],
  ])('is not known when %s', async (_, status) => {
    await expect(answering(error(status)).isReady()).rejects.toMatchObject({ status });
  });
});

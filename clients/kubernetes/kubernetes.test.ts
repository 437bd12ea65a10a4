import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { EKS_TARGET_GROUP_BINDING, POD, SECRET } from './kinds.ts';
import { KubernetesError } from './kubernetes-error.ts';
import type { Send } from './kubernetes-transport.ts';
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

/** An API server that answers this to whoever asks which kinds it serves. */
function serving(answer: object | Error) {
  const paths: string[] = [];
  const send: Send = ({ path }) => {
    paths.push(path);
    return answer instanceof Error
      ? Promise.reject(answer)
      : Promise.resolve(Readable.from([Buffer.from(JSON.stringify(answer))]));
  };
  return { paths, client: clientOver(send) };
}

describe('whether a cluster serves a kind', () => {
  it.each([
    [
      'is said by the list of its version',
      { resources: [{ name: 'nodeclasses' }, { name: 'targetgroupbindings' }] },
      true,
    ],
    [
      'is said by what can be done with it',
      { resources: [{ name: 'targetgroupbindings', verbs: ['create', 'delete', 'list'] }] },
      true,
    ],
    [
      'is denied when its definition is being deleted',
      { resources: [{ name: 'targetgroupbindings', verbs: ['delete', 'deletecollection', 'get', 'list'] }] },
      false,
    ],
    ['is said by a list that lacks it', { resources: [{ name: 'nodeclasses' }] }, false],
    [
      'is said by there being no such version',
      new KubernetesError({ status: 404, reason: 'NotFound', message: 'no' }),
      false,
    ],
  ])('%s', async (_, answer, want) => {
    const { client, paths } = serving(answer);
    expect(await client.serves(EKS_TARGET_GROUP_BINDING)).toBe(want);
    expect(paths).toEqual(['/apis/eks.amazonaws.com/v1']);
  });

  it.each([
    ['that is no list', {}],
    ['that refuses', new KubernetesError({ status: 403, reason: 'Forbidden', message: 'no' })],
  ])('is not known by an answer %s', async (_, answer) => {
    await expect(serving(answer).client.serves(EKS_TARGET_GROUP_BINDING)).rejects.toThrow(
      /the answer has no list|^no$/,
    );
  });

  it('is asked for elsewhere of the kinds that are built in', async () => {
    const { client, paths } = serving({ resources: [{ name: 'pods' }] });
    expect(await client.serves(POD)).toBe(true);
    expect(paths).toEqual(['/api/v1']);
  });
});

it('has the API server keep nothing of what is applied by dry run', async () => {
  const queries: unknown[] = [];
  const send: Send = ({ query }) => {
    queries.push(query);
    return Promise.resolve(Readable.from([Buffer.from('{}')]));
  };
  const pod = { apiVersion: POD.apiVersion, kind: POD.kind, metadata: { namespace: 'a', name: 'b' } };
  await clientOver(send).apply(pod, { dryRun: true });
  await clientOver(send).apply(pod);
  expect(queries).toMatchObject([{ dryRun: 'All', fieldValidation: 'Strict' }, {}]);
  expect(queries[1]).not.toHaveProperty('dryRun');
});

it.each(['.', '..', ''])(
  'asks for no other path than that of an object where its name is %j',
  async (name) => {
    const sent: string[] = [];
    const client = clientOver(({ method, path }) => {
      sent.push(`${method} ${new URL(`https://kubernetes${path}`).pathname}`);
      return Promise.reject(new Error('Expected no such request.'));
    });
    expect(await client.get(SECRET, { namespace: 'team', name })).toBeUndefined();
    expect(await client.get(SECRET, { namespace: name, name: 'key' })).toBeUndefined();
    await client.delete(SECRET, { namespace: 'team', name });
    await expect(client.patch(SECRET, { namespace: 'team', name }, {})).rejects.toThrow(
      'does not end in a valid object name',
    );
    await expect(client.list(SECRET, { namespace: name })).rejects.toThrow(
      'does not end in a valid object name',
    );
    expect(sent).toEqual([]);
  },
);

import { describe, expect, it } from 'vitest';
import { resources } from '../../crds/index.ts';
import { runOkractl, type FakeObject, type FakeWorld } from './testing/shell.ts';

const definitions = resources.map((kind) => kind.manifest() as unknown as FakeObject);
const check = (world: FakeWorld, ...words: readonly string[]) =>
  runOkractl(['check', ...words], { objects: definitions, ...world });

describe('check', () => {
  it('ends with 0 when all is there', async () => {
    const { out, code } = await check({});
    expect(out).toBe(`ok      Kubernetes answers; you are ann
ok      ${resources.length} of ${resources.length} CRDs match this okractl
?       Argo Rollouts is not installed; only steps with analyses and experiments need it
ok      you: 11 of 11 permissions
ok      requests that you may send to a Cell: pause, resume, promote, promotefull, abort, retry, approve
ok      requests that you may send to a StagedBindingPolicy: pause, resume, promote, abort, retry
ok      requests: by Temporal at 127.0.0.1:7233, namespace default
ok      the search attributes are registered
ok      workers poll okra and its related task queues
0 problems
`);
    expect(code).toBe(0);
  });

  it.each<[string, FakeWorld, RegExp]>([
    [
      'a kind that is missing',
      { objects: definitions.slice(1) },
      /PROBLEM CRD of Cell .* not found\. Install it/,
    ],
    [
      'a kind that is defined otherwise',
      { objects: [{ ...definitions[0]!, spec: { versions: [] } } as FakeObject, ...definitions.slice(1)] },
      /PROBLEM the CRD cells does not match this okractl/,
    ],
    [
      'a right to read',
      { allowed: ({ resource, verb }) => !(resource === 'cells' && verb !== 'patch') },
      /PROBLEM you may not get, list, watch cells in all namespaces \(get, describe, watch, history\)\. Grant it/,
    ],
    [
      'a worker',
      { temporal: { missingAttributes: [], unpolled: ['okra (workflow tasks)'] } },
      /no rollout progresses/,
    ],
    [
      'search attributes',
      { temporal: { missingAttributes: ['OkraCell'], unpolled: [] } },
      /search-attribute create/,
    ],
  ])('ends with 2 without %s, and says what to do', async (_, world, said) => {
    const { out, code } = await check(world);
    expect(out).toMatch(said);
    expect(code).toBe(2);
  });

  it.each([
    [
      200,
      { missingAttributes: [], unpolled: [] },
      /^ok {6}requests: through the API server, pod okra\/page\n/m,
      0,
    ],
    [200, { unpolled: ['okra (workflow tasks)'] }, /no rollout progresses/, 2],
    [404, {}, /PROBLEM requests: through the API server, pod okra\/page: 404 No login\./, 2],
  ])('says what the dashboard finds that answers with %s %j', async (status, fields, said, code) => {
    const answer = { status, message: 'No login.', fields, pod: 'okra/page' };
    const throughApi = { namespace: 'okra', call: () => Promise.resolve(answer) };
    expect(await check({ throughApi })).toMatchObject({ code, out: expect.stringMatching(said) as unknown });
    const { out } = await check({ throughApi, allowed: ({ resource }) => resource !== 'pods' });
    expect(out).toMatch(
      /PROBLEM you may not get, create pods\/portforward in namespace okra \(.*okra-forwarder\)/,
    );
  });

  it('does not count what only some commands need', async () => {
    const { out, code } = await check({ allowed: ({ verb }) => verb !== 'create' });
    expect(out).toContain('?       you may not create freezes (freeze, unfreeze); optional');
    expect(code).toBe(0);
  });

  it('says which requests one may make, and which role lets one make the others', async () => {
    const had = ['get', 'list', 'watch', 'pause', 'resume'];
    const { out, code } = await check({ allowed: ({ verb }) => had.includes(verb) });
    expect(out).toContain(
      '?       requests that you may send to a Cell: pause, resume; not promote, promotefull, abort, retry, approve (ClusterRole okra-operator and okra-approver)\n',
    );
    expect(out).toContain(
      '?       requests that you may send to a StagedBindingPolicy: pause, resume; not promote',
    );
    expect(code).toBe(0);
  });

  it('says in one line that someone has no rights at all', async () => {
    const { out } = await check({ allowed: (_, account) => account === undefined }, '--okrad', 'okra/none');
    expect(out).toMatch(/PROBLEM okrad \(okra\/none\): none of \d+ permissions\. Check the name/);
  });

  it('takes a schema for the same that the API server has tidied up', async () => {
    const tidied = JSON.parse(JSON.stringify(definitions).replaceAll(',"properties":{}', '')) as FakeObject[];
    expect(JSON.stringify(tidied)).not.toBe(JSON.stringify(definitions));
    expect(await check({ objects: tidied })).toMatchObject({ code: 0 });
  });

  it('asks for the rights of okrad in the name of its service account', async () => {
    const allowed: FakeWorld['allowed'] = ({ resource }, account) =>
      account === undefined || (account.name === 'okrad' && resource !== 'leases');
    const { out, code } = await check({ allowed }, '--okrad', 'okra/okrad');
    expect(out).toMatch(/PROBLEM okrad \(okra\/okrad\) may not .*get, patch leases in namespace okra/);
    expect(code).toBe(2);
    expect((await check({}, '--okrad', 'okrad')).err).toContain('must be NAMESPACE/NAME');
  });

  it('says that rights are asked for in all namespaces, of an okrad that has them in some', async () => {
    const allowed: FakeWorld['allowed'] = ({ namespace, resource }, account) =>
      account === undefined || namespace !== undefined || resource === 'clustersets';
    const everywhere = await check({ allowed }, '--okrad', 'okra/okra');
    expect(everywhere.out).toMatch(
      /may not .* cells in all namespaces .*\. Grant it, or check single namespaces with --namespace\./,
    );
    const inOne = await check({ allowed }, '--okrad', 'okra/okra', '--namespace', 'shop');
    expect(inOne.out).not.toContain('in all namespaces');
  });
});

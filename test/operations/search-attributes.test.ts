import { Client, Connection } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { createLog } from '../../clients/log.ts';
import { connectTemporal, type Temporal } from '../../clients/temporal/temporal.ts';
import { objectStart } from '../../clients/temporal/workflow-start.ts';
import { createDispatcher, workflowCalls } from '../../watchers/dispatch.ts';
import { openFront, refusals, type Front, type FrontCall, type Refusal } from '../support/temporal/front.ts';
import { createNamespace, temporal } from '../support/temporal/namespace.ts';
import { until } from '../support/until.ts';

const stack = inject('stack');
const log = createLog('silent');
const names = ['OkraKind', 'OkraNamespace', 'OkraCell', 'OkraVersion', 'OkraPhase'];

let front: Front;
let namespace: string;
beforeEach(async () => {
  front = await openFront(stack.temporal.address);
  namespace = await createNamespace(stack);
});
afterEach(() => front[Symbol.asyncDispose]());

/** Connects through the front, and says what was waited for. */
function connecting(): { readonly connected: Promise<Temporal>; readonly reasons: (string | undefined)[] } {
  const reasons: (string | undefined)[] = [];
  const config = { temporal: { address: front.address, namespace }, identity: 'test' };
  const connected = connectTemporal(config, { log, waiting: (reason) => void reasons.push(reason) });
  return { connected, reasons };
}

async function registered(): Promise<readonly string[]> {
  const connection = await Connection.connect({ address: stack.temporal.address });
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  await connection.close();
  return Object.keys(customAttributes);
}

const starts = (): number => front.calls.filter(({ method }) => /^Start|^Signal/.test(method)).length;

describe('search attributes that a namespace does not have', () => {
  it('are registered', async () => {
    const { connected, reasons } = connecting();
    const { connection, client } = await connected;
    expect((await registered()).toSorted()).toEqual(names.toSorted());
    const { type, options } = objectStart(
      { kind: 'Cell', key: { namespace: 'default', name: 'web' } },
      'nobody',
    );
    await client.workflow.start(type, options);
    expect(reasons).toEqual([undefined]);
    await connection.close();
  });

  it.each<[string, Readonly<Record<string, Refusal>>]>([
    ['may not be added', { AddSearchAttributes: refusals.unauthorized }],
    [
      'may not be listed either',
      { AddSearchAttributes: refusals.unauthorized, ListSearchAttributes: refusals.unauthorized },
    ],
    [
      'are not known to the server',
      { AddSearchAttributes: refusals.unimplemented, ListSearchAttributes: refusals.unimplemented },
    ],
  ])('are waited for where they %s, with the command that adds them', async (_, refused) => {
    front.refuse = ({ method }: FrontCall) => refused[method];
    const { connected, reasons } = connecting();
    const reason = await until('a reason', async () => reasons.at(-1));
    expect(reason).toContain(`search attributes ${names.join(', ')} not found`);
    expect(reason).toContain(`\`tcld namespace search-attributes add --namespace ${namespace} `);
    const [command = ''] = /temporal operator search-attribute create[^`]*/.exec(reason) ?? [];
    await temporal(stack, command);
    const { connection } = await connected;
    expect(reasons.at(-1)).toBeUndefined();
    expect(starts()).toBe(0);
    await connection.close();
  });

  it('are named, and no others', async () => {
    await temporal(
      stack,
      `temporal operator search-attribute create -n ${namespace} --name OkraKind --type Keyword --name OkraCell --type Keyword`,
    );
    front.refuse = ({ method }) => (method.endsWith('SearchAttributes') ? refusals.unauthorized : undefined);
    const { connected, reasons } = connecting();
    // A server takes some seconds to know everywhere what was registered.
    const reason = await until('the names of the others', async () =>
      reasons.find((one) =>
        one?.includes('search attributes OkraNamespace, OkraVersion, OkraPhase not found in'),
      ),
    );
    const [command = ''] = /temporal operator search-attribute create[^`]*/.exec(reason) ?? [];
    await temporal(stack, command);
    await (await connected).connection.close();
  });
});

describe('a server that says nothing of search attributes', () => {
  it('is not waited for longer than a while', async () => {
    front.refuse = ({ method }) =>
      /SearchAttributes$|^CountWorkflow/.test(method) ? refusals.unauthorized : undefined;
    const { connected } = connecting();
    await (await connected).connection.close();
  });
});

describe('a start that is refused because of search attributes', () => {
  it('is made when they are there', async () => {
    const connection = await Connection.connect({ address: front.address });
    const client = new Client({ connection, namespace });
    const config = {
      taskQueue: 'nobody',
      driftIntervalSeconds: 60,
      syncIntervalSeconds: 60,
      temporal: { address: front.address, namespace },
    };
    const { signal } = new AbortController();
    const { dispatch, idle } = createDispatcher({ calls: workflowCalls(client), config, log, signal });
    dispatch({ do: 'Start', kind: 'Cell', key: { namespace: 'default', name: 'web' } });
    await until('a refusal', async () => starts() > 0);
    const created = names.map((name) => `--name ${name} --type Keyword`).join(' ');
    await temporal(stack, `temporal operator search-attribute create -n ${namespace} ${created}`);
    await idle();
    expect((await client.workflow.getHandle('cell/default/web').describe()).status.name).toBe('RUNNING');
    await connection.close();
  });
});

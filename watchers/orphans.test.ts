import { describe, expect, it } from 'vitest';
import { cell } from '../crds/cell.ts';
import { aCell } from './testing/builders.ts';
import { noLog } from './testing/fakes.ts';
import type { Instruction } from './instruction.ts';
import { wakeOrphans } from './run.ts';

const running = [
  'cell/default/web',
  'cell/default/gone',
  'cell/other/gone',
  'load-balancer/default/gone',
  'stray',
];

async function woken(namespaces: string[], list: () => AsyncIterable<{ workflowId: string }>) {
  const dispatched: Instruction[] = [];
  await wakeOrphans({
    client: { workflow: { list } } as unknown as Parameters<typeof wakeOrphans>[0]['client'],
    namespaces,
    router: {
      objectOf: (id) => ({ kind: cell, object: id.endsWith('/gone') ? undefined : aCell('web') }),
    },
    dispatcher: { dispatch: (instruction) => dispatched.push(instruction) },
    log: noLog,
  });
  return dispatched.map((instruction) =>
    instruction.do === 'Signal' ? instruction.workflowId : instruction.do,
  );
}

async function* all() {
  for (const workflowId of running) yield await Promise.resolve({ workflowId });
}

describe('wakeOrphans', () => {
  it('wakes the workflows whose object is gone', async () => {
    expect(await woken([], all)).toEqual([
      'cell/default/gone',
      'cell/other/gone',
      'load-balancer/default/gone',
    ]);
  });

  it('leaves namespaces alone that are not watched', async () => {
    expect(await woken(['other'], all)).toEqual(['cell/other/gone']);
  });

  it('does without when workflows cannot be listed', async () => {
    const fails = async function* () {
      yield await Promise.reject<{ workflowId: string }>(new Error('no visibility'));
    };
    expect(await woken([], fails)).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Fields } from '../protocol/fields.ts';
import { createProtocols } from './protocols.ts';
import { groupArn, listenerArn } from './sample.ts';

/** An emulator that keeps the protocol of one group and one listener, behind what speaks of QUIC with it. */
function speaking() {
  const heard: Fields[] = [];
  let Protocol: Fields[string];
  const ask = createProtocols().spoken((_, parameters) => {
    heard.push(parameters);
    Protocol = parameters['Protocol'] ?? Protocol;
    const result = {
      TargetGroups: [{ TargetGroupArn: groupArn('q'), Protocol }],
      Listeners: [{ ListenerArn: listenerArn('net'), Protocol }],
    };
    return Promise.resolve({ ok: true, result });
  });
  const shown = async (action: string, parameters: Fields = {}): Promise<unknown> => {
    const answer = await ask(action, parameters);
    return answer.ok && answer.result;
  };
  return { heard, shown };
}

const both = (Protocol: string): object => ({
  TargetGroups: [{ TargetGroupArn: groupArn('q'), Protocol }],
  Listeners: [{ ListenerArn: listenerArn('net'), Protocol }],
});

describe('protocols', () => {
  it.each([
    ['QUIC', 'UDP'],
    ['TCP_QUIC', 'TCP_UDP'],
    ['TCP', 'TCP'],
  ])('are shown as %s where the emulator has been told %s', async (protocol, standIn) => {
    const { heard, shown } = speaking();
    expect(await shown('CreateTargetGroup', { Protocol: protocol })).toEqual(both(protocol));
    expect(await shown('DescribeTargetGroups')).toEqual(both(protocol));
    expect(heard[0]).toEqual({ Protocol: standIn });
  });

  it('follow a listener that changes its protocol', async () => {
    const { shown } = speaking();
    await shown('CreateListener', { Protocol: 'QUIC' });
    await shown('ModifyListener', { Protocol: 'UDP' });
    expect(await shown('DescribeListeners')).toEqual(both('UDP'));
  });
});

import { describe, expect, it } from 'vitest';
import { aWorld, forwardTo, listenerArn } from '../world/sample.ts';
import { judge } from './rules.ts';

// Listener configuration in https://docs.aws.amazon.com/elasticloadbalancing/latest/network/load-balancer-listeners.html
const families = [
  ['HTTP', ['b']],
  ['HTTPS', ['b']],
  ['TCP', ['tcp', 'tcp-udp', 'tcp-quic']],
  ['TLS', ['tcp', 'tls']],
  ['UDP', ['udp', 'tcp-udp']],
  ['TCP_UDP', ['tcp-udp']],
  ['QUIC', ['quic', 'tcp-quic']],
  ['TCP_QUIC', ['tcp-quic']],
] as const;

const groups = ['b', 'tcp', 'udp', 'tcp-udp', 'tls', 'quic', 'tcp-quic'];

describe('protocol families', () => {
  it.each(families)('let a %s listener forward to %j and to nothing else', (Protocol, want) => {
    const name = Protocol.startsWith('HTTP') ? 'web' : 'net';
    const taken = groups.filter((group) => {
      const parameters = {
        ListenerArn: listenerArn(name),
        Protocol,
        DefaultActions: [forwardTo({ [group]: 1 })],
      };
      const verdict = judge({ action: 'ModifyListener', parameters, world: aWorld() });
      expect([undefined, 'IncompatibleProtocols']).toContain(verdict?.refusal.code);
      return verdict === undefined;
    });
    expect(taken).toEqual(want);
  });

  it('judge every one of several groups', () => {
    const parameters = { ListenerArn: listenerArn('net'), DefaultActions: [forwardTo({ tcp: 1, udp: 0 })] };
    expect(judge({ action: 'ModifyListener', parameters, world: aWorld() })?.rule).toBe('protocol-family');
  });
});

import type { Ask } from '../emulator.ts';
import { type Fields, items, text } from '../protocol/fields.ts';

/*
 * The emulator knows no QUIC. It is told of UDP instead, and the proxy remembers what listeners and target groups really are.
 */

/** Speaks of QUIC with an emulator that knows none. */
export interface Protocols {
  /** Lets a caller speak with the emulator as if it knew QUIC. */
  spoken(ask: Ask): Ask;
}

const standIns: Readonly<Record<string, string>> = { QUIC: 'UDP', TCP_QUIC: 'TCP_UDP' };

const parts = { Listeners: 'ListenerArn', TargetGroups: 'TargetGroupArn' } as const;

const told = (parameters: Fields): Fields => {
  const Protocol = standIns[text(parameters, 'Protocol') ?? ''];
  return Protocol === undefined ? parameters : { ...parameters, Protocol };
};

/** Makes what remembers the protocols of one account and region. */
export function createProtocols(): Protocols {
  const known = new Map<string, string>();

  const shown = (one: Fields, arnName: string): Fields => {
    const Protocol = known.get(text(one, arnName) ?? '');
    return Protocol === undefined ? one : { ...one, Protocol };
  };

  const learn = (result: Fields, Protocol: string | undefined): void => {
    if (Protocol === undefined) return;
    for (const [part, arnName] of Object.entries(parts)) {
      for (const one of items(result, part)) {
        const arn = text(one, arnName) ?? '';
        if (standIns[Protocol] === undefined) known.delete(arn);
        else known.set(arn, Protocol);
      }
    }
  };

  return {
    spoken: (ask) => async (action, parameters) => {
      const answer = await ask(action, told(parameters));
      if (!answer.ok) return answer;
      if (/^(Create|Modify)/.test(action)) learn(answer.result, text(parameters, 'Protocol'));
      const given = Object.entries(parts).filter(([part]) => answer.result[part] !== undefined);
      const changed = given.map(([part, arnName]) => [
        part,
        items(answer.result, part).map((one) => shown(one, arnName)),
      ]);
      return { ok: true, result: { ...answer.result, ...Object.fromEntries(changed) } };
    },
  };
}

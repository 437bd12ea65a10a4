import type { Ask } from '../emulator.ts';
import { type Fields, items, mapTexts, text } from '../protocol/fields.ts';

/*
 * AWS names Application Load Balancers, their listeners and rules with `/app/`, those of Network and Gateway Load
 * Balancers with `/net/` and `/gwy/`; the emulator names all of them with `/app/`.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html
 */

/** The two spellings of the ARNs of one account and region. */
export interface Spelling {
  /** Lets a caller who spells as AWS does speak with the emulator. */
  spoken(ask: Ask): Ask;
}

const named = /(:(?:loadbalancer|listener|listener-rule)\/)(app|net|gwy)\/([A-Za-z0-9-]+\/[0-9A-Za-z]+)/g;

const segments: Readonly<Record<string, string>> = { network: 'net', gateway: 'gwy' };

/** Learns from the emulator's answers which load balancers AWS spells otherwise. */
export function createSpelling(): Spelling {
  const known = new Map<string, string>();

  const learn = (result: Fields): void => {
    for (const balancer of items(result, 'LoadBalancers')) {
      const segment = segments[text(balancer, 'Type') ?? ''];
      const [found] = (text(balancer, 'LoadBalancerArn') ?? '').matchAll(named);
      if (segment !== undefined && found?.[3] !== undefined) known.set(found[3], segment);
    }
  };

  // The spellings change places, in both directions: what a caller spells as the emulator does names nothing there.
  const swap = (value: string): string =>
    value.replace(named, (whole: string, kind: string, segment: string, name: string) => {
      const other = known.get(name);
      if (other === undefined || (segment !== 'app' && segment !== other)) return whole;
      return `${kind}${segment === 'app' ? other : 'app'}/${name}`;
    });

  return {
    spoken: (ask) => async (action, parameters) => {
      const answer = await ask(action, mapTexts(parameters, swap));
      if (!answer.ok) return { ok: false, error: { ...answer.error, message: swap(answer.error.message) } };
      learn(answer.result);
      return { ok: true, result: mapTexts(answer.result, swap) };
    },
  };
}

import { freezeAt, freezesOf, frozenNamespaces } from '../../domain/gates/freeze.ts';
import { inOneLine } from '../terminal-text.ts';
import { inOrder, type Watched } from '../okractl/watched.ts';
import type { FreezeView, Head } from './view.ts';

/** Says which Freezes hold now, and what of the page may be old. */
export function headOf({ freezes, troubles, isWhole }: Watched, now: number): Head {
  return {
    freezes: inOrder(freezes).flatMap(([name, freeze]): readonly FreezeView[] => {
      const namespaces = frozenNamespaces(freeze.spec);
      const freezing = freezeAt(freezesOf(namespaces?.[0] ?? 'default', [freeze]), now);
      if (freezing === undefined) return [];
      const { by, reason, until } = freezing;
      return [
        {
          name,
          by: inOneLine(by),
          reason: inOneLine(reason),
          ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
          ...(namespaces === undefined ? {} : { namespaces }),
        },
      ];
    }),
    troubles: told(troubles),
    isWhole,
  };
}

/** What has the same cause, but for where it was asked, is told once. */
function told(troubles: Watched['troubles']): readonly string[] {
  const alike = Map.groupBy(troubles, ([, why]) => why.replaceAll(/\/[^\s,]+/g, ''));
  return [...alike.values()].flatMap((some) => {
    const [, why = ''] = some[0] ?? [];
    return [`${some.map(([what]) => what).join(', ')} may be old: ${inOneLine(why)}`];
  });
}

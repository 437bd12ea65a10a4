import { CELL, STAGED_BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import { kindCalled } from './output.ts';
import { badUsage, type CommandError, failed } from './shell.ts';

type TargetKind = 'Cell' | 'StagedBindingPolicy';

/** An object that requests are about. */
export interface Target {
  readonly kind: TargetKind;
  readonly key: ObjectKey;
}

export const TARGET_HELP = 'a Cell, by its name or as cell/NAME, or a StagedBindingPolicy as sbp/NAME';

/** Reads which object is meant: `web`, `cell/web`, `sbp/nginx`. */
export function parseTarget(text: string, namespace: string): Target {
  const [first = '', second, ...others] = text.split('/');
  const kind = second === undefined ? 'Cell' : kindCalled(first)?.kind;
  const name = second ?? first;
  if ((kind !== 'Cell' && kind !== 'StagedBindingPolicy') || name === '' || others.length > 0)
    throw badUsage(`invalid name ${JSON.stringify(text)}: must be ${TARGET_HELP}`);
  return { kind, key: { namespace: kind === 'Cell' ? namespace : '', name } };
}

/** Reads the name of a Cell, for what there is of Cells alone. */
export function parseCell(text: string, namespace: string): ObjectKey {
  const { kind, key } = parseTarget(text, namespace);
  if (kind === 'Cell') return key;
  throw badUsage(`invalid name ${JSON.stringify(text)}: must be a Cell, by its name or as cell/NAME`);
}

/** Says an object the way people do: `Cell default/web`. */
export const formatTarget = ({ kind, key }: Target): string => `${kind} ${formatKey(key)}`;

export const readTarget = (
  kubernetes: Pick<KubernetesClient, 'get'>,
  { kind, key }: Target,
): Promise<Cell | StagedBindingPolicy | undefined> =>
  kubernetes.get(kind === 'Cell' ? CELL : STAGED_BINDING_POLICY, key);

export const missing = (target: Target): CommandError =>
  failed(
    `${formatTarget(target)} not found. See okractl get ${target.kind === 'Cell' ? 'cells -A' : 'sbp'}.`,
  );

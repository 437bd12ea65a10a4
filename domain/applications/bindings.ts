import type { RemoteBinding } from '../discovery/target-group-set/target-group-of-binding.ts';
import { matches } from '../kubernetes/selector.ts';
import type { FoundBinding } from './resolve.ts';

/** Finds the target group of an application in the TargetGroupBindings of a cluster: one, by labels such as `svc=web`. */
export function boundTargetGroup(
  cluster: string,
  selector: string,
  bindings: readonly Pick<RemoteBinding, 'labels' | 'arn' | 'isDeleting'>[],
): FoundBinding {
  const wanted = { matchLabels: equalitiesIn(selector) };
  const selected = bindings.filter(({ labels, isDeleting }) => !isDeleting && matches(wanted, labels));
  const arns = [...new Set(selected.map(({ arn }) => arn ?? ''))];
  const [arn = ''] = arns;
  if (arns.length === 1 && arn !== '') return { ok: true, arn };
  const message = `Expected in cluster ${cluster} one TargetGroupBinding with ${selector} and spec.targetGroupARN, got ${gotOf(arns)}. Create it, or correct the selector.`;
  return { ok: false, message };
}

function gotOf(arns: readonly string[]): string {
  if (arns.length === 0) return 'none';
  return arns.length === 1 ? 'one without the ARN' : `several with ${arns.length} target groups`;
}

/** The labels that a selector in one line asks for: `svc=web,tier=front`. */
export const equalitiesIn = (selector: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    selector.split(',').map((part) => {
      const at = part.indexOf('=');
      return [part.slice(0, at), part.slice(at + 1)];
    }),
  );

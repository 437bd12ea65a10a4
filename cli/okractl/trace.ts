import type { Command } from 'commander';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { AWSTargetGroupBinding } from '../../crds/aws-target-group-binding.ts';
import type { Cell } from '../../crds/cell.ts';
import type { Metadata } from '../../crds/resource.ts';
import { AWS_TARGET_GROUP, AWS_TARGET_GROUP_BINDING, CELL, SECRET } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { namedARN } from '../../domain/model/target-group.ts';
import { linesOf } from './branch.ts';
import { badUsage, failed } from './exit.ts';
import { kindCalled } from './kinds.ts';
import { originTree, sourceIn, type ClusterSecret } from './origin.ts';
import type { Globals, Shell } from './shell.ts';

/** Adds `trace`. */
export function addTrace(program: Command, shell: Shell): void {
  program
    .command('trace')
    .description(
      'Shows where a target group comes from and where it is used: its TargetGroupBinding, the cluster with its secret and set, and the Cells that select it.',
    )
    .argument('<target>', 'awstargetgroup/NAME, or the ARN of a target group')
    .action(async (text: string, _options: unknown, command: Command) => {
      const { kubernetes, namespace } = shell.session(command.optsWithGlobals<Globals>());
      const groups = await wanted(kubernetes, namespace, text);
      const trees = await Promise.all(groups.map((group) => traced(kubernetes, group)));
      shell.print(trees.map((lines) => lines.join('\n')).join('\n\n'));
    });
}

async function wanted(
  kubernetes: KubernetesClient,
  namespace: string,
  text: string,
): Promise<readonly AWSTargetGroup[]> {
  if (text.startsWith('arn:')) {
    const all = await kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP);
    const found = all.filter((group) => namedARN(group) === text);
    if (found.length > 0) return found;
    throw failed(`Expected an AWSTargetGroup with the ARN ${text}, got none in any namespace.`);
  }
  const name = nameIn(text);
  const found = await kubernetes.get<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace, name });
  if (found !== undefined) return [found];
  throw failed(`Expected AWSTargetGroup ${namespace}/${name}, got none. See okractl get awstargetgroups -A.`);
}

function nameIn(text: string): string {
  const [first = '', second, ...others] = text.split('/');
  if (second === undefined) return first;
  if (kindCalled(first)?.kind === 'AWSTargetGroup' && second !== '' && others.length === 0) return second;
  throw badUsage(`Expected awstargetgroup/NAME, or the ARN of a target group, got ${JSON.stringify(text)}.`);
}

async function traced(kubernetes: KubernetesClient, group: AWSTargetGroup): Promise<readonly string[]> {
  const { namespace = 'default' } = group.metadata;
  const source = sourceIn(group.metadata);
  const [secret, bindings, cells] = await Promise.all([
    source === undefined ? undefined : readSecret(kubernetes, namespace, source.secret),
    // What may not be read is left out: the rest is worth showing all the same.
    kubernetes.list<AWSTargetGroupBinding>(AWS_TARGET_GROUP_BINDING, { namespace }).catch(() => []),
    kubernetes.list<Cell>(CELL, { namespace }),
  ]);
  return linesOf(originTree({ group, secret, bindings, cells }));
}

async function readSecret(
  kubernetes: KubernetesClient,
  namespace: string,
  name: string,
): Promise<ClusterSecret> {
  try {
    const found = await kubernetes.get<{ readonly metadata: Metadata }>(SECRET, { namespace, name });
    return found === undefined ? { is: 'Missing' } : { is: 'Found', metadata: found.metadata };
  } catch (error) {
    return { is: 'Unreadable', why: error instanceof Error ? error.message : String(error) };
  }
}

import type { Command } from 'commander';
import { AWS_TARGET_GROUP, AWS_TARGET_GROUP_BINDING, CELL, SECRET } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroupBinding } from '../../crds/aws-target-group-binding.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import type { Metadata } from '../../crds/resource.ts';
import { CLUSTER_ID_ANNOTATION, SOURCE_ANNOTATION, VERSION_LABEL } from '../../domain/kubernetes/labels.ts';
import { namedARN } from '../../domain/model/target-group.ts';
import { selectTargetGroups } from '../../domain/versions/watched.ts';
import { inOneLine } from '../terminal-text.ts';
import { kindCalled } from './output.ts';
import { badUsage, failed, type Globals, type Shell } from './shell.ts';
import { type Branch, linesOf } from './tree.ts';
import { messageOf } from '../../domain/text.ts';

export function addTrace(program: Command, shell: Shell): void {
  program
    .command('trace')
    .description(
      'Shows where a target group comes from and which Cells use it: its TargetGroupBinding, the cluster with its secret and ClusterSet, and each Cell that selects it.',
    )
    .argument('<target>', 'awstargetgroup/NAME, or the ARN of a target group')
    .action(async (globals: Globals, text: string) => {
      const { kubernetes, namespace } = shell.session(globals);
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
    throw failed(`AWSTargetGroup with ARN ${text} not found in any namespace.`);
  }
  const [first = '', second, ...others] = text.split('/');
  const isKnown = kindCalled(first)?.kind === 'AWSTargetGroup' && second !== '' && others.length === 0;
  if (second !== undefined && !isKnown)
    throw badUsage(
      `invalid target ${JSON.stringify(text)}: must be awstargetgroup/NAME or the ARN of a target group`,
    );
  const name = second ?? first;
  const found = await kubernetes.get<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace, name });
  if (found !== undefined) return [found];
  throw failed(`AWSTargetGroup ${namespace}/${name} not found. See okractl get awstargetgroups -A.`);
}

/** Reads what an AWSTargetGroup was made of; undefined when someone has written it by hand. */
export function sourceIn({ annotations = {} }: Metadata) {
  const [secret = '', namespace = '', binding = '', api] = (annotations[SOURCE_ANNOTATION] ?? '').split('/');
  return binding === '' ? undefined : { secret, namespace, binding, api };
}

/** Draws where an AWSTargetGroup comes from, down to the cluster, and which Cells use it. */
async function traced(kubernetes: KubernetesClient, group: AWSTargetGroup): Promise<readonly string[]> {
  const { metadata, spec, status = {} } = group;
  const { namespace = 'default' } = metadata;
  const source = sourceIn(metadata);
  const [origin, bindings, cells] = await Promise.all([
    source === undefined ? undefined : secretBranch(kubernetes, namespace, source.secret),
    // What may not be read is left out: the rest is worth showing all the same.
    kubernetes.list<AWSTargetGroupBinding>(AWS_TARGET_GROUP_BINDING, { namespace }).catch(() => []),
    kubernetes.list<Cell>(CELL, { namespace }),
  ]);
  const version = metadata.labels?.[VERSION_LABEL] ?? status.version;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  return linesOf({
    text: `AWSTargetGroup ${namespace}/${metadata.name}: ${version === undefined ? 'without a version' : `version ${version}`}`,
    below: [
      {
        text: `target group ${spec.arn}`,
        below: [ready && inOneLine(`Ready ${ready.status}: ${ready.message}`)],
      },
      ...bindings.filter((binding) => isAbout(binding, spec.arn)).map(bindingBranch),
      source === undefined || origin === undefined
        ? 'created by hand, not from a cluster'
        : {
            text: `created from ${source.api === undefined ? '' : `${source.api} `}TargetGroupBinding ${source.namespace}/${source.binding} in a cluster`,
            below: [origin],
          },
      ...ownersOf(metadata).map((owner) => `created by ${owner}`),
      ...cellBranches(group, cells),
    ],
  });
}

const isAbout = ({ spec, status }: AWSTargetGroupBinding, arn: string): boolean =>
  spec.targetGroupARN === arn || status?.targetGroupARN === arn;

function bindingBranch({ metadata, status }: AWSTargetGroupBinding): Branch {
  const clusters = (status?.targets ?? []).flatMap((target) => target.clusters ?? []);
  const from = clusters.length === 0 ? '' : `, from ${[...new Set(clusters)].join(', ')}`;
  const ids = (status?.targets ?? []).reduce((sum, target) => sum + (target.ids ?? []).length, 0);
  return `AWSTargetGroupBinding ${metadata.namespace ?? 'default'}/${metadata.name} has registered ${ids} targets${from}`;
}

/** Draws the secret of a cluster, of which nothing but its metadata is looked at. */
async function secretBranch(
  kubernetes: KubernetesClient,
  namespace: string,
  secret: string,
): Promise<Branch> {
  const text = `cluster secret ${namespace}/${secret}`;
  try {
    const found = await kubernetes.get<{ metadata: Metadata }>(SECRET, { namespace, name: secret });
    if (found === undefined) return `${text} not found: unknown cluster`;
    const id = found.metadata.annotations?.[CLUSTER_ID_ANNOTATION];
    const owners = ownersOf(found.metadata).map((owner) => `created by ${owner}`);
    const by = owners.length === 0 ? ['created by hand or by another tool'] : owners;
    return { text, below: [id && `cluster ${id}`, ...by] };
  } catch (error) {
    return inOneLine(`${text} cannot be read: ${messageOf(error)}`);
  }
}

const ownersOf = ({ ownerReferences = [], namespace = 'default' }: Metadata): readonly string[] =>
  ownerReferences.map(({ kind, name }) => `${kind} ${namespace}/${name}`);

function cellBranches(group: AWSTargetGroup, cells: readonly Cell[]): readonly Branch[] {
  const selecting = cells.filter(({ spec }) => selectTargetGroups(spec, [group]).length > 0);
  if (selecting.length === 0) return ['selected by no Cell'];
  return selecting.map(({ metadata, spec, status = {} }) => {
    const [selected] = selectTargetGroups(spec, [group]);
    const { targetGroups = [], rejectedTargetGroups = [], phase = 'Pending' } = status;
    const served = targetGroups.find(({ arn }) => arn === group.spec.arn);
    const rejected = rejectedTargetGroups.find(({ name }) => name === group.metadata.name);
    const text =
      served === undefined
        ? `not in its rule${selected?.version === undefined ? '' : `, as version ${selected.version}`}`
        : `${served.role}, weight ${served.weight}`;
    return {
      text: `selected by Cell ${metadata.namespace ?? 'default'}/${metadata.name} (${phase}): ${text}`,
      below: [rejected && inOneLine(`${rejected.reason}: ${rejected.message}`)],
    };
  });
}

import { given, isRecord } from '../../domain/model/fields.ts';
import type { Command } from 'commander';
import {
  ANALYSIS_RUN,
  AWS_TARGET_GROUP,
  CELL,
  CUSTOM_RESOURCE_DEFINITION,
  EVENT,
  FREEZE,
  groupOf,
  type KindRef,
} from '../../clients/kubernetes/kinds.ts';
import { isNotFound } from '../../clients/kubernetes/kubernetes.ts';
import type { Access, ServiceAccount } from '../../clients/kubernetes/person.ts';
import { type AskedKind, requestsAllowed, roleWith } from '../../clients/kubernetes/request-rights.ts';
import { registration } from '../../clients/temporal/search-attributes.ts';
import { resources } from '../../crds/index.ts';
import { type RequestVerb, requestVerbs } from '../../crds/request-names.ts';
import type { permissions } from '../../deploy/rbac/permissions.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { inOneLine } from '../terminal-text.ts';
import { counted, forPrograms, outputOption } from './output.ts';
import { schemaIn } from './lint.ts';
import { badUsage, exitCodes, type Session, type Shell } from './shell.ts';
import { messageOf } from '../../domain/text.ts';
import type { Options } from './options.ts';

/** Adds `check`. */
export function addCheck(program: Command, shell: Shell): void {
  program
    .command('check')
    .description(
      'Checks that everything that Okra needs is there: CRDs, permissions, Temporal with its search attributes, and workers. Exits with status 2 when something is missing.',
    )
    .option(
      '--okrad [account]',
      'also check the permissions that okrad needs: those of the service account NAMESPACE/NAME, by default your own',
    )
    .addOption(outputOption())
    .action(async (_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options<'okrad' | 'output'>>();
      const session = shell.session(options);
      const findings = await findOut(session, options);
      const problems = findings.filter(({ is }) => is === 'Problem').length;
      shell.print(
        forPrograms(findings, options.output) ??
          `${formatFindings(findings)}\n${counted(problems, 'problem')}`,
      );
      if (problems > 0) shell.exitWith(exitCodes.problems);
    });
}

async function findOut(session: Session, options: Options<'okrad'>): Promise<readonly Finding[]> {
  const known = await session.whoAmI().then(
    (name) => fine(`Kubernetes answers; you are ${name}`),
    (error: unknown) => problem(messageOf(error)),
  );
  const temporal = temporalFindings(session);
  if (known.is === 'Problem') return [known, ...(await temporal)];
  const parts = await Promise.all([
    kindFindings(session),
    rightFindings(session, 'you', rightsOfPerson(options.namespace)),
    requestFindings(session, options.namespace),
    options.okrad === undefined ? [] : okradFindings(session, options.okrad, options.namespace),
    temporal,
  ]);
  return [known, ...parts.flat()];
}

async function kindFindings({ kubernetes }: Session): Promise<readonly Finding[]> {
  const own = resources.map(async (kind): Promise<Finding> => {
    const name = `${kind.plural}.${kind.apiVersion.split('/')[0] ?? ''}`;
    try {
      return judgeDefinition(kind, await kubernetes.get(CUSTOM_RESOURCE_DEFINITION, { name }));
    } catch (error) {
      if (await kubernetes.serves(kind).catch(() => false))
        return unknown(`the CRD ${kind.plural} is installed; you may not read its definition`);
      return isNotFound(error) ? judgeDefinition(kind, undefined) : problem(messageOf(error));
    }
  });
  const argo = kubernetes.serves(ANALYSIS_RUN).then(
    (isServed) =>
      isServed
        ? fine('Argo Rollouts is installed (for analyses and experiments)')
        : unknown('Argo Rollouts is not installed; only steps with analyses and experiments need it'),
    (error: unknown) => unknown(messageOf(error)),
  );
  const all = await Promise.all(own);
  const same = all.filter(({ is }) => is === 'Fine').length;
  const others = all.filter(({ is }) => is !== 'Fine');
  return [
    ...(same === 0 ? [] : [fine(`${same} of ${all.length} CRDs match this okractl`)]),
    ...others,
    await argo,
  ];
}

async function rightFindings(
  { may }: Session,
  who: string,
  rights: readonly Right[],
  account?: ServiceAccount,
): Promise<readonly Finding[]> {
  try {
    const judged = await Promise.all(
      rights.map(async (right) => ({ right, isAllowed: await may(right.access, account) })),
    );
    return judgeRights(who, judged);
  } catch (error) {
    return [unknown(`cannot check the permissions of ${who}: ${messageOf(error)}`)];
  }
}

async function requestFindings(session: Session, namespace?: string): Promise<readonly Finding[]> {
  try {
    const kinds = ['Cell', 'StagedBindingPolicy'] as const;
    return await Promise.all(
      kinds.map(async (kind) =>
        judgeRequests(kind, await requestsAllowed(session, { kind, key: { namespace } })),
      ),
    );
  } catch (error) {
    return [unknown(`cannot check which requests you may send: ${messageOf(error)}`)];
  }
}

async function okradFindings(
  session: Session,
  asked: string | true,
  watched: string | undefined,
): Promise<readonly Finding[]> {
  const account = asked === true ? undefined : parseAccount(asked);
  // Only this command needs the table.
  const { permissions } = await import('../../deploy/rbac/permissions.ts');
  const rights = rightsOfOkrad(permissions, watched, account?.namespace ?? session.leaseNamespace);
  return rightFindings(
    session,
    account === undefined ? 'you, as okrad,' : `okrad (${asked})`,
    rights,
    account,
  );
}

function parseAccount(text: string): ServiceAccount {
  const [namespace = '', name = '', ...others] = text.split('/');
  if (namespace !== '' && name !== '' && others.length === 0) return { namespace, name };
  throw badUsage(`invalid --okrad ${JSON.stringify(text)}: must be NAMESPACE/NAME of a service account`);
}

async function temporalFindings({ operator, temporal, taskQueue }: Session): Promise<readonly Finding[]> {
  const { address, namespace } = temporal;
  try {
    const findings = await (await operator()).inspect(taskQueue);
    return [
      fine(`Temporal answers at ${address}, namespace ${namespace}`),
      attributesFinding(findings.missingAttributes, namespace),
      pollsFinding(findings.unpolled, taskQueue),
    ];
  } catch (error) {
    return [problem(messageOf(error))];
  }
}

interface Finding {
  readonly is: 'Fine' | 'Problem' | 'Unknown';
  readonly what: string;
}

const fine = (what: string): Finding => ({ is: 'Fine', what });
const problem = (what: string): Finding => ({ is: 'Problem', what });
const unknown = (what: string): Finding => ({ is: 'Unknown', what });

/** Judges the definition of a kind as it is installed; undefined: there is none. */
function judgeDefinition(kind: (typeof resources)[number], installed: unknown): Finding {
  const { plural, apiVersion } = kind;
  if (installed === undefined)
    return problem(
      `CRD of ${kind.kind} (${apiVersion}) not found. Install it with kubectl apply -f crds/manifests, or with the chart.`,
    );
  const [kept, own] = [installed, kind.manifest()].map((one) => canonical(asKept(schemaIn(one))));
  return kept === own
    ? fine(`the CRD ${plural} matches this okractl`)
    : problem(
        `the CRD ${plural} does not match this okractl. Install the CRDs of the version of okrad, and use okractl of the same version.`,
      );
}

/** A schema as the API server keeps it: without properties of which there are none. */
function asKept(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asKept);
  if (!isRecord(schema)) return schema;
  const isEmpty = (key: string, value: unknown): boolean =>
    key === 'properties' && isRecord(value) && Object.keys(value).length === 0;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !isEmpty(key, value))
      .map(([key, value]) => [key, asKept(value)]),
  );
}

function attributesFinding(missing: readonly string[] | undefined, namespace: string): Finding {
  if (missing === undefined) return unknown('cannot read the search attributes of Temporal');
  if (missing.length === 0) return fine('the search attributes are registered');
  return problem(
    `search attributes ${missing.join(', ')} not found in namespace ${namespace}. ${registration(namespace, missing)}`,
  );
}

function pollsFinding(unpolled: readonly string[] | undefined, taskQueue: string): Finding {
  if (unpolled === undefined) return unknown('cannot read which workers poll');
  if (unpolled.length === 0) return fine(`workers poll ${taskQueue} and its related task queues`);
  return problem(
    `no worker polls task queue ${unpolled.join(', ')}, so no rollout progresses. Start okrad, or set OKRA_TASK_QUEUE to its task queue.`,
  );
}

const marks = { Fine: 'ok      ', Problem: 'PROBLEM ', Unknown: '?       ' } as const;

const formatFindings = (findings: readonly Finding[]): string =>
  findings.map(({ is, what }) => `${marks[is]}${inOneLine(what)}`).join('\n');

type Permission = (typeof permissions)[number];

interface Right {
  readonly access: Access;
  readonly use: string;
  readonly optional: boolean;
}

/** What only some steps, and StagedBindingPolicies, need: Argo Rollouts, Jobs, pod templates, KubeStellar, approvals. */
const optionalGroups: ReadonlySet<string> = new Set([
  'argoproj.io',
  'batch',
  'apps',
  'control.kubestellar.io',
  'authorization.k8s.io',
]);

/** All that okrad has to be let do, by the table of permissions: in what it watches, and where its Lease is. */
const rightsOfOkrad = (
  table: readonly Permission[],
  watched: string | undefined,
  own: string,
): readonly Right[] =>
  table.flatMap(({ scope, kinds, subresource, verbs, names = [undefined], use }) =>
    kinds.flatMap((kind) =>
      names.flatMap((name) =>
        verbs.map((verb) => ({
          access: {
            group: groupOf(kind),
            resource: kind.plural,
            verb,
            ...given({ subresource, name }),
            ...(scope === 'Cluster' ? {} : { namespace: scope === 'Own' ? own : watched }),
          },
          use,
          optional: scope === 'ClusterSecrets' || optionalGroups.has(groupOf(kind)),
        })),
      ),
    ),
  );

/** What a person needs for the commands; without reading nothing works. */
function rightsOfPerson(namespace: string | undefined): readonly Right[] {
  const right = (
    kind: KindRef,
    verbs: readonly string[],
    use: string,
    optional = false,
  ): readonly Right[] => {
    const of = { group: groupOf(kind), resource: kind.plural, ...(kind.namespaced ? { namespace } : {}) };
    return verbs.map((verb) => ({ access: { ...of, verb }, use, optional }));
  };
  return [
    ...right(CELL, ['get', 'list', 'watch'], 'get, describe, watch, history'),
    ...right(AWS_TARGET_GROUP, ['list'], 'plan, rollback'),
    ...right(AWS_TARGET_GROUP, ['watch'], 'watch --until-settled', true),
    ...right(FREEZE, ['list', 'watch'], 'describe, watch'),
    ...right(EVENT, ['list'], 'describe', true),
    ...right(CELL, ['patch'], 'rollback', true),
    ...right(FREEZE, ['create', 'delete'], 'freeze, unfreeze', true),
  ];
}

/** Says which requests a person may make, and by which ClusterRoles the others are let. */
function judgeRequests(kind: AskedKind, allowed: ReadonlySet<RequestVerb>): Finding {
  const lacking = requestVerbs[kind].filter((verb) => !allowed.has(verb));
  const had = [...allowed].join(', ') || 'none';
  const text = `requests that you may send to a ${kind}: ${had}`;
  if (lacking.length === 0) return fine(text);
  const by = [...new Set(lacking.map(roleWith))].join(' and ');
  return unknown(`${text}; not ${lacking.join(', ')} (ClusterRole ${by})`);
}

/** Judges rights by what the API server allows; those that are alike are told together. */
function judgeRights(
  who: string,
  rights: readonly { readonly right: Right; readonly isAllowed: boolean }[],
): readonly Finding[] {
  const denied = rights.filter(({ isAllowed }) => !isAllowed);
  if (denied.length === rights.length && denied.length > 1)
    return [problem(`${who}: none of ${rights.length} permissions. Check the name, and bind its roles.`)];
  const count = rights.length - denied.length;
  const groups = Map.groupBy(denied, ({ right: { access, use, optional } }) =>
    [access.resource, access.subresource ?? '', access.namespace ?? '', use, optional].join('|'),
  );
  const findings = [...groups.values()].flatMap((some): readonly Finding[] => {
    const [first] = some;
    if (first === undefined) return [];
    const { access, use, optional } = first.right;
    const { resource, subresource, namespace } = access;
    const verbs = [...new Set(some.map(({ right }) => right.access.verb))].join(', ');
    const isEverywhere = 'namespace' in access && namespace === undefined;
    const inOne = namespace === undefined ? '' : ` in namespace ${namespace}`;
    const what = subresource === undefined ? resource : `${resource}/${subresource}`;
    const text = `${who} may not ${verbs} ${what}${isEverywhere ? ' in all namespaces' : inOne} (${use})`;
    const narrower = isEverywhere ? ', or check single namespaces with --namespace' : '';
    return [optional ? unknown(`${text}; optional`) : problem(`${text}. Grant it${narrower}.`)];
  });
  return [...(count === 0 ? [] : [fine(`${who}: ${count} of ${rights.length} permissions`)]), ...findings];
}

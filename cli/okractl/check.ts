import { given, textIn } from '../../domain/model/fields.ts';
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
import type { TemporalFindings } from '../../clients/temporal/operator.ts';
import { registration } from '../../clients/temporal/search-attributes.ts';
import { resources } from '../../crds/index.ts';
import { requestVerbs } from '../../crds/request-names.ts';
import type { permissions } from '../../deploy/rbac/permissions.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { inOneLine } from '../terminal-text.ts';
import { counted, forPrograms, outputOption } from './output.ts';
import { schemaIn } from './lint.ts';
import { badUsage, exitCodes, type Session, type Shell } from './shell.ts';
import { messageOf } from '../../domain/text.ts';
import type { Options } from './options.ts';
import type { ThroughApi } from './through-api.ts';

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
    .action(async (options: Options) => {
      const session = shell.session(options);
      const findings = await findOut(session, options);
      const problems = findings.filter(({ is }) => is === 'Problem').length;
      const lines = findings.map(({ is, what }) => `${marks[is]}${inOneLine(what)}`);
      shell.print(
        forPrograms(findings, options.output) ?? [...lines, counted(problems, 'problem')].join('\n'),
      );
      if (problems > 0) shell.exitWith(exitCodes.problems);
    });
}

async function findOut(session: Session, options: Options): Promise<readonly Finding[]> {
  const known = await session.whoAmI().then(
    (name) => fine(`Kubernetes answers; you are ${name}`),
    (error: unknown) => problem(messageOf(error)),
  );
  const temporal = wayFindings(session);
  if (known.is === 'Problem') return [known, ...(await temporal)];
  const parts = await Promise.all([
    kindFindings(session),
    rightFindings(session, 'you', [
      ...rightsOfPerson(options.namespace),
      ...(session.throughApi === undefined ? [] : rightsThroughApi(session.throughApi.namespace)),
    ]),
    requestFindings(session, options.namespace),
    options.okrad === undefined ? [] : okradFindings(session, options.okrad, options.namespace),
    temporal,
  ]);
  return [known, ...parts.flat()];
}

async function kindFindings({ kubernetes }: Session): Promise<readonly Finding[]> {
  /** What is wrong with the definition of a kind; undefined: nothing. */
  const judge = async (kind: (typeof resources)[number]): Promise<Finding | undefined> => {
    const name = `${kind.plural}.${groupOf(kind)}`;
    try {
      return judgeDefinition(kind, await kubernetes.get(CUSTOM_RESOURCE_DEFINITION, { name }));
    } catch (error) {
      if (await kubernetes.serves(kind).catch(() => false))
        return unknown(`the CRD ${kind.plural} is installed; you may not read its definition`);
      return isNotFound(error) ? judgeDefinition(kind, undefined) : problem(messageOf(error));
    }
  };
  const argo = kubernetes.serves(ANALYSIS_RUN).then(
    (isServed) =>
      isServed
        ? fine('Argo Rollouts is installed (for analyses and experiments)')
        : unknown('Argo Rollouts is not installed; only steps with analyses and experiments need it'),
    (error: unknown) => unknown(messageOf(error)),
  );
  const others = (await Promise.all(resources.map(judge))).filter((found) => found !== undefined);
  const same = resources.length - others.length;
  const match = fine(`${same} of ${resources.length} CRDs match this okractl`);
  return [...(same === 0 ? [] : [match]), ...others, await argo];
}

async function rightFindings(
  { may }: Session,
  who: string,
  rights: readonly Right[],
  account?: ServiceAccount,
): Promise<readonly Finding[]> {
  try {
    const allowed = await Promise.all(rights.map(({ access }) => may(access, account)));
    return judgeRights(
      who,
      rights.length,
      rights.filter((_, at) => allowed[at] === false),
    );
  } catch (error) {
    return [unknown(`cannot check the permissions of ${who}: ${messageOf(error)}`)];
  }
}

/** Says which requests a person may make, and by which ClusterRoles the others are let. */
async function requestFindings(session: Session, namespace?: string): Promise<readonly Finding[]> {
  const judge = async (kind: AskedKind): Promise<Finding> => {
    const allowed = await requestsAllowed(session, { kind, key: { namespace } });
    const lacking = requestVerbs[kind].filter((verb) => !allowed.has(verb));
    const text = `requests that you may send to a ${kind}: ${[...allowed].join(', ') || 'none'}`;
    if (lacking.length === 0) return fine(text);
    const by = [...new Set(lacking.map(roleWith))].join(' and ');
    return unknown(`${text}; not ${lacking.join(', ')} (ClusterRole ${by})`);
  };
  return Promise.all((['Cell', 'StagedBindingPolicy'] as const).map(judge)).catch((error: unknown) => [
    unknown(`cannot check which requests you may send: ${messageOf(error)}`),
  ]);
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
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined) return { namespace, name };
  throw badUsage(`invalid --okrad ${JSON.stringify(text)}: must be NAMESPACE/NAME of a service account`);
}

/** By which way requests go, and what is found at its end. */
async function wayFindings({ throughApi, ...session }: Session): Promise<readonly Finding[]> {
  try {
    if (throughApi !== undefined) return await findingsThroughApi(throughApi);
    const { operator, temporal, taskQueue } = session;
    const { address, namespace } = temporal;
    const found = await (await operator()).inspect(taskQueue);
    const way = fine(`requests: by Temporal at ${address}, namespace ${namespace}`);
    return [way, ...temporalFindings(found, { namespace, taskQueue })];
  } catch (error) {
    return [problem(messageOf(error))];
  }
}

async function findingsThroughApi({ call }: ThroughApi): Promise<readonly Finding[]> {
  const { status, message, fields, pod } = await call();
  const way = `requests: through the API server, pod ${pod}`;
  if (status !== 200) return [problem(`${way}: ${status} ${message}`)];
  const listIn = (name: string) => (Array.isArray(fields[name]) ? fields[name].map(String) : undefined);
  const found = { missingAttributes: listIn('missingAttributes'), unpolled: listIn('unpolled') };
  const { namespace, taskQueue } = fields;
  const at = { namespace: textIn(namespace) ?? '', taskQueue: textIn(taskQueue) ?? '' };
  return [fine(way), ...temporalFindings(found, at)];
}

const temporalFindings = (
  { missingAttributes, unpolled }: TemporalFindings,
  { namespace, taskQueue }: { readonly namespace: string; readonly taskQueue: string },
): readonly Finding[] => [attributesFinding(missingAttributes, namespace), pollsFinding(unpolled, taskQueue)];

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

interface Finding {
  readonly is: 'Fine' | 'Problem' | 'Unknown';
  readonly what: string;
}

const fine = (what: string): Finding => ({ is: 'Fine', what });
const problem = (what: string): Finding => ({ is: 'Problem', what });
const unknown = (what: string): Finding => ({ is: 'Unknown', what });

/** Judges the definition of a kind as it is installed, if it is. */
function judgeDefinition(kind: (typeof resources)[number], installed: unknown): Finding | undefined {
  if (installed === undefined)
    return problem(
      `CRD of ${kind.kind} (${kind.apiVersion}) not found. Install it with kubectl apply -f crds/manifests, or with the chart.`,
    );
  if (asKept(schemaIn(installed)) === asKept(schemaIn(kind.manifest()))) return undefined;
  return problem(
    `the CRD ${kind.plural} does not match this okractl. Install the CRDs of the version of okrad, and use okractl of the same version.`,
  );
}

/** A schema as the API server keeps it: without properties of which there are none. */
const asKept = (schema: unknown): string =>
  canonical(
    JSON.parse(canonical(schema), (key, value: unknown) =>
      key === 'properties' && canonical(value) === '{}' ? undefined : value,
    ),
  );

const marks = { Fine: 'ok      ', Problem: 'PROBLEM ', Unknown: '?       ' } as const;

type Permission = (typeof permissions)[number];

interface Right {
  readonly access: Access;
  readonly use: string;
  readonly optional: boolean;
}

/** What only some steps, and StagedBindingPolicies, need: Argo Rollouts, Jobs, pod templates, KubeStellar, approvals. */
const OPTIONAL = ['argoproj.io', 'batch', 'apps', 'control.kubestellar.io', 'authorization.k8s.io'];

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
          optional: scope === 'ClusterSecrets' || OPTIONAL.includes(groupOf(kind)),
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

/** What a person needs besides to send requests without the address of Temporal, where Okra is. */
function rightsThroughApi(namespace: string): readonly Right[] {
  const pods = { group: '', resource: 'pods', namespace };
  const use = 'requests without TEMPORAL_ADDRESS; Role okra-forwarder';
  return [
    { ...pods, verb: 'list' },
    // A WebSocket begins with a get, and means a create.
    ...['get', 'create'].map((verb) => ({ ...pods, subresource: 'portforward', verb })),
  ].map((access) => ({ access, use, optional: false }));
}

/** Judges rights by those of them that the API server denies; those that are alike are told together. */
function judgeRights(who: string, all: number, denied: readonly Right[]): readonly Finding[] {
  if (denied.length === all && all > 1)
    return [problem(`${who}: none of ${all} permissions. Check the name, and bind its roles.`)];
  const alike = Map.groupBy(denied, ({ access: { resource, subresource, namespace }, use, optional }) =>
    [resource, subresource, namespace, use, optional].join('|'),
  );
  const findings = [...alike.values()].flatMap((some) => {
    const verbs = [...new Set(some.map(({ access }) => access.verb))].join(', ');
    return some.slice(0, 1).map(({ access, use, optional }): Finding => {
      const { resource, subresource, namespace } = access;
      const isEverywhere = 'namespace' in access && namespace === undefined;
      const inOne = namespace === undefined ? '' : ` in namespace ${namespace}`;
      const what = subresource === undefined ? resource : `${resource}/${subresource}`;
      const text = `${who} may not ${verbs} ${what}${isEverywhere ? ' in all namespaces' : inOne} (${use})`;
      const narrower = isEverywhere ? ', or check single namespaces with --namespace' : '';
      return optional ? unknown(`${text}; optional`) : problem(`${text}. Grant it${narrower}.`);
    });
  });
  const count = all - denied.length;
  return [...(count === 0 ? [] : [fine(`${who}: ${count} of ${all} permissions`)]), ...findings];
}

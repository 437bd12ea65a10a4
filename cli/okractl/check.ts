import type { Command } from 'commander';
import { resources } from '../../crds/index.ts';
import { ANALYSIS_RUN, CUSTOM_RESOURCE_DEFINITION } from '../../clients/kubernetes/kinds.ts';
import { isNotFound } from '../../clients/kubernetes/kubernetes.ts';
import { requestsAllowed } from '../../clients/kubernetes/request-rights.ts';
import type { ServiceAccount } from '../../clients/kubernetes/person.ts';
import { badUsage, exitCodes } from './exit.ts';
import {
  fine,
  formatFindings,
  judgeDefinition,
  judgeTemporal,
  problem,
  unknown,
  type Finding,
} from './findings.ts';
import { forPrograms, outputOption, type OutputFormat } from './output.ts';
import { judgeRequests, judgeRights, rightsOfOkrad, rightsOfPerson, type Right } from './rights.ts';
import type { Globals, Session, Shell } from './shell.ts';
import { counted } from './table.ts';

interface CheckOptions extends Globals {
  readonly okrad?: string | true;
  readonly output?: OutputFormat;
}

/** Adds `check`. */
export function addCheck(program: Command, shell: Shell): void {
  program
    .command('check')
    .description(
      'Checks that everything that Okra needs is there: kinds, rights, Temporal with its search attributes, and workers. Exits with status 2 when something is missing.',
    )
    .option(
      '--okrad [account]',
      'also check the rights of okrad: of the service account NAMESPACE/NAME, by default your own',
    )
    .addOption(outputOption())
    .action(async (_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<CheckOptions>();
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

async function findOut(session: Session, options: CheckOptions): Promise<readonly Finding[]> {
  const known = await session.whoAmI().then(
    (name) => fine(`Kubernetes answers, and knows you as ${name}`),
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function kindFindings({ kubernetes }: Session): Promise<readonly Finding[]> {
  const own = resources.map(async (kind): Promise<Finding> => {
    const name = `${kind.plural}.${kind.apiVersion.split('/')[0] ?? ''}`;
    try {
      return judgeDefinition(kind, await kubernetes.get(CUSTOM_RESOURCE_DEFINITION, { name }));
    } catch (error) {
      if (await kubernetes.serves(kind).catch(() => false))
        return unknown(`${kind.plural} are served; how they are defined you may not see`);
      return isNotFound(error) ? judgeDefinition(kind, undefined) : problem(messageOf(error));
    }
  });
  const argo = kubernetes.serves(ANALYSIS_RUN).then(
    (isServed) =>
      isServed
        ? fine('Argo Rollouts is installed, for analyses and experiments')
        : unknown('Argo Rollouts is not installed; steps with analyses and experiments need it'),
    (error: unknown) => unknown(messageOf(error)),
  );
  const all = await Promise.all(own);
  const same = all.filter(({ is }) => is === 'Fine').length;
  const others = all.filter(({ is }) => is !== 'Fine');
  return [
    ...(same === 0 ? [] : [fine(`${same} of ${all.length} kinds are defined as this okractl knows them`)]),
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
    return [unknown(`the rights of ${who} cannot be found out: ${messageOf(error)}`)];
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
    return [unknown(`the requests that you may make cannot be found out: ${messageOf(error)}`)];
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
  const rights = rightsOfOkrad(permissions, { watched, own: account?.namespace ?? session.leaseNamespace });
  return rightFindings(
    session,
    account === undefined ? 'you, as okrad,' : `okrad (${asked})`,
    rights,
    account,
  );
}

/** Reads which service account is meant: `okra/okra`. */
export function parseAccount(text: string): ServiceAccount {
  const [namespace = '', name = '', ...others] = text.split('/');
  if (namespace !== '' && name !== '' && others.length === 0) return { namespace, name };
  throw badUsage(`Expected NAMESPACE/NAME of a service account with --okrad, got ${JSON.stringify(text)}.`);
}

async function temporalFindings({ operator, temporal, taskQueue }: Session): Promise<readonly Finding[]> {
  const { address, namespace } = temporal;
  try {
    const findings = await (await operator()).inspect(taskQueue);
    return [
      fine(`Temporal answers at ${address}, and has the namespace ${namespace}`),
      ...judgeTemporal(findings, { namespace, taskQueue }),
    ];
  } catch (error) {
    return [problem(messageOf(error))];
  }
}

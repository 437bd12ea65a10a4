import { join } from 'node:path';
import { connectOperator } from '../../../clients/temporal/operator.ts';
import { startOkrad, type Okrad } from '../../../local/okrad.ts';
import type { Stage } from '../../support/stage/stage.ts';
import { until } from '../../support/until.ts';

/** What makes an okrad a version of a deployment of workers. */
export const versionOf = (deployment: string, build: string) => ({
  TEMPORAL_DEPLOYMENT_NAME: deployment,
  TEMPORAL_WORKER_BUILD_ID: build,
});

/** Gives a version of the worker all new work, once Temporal knows of it. */
export async function makeCurrent(stage: Stage, deployment: string, build: string): Promise<void> {
  const version = ['--deployment-name', deployment, '--build-id', build];
  await until(`${build} to be current`, () =>
    stage.temporal('worker', 'deployment', 'set-current-version', ...version, '--yes').then(
      () => true,
      () => false,
    ),
  );
}

/** Starts another version beside the okrad of the stage; it is ready before it is given work: that is what whoever makes it current waits for. */
export async function startVersion(
  stage: Stage,
  port: number,
  version: ReturnType<typeof versionOf>,
): Promise<Okrad> {
  const build = version.TEMPORAL_WORKER_BUILD_ID;
  const okrad = startOkrad({
    log: join(stage.stack.logs, `okrad-${stage.namespace}-${build}.log`),
    program: stage.stack.built.okrad,
    environment: { ...stage.okrad.environment, ...version, OKRA_HEALTH_PORT: String(port) },
  });
  await until(`version ${build} to be ready`, () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return okrad;
}

/** Waits until the rollout of a Cell is on a version. Whoever sleeps looks up after ten minutes; a word wakes it at once. */
export async function untilOn(stage: Stage, cell: string, build: string): Promise<void> {
  const workflowId = stage.workflowId(cell);
  await until(`the rollout of ${cell} to be on version ${build}`, async () => {
    if ((await stage.desk.run(workflowId)).build === build) return true;
    // Who hears something while at work looks again before it continues as new.
    if (!(await stage.desk.isAtWork(workflowId))) await stage.signal(cell, 'changed');
    return false;
  });
}

/** Ends the pause of a rollout, as a person does; answers with what was said. */
export async function resume(stage: Stage, cell: string, codec?: string): Promise<string> {
  const { temporal } = stage.stack;
  const operator = await connectOperator(codec === undefined ? temporal : { ...temporal, codec }, 'upgrades');
  const asked = await operator.ask(stage.workflowId(cell), 'resume', { by: 'ann', reason: 'looked at' });
  await operator.close();
  return asked.is;
}

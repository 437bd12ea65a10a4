import { fileURLToPath } from 'node:url';

import type { Component } from '../process.ts';
import { answersOk, waitFor } from '../wait.ts';
import { compiledPrograms, type Plan, type Planned } from './plan.ts';

/** The region and account in which the emulator's user works, and the credentials that it takes. */
export const awsIdentity = {
  region: 'us-east-1',
  accountId: '123456789012',
  /** The access key of okrad in tests, which may do what its IAM policy allows; the emulator takes any. */
  okradKey: 'okrad',
  environment: {
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_EC2_METADATA_DISABLED: 'true',
  },
} as const;

/** Plans moto, the AWS emulator; it keeps everything in memory, so that a restart forgets it. */
export async function planMoto(plan: Plan): Promise<Planned<{ readonly url: string }>> {
  const port = await plan.port();
  const url = `http://127.0.0.1:${port}`;
  const program = fileURLToPath(new URL('../aws-emulator.py', import.meta.url));
  const component: Component = {
    name: 'moto',
    after: [],
    command: plan.executable('moto'),
    args: [program, '-H', '127.0.0.1', '-p', String(port)],
    // Without MOTO_ACCOUNT_ID: it would make one account of all, whatever role is assumed.
    env: { ...awsIdentity.environment, PYTHONUNBUFFERED: '1' },
    ready: (signal) =>
      waitFor({ what: `${url}/moto-api/ to answer`, signal }, () => answersOk(`${url}/moto-api/data.json`)),
  };
  return { component, addresses: { url } };
}

/** Plans the strict ELBv2 proxy, which refuses what AWS refuses before moto sees it, and passes other services through. */
export async function planProxy(
  plan: Plan,
  moto: { readonly url: string },
): Promise<Planned<{ readonly url: string }>> {
  const port = await plan.port();
  const url = `http://127.0.0.1:${port}`;
  const program = fileURLToPath(new URL('../elbv2-proxy/main.ts', import.meta.url));
  const component: Component = {
    name: 'elbv2-proxy',
    after: ['moto'],
    command: process.execPath,
    args: [program, '--port', String(port), '--upstream', moto.url],
    env: compiledPrograms(),
    ready: (signal) => waitFor({ what: `${url} to answer`, signal }, () => answersOk(`${url}/_proxy/health`)),
  };
  return { component, addresses: { url } };
}

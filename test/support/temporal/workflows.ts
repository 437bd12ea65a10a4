import { proxyActivities } from '@temporalio/workflow';

interface Activities {
  echo(text: string): Promise<string>;
}

const { echo } = proxyActivities<Activities>({ startToCloseTimeout: '2m', heartbeatTimeout: '20s' });

/** Says what it was told, by an activity. */
export const echoes = (text: string): Promise<string> => echo(text);

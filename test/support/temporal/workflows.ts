import { proxyActivities } from '@temporalio/workflow';

interface Activities {
  hold(): Promise<string>;
  echo(text: string): Promise<string>;
}

const { hold, echo } = proxyActivities<Activities>({ startToCloseTimeout: '2m', heartbeatTimeout: '20s' });

/** Says what it was told, by an activity. */
export const echoes = (text: string): Promise<string> => echo(text);

/** Ends when its activity does. */
export const holds = (): Promise<string> => hold();

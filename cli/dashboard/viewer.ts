import type { Session } from '../okractl/shell.ts';
import type { Hub } from './hub.ts';

/** Someone who looks, with what they are let see and do. */
export interface Viewer {
  readonly session: Pick<
    Session,
    'kubernetes' | 'whoAmI' | 'identity' | 'may' | 'operator' | 'taskQueue' | 'temporal' | 'temporalUi'
  >;
  readonly hub: Hub;
  /** Given when they may look no more. */
  readonly signal: AbortSignal;
  /** Undefined: nobody has logged in, and nothing can be asked for. */
  readonly by: string | undefined;
  /** Says whether Kubernetes still lets them see all that they were let see at first; undefined: nobody asks. */
  readonly maySee?: () => Promise<boolean>;
}

/** Those who look, by what they show. */
export interface Viewers {
  /** Who shows a key; undefined when nobody is known by it. Without a key: those who need none, if there are any. */
  readonly of: (key: string | undefined) => Viewer | undefined;
  /** Logs in with a token of Kubernetes, and answers with a key; undefined: one cannot log in here. */
  readonly logIn?: (token: string) => Promise<string>;
  readonly logOut: (key: string) => void;
}

import { refusalTo, refusalToAsk, type Wish } from '../../clients/kubernetes/request-rights.ts';
import type { AskName } from '../../domain/model/request.ts';
import { refused } from './exit.ts';
import type { Session } from './shell.ts';
import type { Target } from './target.ts';

/** Ends the command where Kubernetes does not let the person make the request: Temporal, which takes it, does not ask. */
export async function mustBeLetAsk(
  session: Pick<Session, 'may' | 'whoAmI'>,
  name: AskName,
  target: Target,
): Promise<void> {
  refuseWith(await refusalToAsk(session, name, target));
}

/** Ends the command where Kubernetes does not let the person do what it is about to do. */
export async function mustBeLet(session: Session, wish: Wish): Promise<void> {
  refuseWith(await refusalTo(session, wish));
}

function refuseWith(refusal: string | undefined): void {
  if (refusal !== undefined) throw refused(refusal);
}

import type { CheckAnalysis } from '../../../crds/check.ts';
import type { Aggregator, Answer } from '../../../domain/checks/answer.ts';
import type { Question } from '../../../domain/checks/question.ts';
import type { Window } from '../../../domain/checks/window.ts';

/** What a provider is asked, and how. */
export interface Asked {
  readonly question: Question;
  readonly window: Window;
  readonly aggregator: Aggregator;
  /** Whether this is a plain query beside that of the analysis, such as that of minSamples. */
  readonly isPlain?: true;
}

/** A provider of metrics, opened for one Check. */
export interface Asker {
  /** Whose queries are counted together; undefined: nobody counts them. */
  readonly quota?: string;
  /** What it was opened with, which stands in no message. */
  readonly secrets: readonly string[];
  /** Asks once; throws a ProviderError, or what an SDK throws, when there is no whole answer. */
  readonly ask: (asked: Asked, signal: AbortSignal) => Promise<Answer>;
}

/** A kind of provider. */
export interface Provider {
  /** Reads the keys, and whether the namespace may use it; throws a ProviderError otherwise. */
  open(
    check: { readonly namespace: string; readonly analysis: CheckAnalysis },
    signal: AbortSignal,
  ): Promise<Asker>;
}

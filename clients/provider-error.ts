/** What keeps a provider of metrics, or an intake of events, from answering. It is no verdict on what is measured. */
type ProviderTrouble =
  | { readonly is: 'RateLimited'; readonly retryAfterMs: number }
  /** It asks to come back later, and does not say when. */
  | { readonly is: 'Throttled' }
  /** It refuses the question, or who asks; asking again helps nobody until someone has corrected that. */
  | { readonly is: 'Refused'; readonly reason?: 'NotAllowed' }
  /** It did not answer, or something that nobody can read. */
  | { readonly is: 'Unavailable' };

/** Says why a provider has not answered. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly trouble: ProviderTrouble;

  constructor(trouble: ProviderTrouble, message: string) {
    super(message);
    this.trouble = trouble;
  }
}

/** Makes an error of a provider that has not answered so that it can be read. */
export const unavailable = (message: string): ProviderError =>
  new ProviderError({ is: 'Unavailable' }, message);

/** Makes an error of what an AccessPolicy keeps from the namespace. */
export const notAllowed = (message: string): ProviderError =>
  new ProviderError({ is: 'Refused', reason: 'NotAllowed' }, message);

/** Makes an error of a provider that refuses the question. */
export const refused = (message: string): ProviderError => new ProviderError({ is: 'Refused' }, message);

/** What is known of the definition of a kind (the CustomResourceDefinition). */
export interface Definition {
  /** Whether it is there to stay. */
  readonly isThere: boolean;
  /** When it was created; undefined where Okra may not see that. */
  readonly since?: string | undefined;
}

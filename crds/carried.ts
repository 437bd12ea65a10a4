import { z } from 'zod';

const part = z.object({
  type: z.string().max(64).describe('The type of it, in the words of ELBv2: authenticate-oidc, url-rewrite.'),
  config: z
    .string()
    .max(32_768)
    .describe(
      'Its configuration as JSON, in the words of ELBv2; client secrets, which AWS never shows, are not in it.',
    ),
});

const parts = (what: string) =>
  z.array(part).max(10).meta({ 'x-kubernetes-list-type': 'atomic' }).optional().describe(what);

/** What a listener rule does besides matching and forwarding. */
export const carried = z.object({
  actions: parts(
    'What is done before a request is forwarded, in that order: authentication, validation of tokens.',
  ),
  transforms: parts('How a request is rewritten before it is forwarded.'),
});

/** One thing that a listener rule does besides matching and forwarding. */
export type CarriedPart = z.output<typeof part>;
/** What a listener rule does besides matching and forwarding. */
export type Carried = z.output<typeof carried>;

import { z } from 'zod';

const part = z.object({
  type: z.string().max(64).describe('The ELBv2 type, such as authenticate-oidc or url-rewrite.'),
  config: z
    .string()
    .max(32_768)
    .describe('Its ELBv2 configuration as JSON, without client secrets, which AWS never shows.'),
});

const parts = (what: string) =>
  z.array(part).max(10).meta({ 'x-kubernetes-list-type': 'atomic' }).optional().describe(what);

/** What a listener rule does besides matching and forwarding. */
export const carried = z.object({
  actions: parts('Actions before a request is forwarded, in order: authentication, validation of tokens.'),
  transforms: parts('How the load balancer rewrites a request before it forwards it.'),
});

/** One thing that a listener rule does besides matching and forwarding. */
export type CarriedPart = z.output<typeof part>;
/** What a listener rule does besides matching and forwarding. */
export type Carried = z.output<typeof carried>;

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import {
  notificationKinds,
  type Notification,
  type NotificationKind,
} from '../../domain/rollout/report/notifications.ts';
import { parseJSON } from '../../domain/model/fields.ts';
import { boundedRequest, rateLimited, startOf } from '../bounded-request.ts';
import type { Log } from '../log.ts';
import { openOutbox } from '../outbox.ts';
import { refused, unavailable } from '../provider-error.ts';

const variableNames = [
  'kind',
  'namespace',
  'name',
  'reason',
  'message',
  'desiredVersion',
  'stableVersion',
  'canaryWeight',
] as const satisfies readonly (keyof Notification)[];

const sample: Notification = {
  id: 'sample',
  kind: 'Started',
  namespace: 'shop',
  name: 'web',
  reason: 'RolloutStarted',
  message: '"Said."',
};

// A variable of a template, which stands within quotation marks.
const VARIABLE = /\{\{ ?(\w*) ?\}\}/g;

const SLACK = /^hooks\.slack(-gov)?\.com$/;

/** Writes a text for Slack, which would read `<…>` as a link or a mention. */
const forSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Fills a template for a host: `{{message}}` and the like, as they stand between quotation marks in JSON. */
export function fill(template: string, notification: Notification, host = ''): string {
  const write = SLACK.test(host) ? forSlack : String;
  return template.replaceAll(VARIABLE, (_, name: (typeof variableNames)[number]) =>
    JSON.stringify(write(String(notification[name] ?? ''))).slice(1, -1),
  );
}

const body = z
  .string()
  .refine(
    (text) =>
      [...text.matchAll(VARIABLE)].every(([, name = '']) =>
        (variableNames as readonly string[]).includes(name),
      ),
    { error: `must have no other variables than ${variableNames.join(', ')}` },
  )
  .refine((text) => parseJSON(fill(text, sample)) !== undefined, {
    error: 'must be JSON, with variables such as {{message}} within quotation marks',
  });

const webhook = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' }),
  headers: z.record(z.string(), z.string()).default({}),
  kinds: z
    .array(z.enum(notificationKinds, { error: `must be one of ${notificationKinds.join(', ')}` }))
    .default([...notificationKinds]),
  namespaces: z.array(z.string()).optional(),
  body: body.optional(),
});

type Webhook = z.output<typeof webhook>;

const file = z.strictObject({ webhooks: z.array(webhook) });

/** Reads the file that `OKRA_NOTIFICATIONS` names; throws when it cannot be read or says something else. */
export function readWebhooks(path: string): readonly Webhook[] {
  const problem = (said: string, cause?: unknown): Error =>
    new Error(`cannot read the file ${path} of OKRA_NOTIFICATIONS: ${said}`, { cause });
  let written: unknown;
  try {
    written = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw problem(error instanceof Error ? startOf(error.message) : 'an error', error);
  }
  const read = file.safeParse(written);
  if (read.success) return read.data.webhooks;
  const [first] = read.error.issues;
  throw problem(`invalid ${first?.path.join('.') ?? 'file'}: ${first?.message ?? ''}. Correct it.`);
}

function cloudEvent({ id, kind, ...data }: Notification, time: string): object {
  const { namespace, name } = data;
  return {
    specversion: '1.0',
    id,
    source: `/apis/okra.mumo.co/v1alpha1/namespaces/${namespace}/cells/${name}`,
    type: `co.mumo.okra.cell.${kind[0]?.toLowerCase()}${kind.slice(1)}`,
    subject: `${namespace}/${name}`,
    time,
    datacontenttype: 'application/json',
    data: { kind, ...data },
  };
}

interface WebhookOptions {
  readonly log: Pick<Log, 'warn'>;
  readonly signal: AbortSignal;
  /** How long a notification waits at most for its next attempt, in milliseconds. */
  readonly longestWaitMs?: number;
}

const LIMITS = { answerBytes: 64_000, milliseconds: 5_000 } as const;

/** Makes what notifies webhooks in the background, each by itself; logs what none of its attempts has delivered. */
export function notifyWebhooks(
  webhooks: readonly Webhook[],
  { log, signal, ...limits }: WebhookOptions,
): (notification: Notification) => void {
  const boxes = webhooks.map(({ url, headers, kinds, namespaces, body: template }) => {
    // The rest of the address may be a secret, as that of Slack is, and so may the headers.
    const { host, pathname, search } = new URL(url);
    const secrets = [pathname + search, pathname, ...Object.values(headers)].filter((one) => one.length > 1);
    const withoutSecrets = (text: string): string =>
      secrets.reduce((left, secret) => left.replaceAll(secret, '…'), text);
    const type = template === undefined ? 'application/cloudevents+json' : 'application/json';

    async function send({ notification, time }: Dispatch): Promise<void> {
      const text =
        template === undefined
          ? JSON.stringify(cloudEvent(notification, time))
          : fill(template, notification, host);
      const answer = await boundedRequest({
        provider: host,
        url,
        method: 'POST',
        headers: { 'content-type': type, 'user-agent': 'okra', ...headers },
        body: text,
        signal,
        limits: LIMITS,
      });
      const { status } = answer;
      if (status < 300) return;
      // Many servers repeat in an answer what they were asked.
      const said = `${status} ${startOf(withoutSecrets(answer.text))}`;
      if (status === 429) throw rateLimited(host, answer, said);
      if (status >= 500 || status === 408) throw unavailable(`cannot notify ${host}: ${said}.`);
      throw refused(`cannot notify ${host}: ${said}. Check its url, headers and body.`);
    }

    const onDropped = ({ title }: Dispatch, error: unknown): void =>
      log.warn(
        { event: title, cause: error instanceof Error ? error.message : 'an error' },
        'notification not sent',
      );
    const post = openOutbox<Dispatch>({ send, onDropped, signal, ...limits });
    const isFor = (kind: NotificationKind, namespace: string): boolean =>
      kinds.includes(kind) && (namespaces === undefined || namespaces.includes(namespace));
    return { post, isFor };
  });
  return (notification) => {
    const { id, kind, namespace, name } = notification;
    const time = new Date().toISOString();
    for (const { post, isFor } of boxes)
      if (isFor(kind, namespace)) post({ id, title: `${kind}: ${namespace}/${name}`, notification, time });
  };
}

interface Dispatch {
  readonly id: string;
  readonly title: string;
  readonly notification: Notification;
  readonly time: string;
}

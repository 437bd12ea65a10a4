import { z } from 'zod';
import { applicationsOfCell, type ApplicationOfCell } from './application.ts';

const text = z.string().max(4096);

const revisionData = z.object({
  hash: z.string().max(64),
  version: z.string().max(63),
  content: z.object({
    clusters: z
      .array(
        z.object({
          name: text,
          eksName: text,
          server: text,
          certificateAuthority: z.string().max(65_536),
          secretName: text,
        }),
      )
      .max(64),
    secretLabels: z.record(z.string(), text),
    targetGroups: z.array(z.object({ arn: text, clusters: z.array(text).max(64) })).max(64),
    application: z.unknown(),
  }),
});

type Written = z.output<typeof revisionData>;

/** What is kept of a revision of an application. */
export type RevisionData = Omit<Written, 'content'> & {
  readonly content: Omit<Written['content'], 'application'> & { readonly application: ApplicationOfCell };
};

/** Reads what a ControllerRevision holds; undefined when it is not one of an application. */
export function parseRevisionData(data: unknown): RevisionData | undefined {
  const parsed = revisionData.safeParse(data);
  if (!parsed.success) return undefined;
  const applications = applicationsOfCell.safeParse([parsed.data.content.application]);
  const application = applications.success ? applications.data[0] : undefined;
  if (application === undefined) return undefined;
  return { ...parsed.data, content: { ...parsed.data.content, application } };
}

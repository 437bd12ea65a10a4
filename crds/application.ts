import { boolean, enum as choice, object, optional, record, string, type z } from 'zod';
import {
  applicationListenerARN,
  duration,
  integer,
  listOf,
  mapOf,
  nonEmpty,
  objectName,
  targetGroupARN,
} from './common.ts';
import {
  refuseField,
  requireAnyOf,
  requireEither,
  requireOneOf,
  requirePattern,
  requireUnique,
  requireWith,
  type Rule,
  withRules,
} from './rules.ts';
import { analysisStep } from './analysis.ts';
import { analysisOfCell } from './check-analysis.ts';
import { jobSpec } from './update-strategy.ts';
import { BRIEF } from './structural-schema.ts';
import { forwardConfigMatch, forwardConfigRules } from './listener-rule.ts';

const clusterLabels = (field: string) => mapOf(field, string().max(512), { most: 50 });

const eks = object({
  clusterName: optional(nonEmpty(100)).describe(
    'The name of the cluster in EKS. Default: the name of the entry.',
  ),
});

const clusterOfCell = object({
  name: objectName(63, 'target groups are').describe('The name of the cluster in this Cell.'),
  eks: optional(eks).describe('The EKS cluster.'),
  requireReady: boolean()
    .default(true)
    .describe(
      'Whether the cluster must be ACTIVE and answer /readyz before anything begins. If false, EKS only needs to report its endpoint. Default: true.',
    ),
  readyTimeout: optional(duration).describe(
    'How long the cluster may take to become ready before the Cell fails, for example 60m. Default: no limit.',
  ),
  labels: optional(clusterLabels('labels')).describe('Labels for clusterSelector and arnFromLabel.'),
});

const eachNameOnce = (list: string): Rule =>
  requireUnique('name', `Names in ${list} must be unique. Rename or remove the duplicate.`);

/** The clusters of a Cell. */
export const clustersOfCell = withRules(listOf(clusterOfCell, 64, 1), [eachNameOnce('clusters')]).meta({
  'x-kubernetes-list-type': 'atomic',
});

/** A cluster of a Cell, as its spec says it. */
export type ClusterOfCell = z.output<typeof clusterOfCell>;

const EQUALITY = '[A-Za-z0-9]([A-Za-z0-9._/-]*[A-Za-z0-9])?=([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?';
const EQUALITIES = `^${EQUALITY}(,${EQUALITY})*$`;

/** A selector in one line: `svc=web`, several separated by commas. */
const equalities = requirePattern(
  EQUALITIES,
  'must be a selector such as svc=web; separate several with commas. Correct it.',
);

const targetGroup = withRules(
  object({
    arn: optional(targetGroupARN).describe('The ARN of the target group, for an application on one cluster.'),
    targetgroupBindingSelector: optional(withRules(nonEmpty(512), [equalities])).describe(
      'Selects, by labels such as svc=web, the TargetGroupBinding of the AWS Load Balancer Controller in each cluster.',
    ),
    arnFromLabel: optional(nonEmpty(317)).describe(
      'The label of the clusters in spec.clusters that has the ARN as its value.',
    ),
  }),
  [
    requireOneOf(
      ['arn', 'targetgroupBindingSelector', 'arnFromLabel'],
      'alb.forwardConfig.targetGroup must have exactly one of arn, targetgroupBindingSelector and arnFromLabel. Keep one.',
    ),
  ],
);

const weight = (what: string) => integer(1, 1000).default(100).describe(`${what} Default: 100.`);

const applicationLoadBalancerOfApplication = object({
  listenerARN: applicationListenerARN.describe('The ARN of the listener of the Application Load Balancer.'),
  forwardConfig: withRules(
    object({
      ...forwardConfigMatch,
      targetGroup: targetGroup.describe('How Okra finds the target group of each cluster.'),
    }),
    forwardConfigRules,
  ).describe(
    'The listener rule. Without conditions the rule must already exist and keeps its own conditions, and the Cell needs the annotation okra.mumo.co/adopt: "true".',
  ),
  updateStrategy: optional(
    withRules(
      object({
        stepWeight: weight('How much weight moves in each step.'),
        totalWeight: weight('The weight that represents all traffic.'),
      }),
      [
        {
          cel: 'self.stepWeight <= self.totalWeight',
          message: 'stepWeight must be at most totalWeight. Lower it.',
        },
      ],
    ),
  ).describe('How the weight moves: 10 of 100 is a canary, 100 of 100 is blue-green. Default: all at once.'),
});

const { templates, args } = analysisStep.shape;

const check = withRules(
  object({
    name: objectName(40, 'what measures is').describe(
      'The name of the check; Jobs, AnalysisRuns and Checks are named after it.',
    ),
    analysis: optional(analysisOfCell.meta({ ...analysisOfCell.meta(), [BRIEF]: true })).describe(
      'Okra measures a metric, as in a Check (kubectl explain check.spec.analysis), with variables in the queries.',
    ),
    templates: optional(templates.meta({ ...templates.meta(), [BRIEF]: true })).describe(
      'Runs an Argo Rollouts analysis of these templates.',
    ),
    args: args.meta({ [BRIEF]: true }).describe('The arguments for the templates.'),
    job: optional(jobSpec.meta({ [BRIEF]: true })).describe('Runs a Job, as the job step of a Cell does.'),
  }),
  [
    requireOneOf(
      ['analysis', 'templates', 'job'],
      'A check must have exactly one of analysis, templates and job. Write one check for each of them.',
    ),
    requireWith('args', ['templates'], 'args need templates. Add templates, or remove args.'),
  ],
);

const checksOf = (field: string) =>
  withRules(listOf(check, 8), [eachNameOnce(field)]).meta({ 'x-kubernetes-list-type': 'atomic' });

/** A check of an application. */
export type ApplicationCheck = z.output<typeof check>;

const ANYTHING = 'x-kubernetes-preserve-unknown-fields';

// The API server cannot tell the keys of the shorter form from fields, so that only Okra looks at them.
const clusterSelector = object({
  matchEKSTags: optional(clusterLabels('matchEKSTags')).describe(
    'Tags that the EKS cluster must have; all of them must match.',
  ),
})
  .catchall(string().max(512))
  .refine(({ matchEKSTags, ...labels }) => {
    const several = [matchEKSTags ?? {}, labels].map((map) => Object.keys(map).length > 0);
    return several.filter(Boolean).length === 1;
  }, 'clusterSelector must have either labels or matchEKSTags with tags. Add a label, or remove one of the two.')
  .meta({ [ANYTHING]: true });

const SECRET_TYPE = 'argocd.argoproj.io/secret-type';

// A Secret with any other is refused, but only once everything else is ready.
const labelValue = string()
  .max(63)
  .regex(
    /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/,
    'must be the value of a label: letters, digits and -_. between letters or digits. Correct it.',
  );

const secretLabels = withRules(mapOf('clusterSecret.labels', labelValue, { most: 32 }), [
  {
    cel: `!self.exists(k, k == '${SECRET_TYPE}' || k.startsWith('okra.mumo.co/'))`,
    message: `labels must not contain ${SECRET_TYPE}, which every cluster secret has anyway, nor labels of okra.mumo.co. Remove it.`,
  },
]);

const clusterSecret = withRules(
  object({
    labels: optional(secretLabels).describe(
      'Labels for the cluster secrets, for the ApplicationSet to select.',
    ),
    lables: optional(record(string(), string().max(63)).meta({ maxProperties: 32 })).describe(
      'Refused: a misspelling of labels.',
    ),
  }),
  [
    refuseField(
      'lables',
      'unknown field clusterSecret.lables: must be clusterSecret.labels. Correct the spelling.',
    ),
  ],
);

const applicationSet = withRules(
  object({
    name: optional(nonEmpty(253)).describe('The name of the ApplicationSet.'),
    selector: optional(withRules(nonEmpty(512), [equalities])).describe(
      'Selects the ApplicationSet by labels, such as svc=web. Separate several with commas.',
    ),
  }),
  [
    requireEither(
      'name',
      'selector',
      'applicationSet must have exactly one of name and selector. Remove one, or add one.',
    ),
  ],
);

const argocd = withRules(
  object({
    clusterSecret: optional(clusterSecret).describe(
      'The Argo CD cluster secrets: one for each cluster, in the namespace of the Cell.',
    ),
    applicationSet: optional(applicationSet).describe(
      'The ApplicationSet that deploys the application, in the namespace of the Cell. Its Applications must be Synced and Healthy.',
    ),
    updateStrategy: optional(
      object({
        type: choice(['CreateBeforeDelete', 'DeleteBeforeCreate'])
          .default('CreateBeforeDelete')
          .describe(
            'CreateBeforeDelete adds the new clusters first, DeleteBeforeCreate removes the old ones first and needs applicationSet. Default: CreateBeforeDelete.',
          ),
      }),
    ).describe('The order in which Okra adds and removes cluster secrets.'),
  }),
  [
    {
      cel: "has(self.applicationSet) || !has(self.updateStrategy) || self.updateStrategy.type != 'DeleteBeforeCreate'",
      message:
        'argocd.applicationSet is required with the updateStrategy DeleteBeforeCreate: Okra must know when its Applications are gone from the old clusters. Add it.',
    },
  ],
);

/** One application of a Cell. */
export const application = withRules(
  object({
    name: objectName(40, 'its Cell, its target groups and its revisions are').describe(
      'The name of the application.',
    ),
    clusterSelector: optional(clusterSelector).describe(
      'The clusters that the application runs on, by labels in spec.clusters (role: web) or by EKS tags (matchEKSTags). Required with two or more clusters. Default: all.',
    ),
    argocd: optional(argocd).describe('How Argo CD deploys the application.'),
    alb: optional(applicationLoadBalancerOfApplication).describe(
      'The Application Load Balancer in front of the application.',
    ),
    prechecks: optional(checksOf('prechecks')).describe('What must succeed before Okra changes anything.'),
    checks: optional(checksOf('checks')).describe(
      'What must succeed after each change of weights; without alb, once.',
    ),
    postchecks: optional(checksOf('postchecks')).describe(
      'What must succeed before Okra removes the old clusters.',
    ),
  }),
  [
    requireAnyOf(['argocd', 'alb'], 'An application must have argocd, alb, or both. Add one.'),
    {
      cel: "!has(self.alb) || !has(self.argocd) || !has(self.argocd.updateStrategy) || self.argocd.updateStrategy.type != 'DeleteBeforeCreate'",
      message:
        'argocd.updateStrategy.type must be CreateBeforeDelete with alb: DeleteBeforeCreate would leave the load balancer without targets. Change the type, or remove alb.',
    },
    {
      cel: '!has(self.alb) || !has(self.alb.updateStrategy) || (self.alb.updateStrategy.totalWeight + self.alb.updateStrategy.stepWeight - 1) / self.alb.updateStrategy.stepWeight * (1 + (has(self.checks) ? size(self.checks) : 0)) <= 100',
      message:
        'Too many weight changes and checks: totalWeight / stepWeight * (1 + number of checks) must be at most 100. Raise stepWeight, or remove checks.',
    },
  ],
);

/** The applications of a Cell. */
export const applicationsOfCell = withRules(listOf(application, 16, 1), [
  eachNameOnce('applications'),
  {
    cel: 'self.all(one, !has(one.alb) || self.exists_one(other, has(other.alb) && other.alb.listenerARN == one.alb.listenerARN && other.alb.forwardConfig.priority == one.alb.forwardConfig.priority))',
    message:
      'Two applications have the same listenerARN and priority and would take traffic from each other. Choose another priority.',
  },
]).meta({ 'x-kubernetes-list-type': 'atomic' });

/** An application of a Cell, as its spec says it. */
export type ApplicationOfCell = z.output<typeof application>;

const shortText = string().max(4096);

const revisionData = object({
  hash: string().max(64),
  version: string().max(63),
  content: object({
    clusters: listOf(
      object({
        name: shortText,
        eksName: shortText,
        server: shortText,
        certificateAuthority: string().max(65_536),
        secretName: shortText,
      }),
      64,
    ),
    secretLabels: record(string(), shortText),
    targetGroups: listOf(object({ arn: shortText, clusters: listOf(shortText, 64) }), 64),
    application,
  }),
});

/** What is kept of a revision of an application. */
export type RevisionData = z.output<typeof revisionData>;

/** Reads what a ControllerRevision holds; undefined when it is not one of an application. */
export const parseRevisionData = (data: unknown): RevisionData | undefined =>
  revisionData.safeParse(data).data;

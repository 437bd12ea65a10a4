/** Every failure type that an activity or a workflow may throw, and whether trying again can help. */
export const failures = {
  ListenerNotFound: 'permanent',
  RuleNotFound: 'permanent',
  TargetGroupNotFound: 'permanent',
  Conflict: 'permanent',
  TooManyTargetGroups: 'permanent',
  TooManyRules: 'permanent',
  TooManyTargets: 'permanent',
  InvalidTarget: 'permanent',
  TargetGroupNameTaken: 'permanent',
  TargetGroupInUse: 'permanent',
  Refused: 'permanent',
  AccessDenied: 'permanent',
  NotAllowed: 'permanent',
  AnalysisTemplateNotFound: 'permanent',
  AnalysisTemplateInvalid: 'permanent',
  ReplicaSetNotFound: 'permanent',
  ExperimentInvalid: 'permanent',
  CheckInvalid: 'permanent',
  JobInvalid: 'permanent',
  InvalidObject: 'permanent',
  ObjectNotFound: 'permanent',
  Superseded: 'permanent',
  NoHealthyTargets: 'transient',
  NotRecorded: 'transient',
  NotServed: 'transient',
  Throttled: 'transient',
  Unavailable: 'transient',
} as const;

/** The name of a failure type. */
export type FailureType = keyof typeof failures;

/** Whether a failure of this type stays the same however often the call is repeated; one that is none of Okra's may pass. */
export const isPermanent = (type: string): boolean => isFailureType(type) && failures[type] === 'permanent';

/** Whether a string names a failure type of Okra's. */
export const isFailureType = (type: string): type is FailureType => Object.hasOwn(failures, type);

import { defineSearchAttributeKey } from '@temporalio/common';

/** What kind of object a workflow works for: Cell, AWSApplicationLoadBalancerConfig or Listener. */
export const OKRA_KIND = defineSearchAttributeKey('OkraKind', 'KEYWORD');
/** The namespace of the object. */
export const OKRA_NAMESPACE = defineSearchAttributeKey('OkraNamespace', 'KEYWORD');
/** The name of the Cell. */
export const OKRA_CELL = defineSearchAttributeKey('OkraCell', 'KEYWORD');
/** The version that is being rolled out, or that serves. */
export const OKRA_VERSION = defineSearchAttributeKey('OkraVersion', 'KEYWORD');
/** The phase of the Cell. */
export const OKRA_PHASE = defineSearchAttributeKey('OkraPhase', 'KEYWORD');

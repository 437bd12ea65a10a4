/** An object whose status may have conditions. */
interface Conditioned {
  readonly status?: { readonly conditions?: readonly ConditionRead[] | undefined } | undefined;
}

/** What is looked at of a condition. */
interface ConditionRead {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
}

/** Finds the condition of a type; undefined when the status does not have it. */
export const conditionOf = ({ status }: Conditioned, type: string): ConditionRead | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

/** Whether something is under way with an object, or nobody knows. */
export const mayBeUnderWay = (object: Conditioned): boolean =>
  conditionOf(object, 'Progressing')?.status !== 'False';

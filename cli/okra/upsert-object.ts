import { kindOf } from '../../clients/kubernetes/kinds.ts';
import { isConflict, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { refused } from '../okractl/shell.ts';
import type { OkraShell } from './shell.ts';

/** An object that the command line says. */
export interface SaidObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: object;
}

/** Creates an object or changes it to what the command line says; what others have set it takes from nobody. */
export async function upsertObject(
  kubernetes: KubernetesClient,
  object: SaidObject,
  { print, dryRun }: Pick<OkraShell, 'print'> & { readonly dryRun: boolean },
): Promise<void> {
  const { namespace, name } = object.metadata;
  const id = `${object.kind} ${namespace}/${name}`;
  const before = await kubernetes.get<SavedObject>(kindOf(object), { namespace, name });
  try {
    const after = await kubernetes.apply<SaidObject & SavedObject>(object);
    if (dryRun) return;
    const isSame = before !== undefined && before.metadata.resourceVersion === after.metadata.resourceVersion;
    print(`${id} ${before === undefined ? 'created' : isSame ? 'unchanged' : 'changed'}.`);
  } catch (error) {
    if (!isConflict(error)) throw error;
    throw refused(
      `Expected to set fields of ${id} that nobody else sets, got: ${messageOf(error)} Change it where it comes from.`,
    );
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface SavedObject {
  readonly metadata: { readonly resourceVersion?: string };
}

import { resources } from '../../crds/index.ts';
import type { PrinterColumn } from '../../crds/resource.ts';
import { cellText, valueAt } from './field-path.ts';
import type { Table } from './table.ts';
import { ageOf } from './time.ts';

/** A kind of Okra's, as far as it is shown. */
export type ShownKind = (typeof resources)[number];

/** Finds a kind by what people call it: its kind, its plural, its singular or a short name. */
export function kindCalled(word: string): ShownKind | undefined {
  const wanted = word.toLowerCase();
  return resources.find(({ kind, plural, singular, shortNames }) => {
    const names: readonly string[] = [kind.toLowerCase(), plural, singular, ...shortNames];
    return names.includes(wanted);
  });
}

/** An object as far as every one of them has it. */
export interface ShownObject {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** What a table of objects shows besides their columns. */
export interface TableOptions {
  readonly now: number;
  readonly wide: boolean;
  /** Whether the namespace is shown. */
  readonly namespaces: boolean;
}

/** Makes the table of objects of a kind, with the columns that kubectl has for it. */
export function tableOf(
  kind: Pick<ShownKind, 'namespaced'> & { readonly printerColumns: readonly PrinterColumn[] },
  objects: readonly ShownObject[],
  { now, wide, namespaces }: TableOptions,
): Table {
  // The message of a Cell says what it waits for, which is what one looks for first; a screen cuts it.
  const columns = kind.printerColumns.filter(
    ({ priority = 0, jsonPath }) => priority === 0 || wide || jsonPath === '.status.message',
  );
  const withNamespace = namespaces && kind.namespaced;
  const valueOf = (object: ShownObject, { type, jsonPath }: PrinterColumn): string => {
    const value = valueAt(object, jsonPath);
    return type === 'date' ? ageOf(typeof value === 'string' ? value : undefined, now) : cellText(value);
  };
  return {
    headings: [
      ...(withNamespace ? ['NAMESPACE'] : []),
      'NAME',
      ...columns.map(({ name }) => name.toUpperCase()),
    ],
    rows: objects.map((object) => [
      ...(withNamespace ? [object.metadata.namespace ?? ''] : []),
      object.metadata.name,
      ...columns.map((column) => valueOf(object, column)),
    ]),
  };
}

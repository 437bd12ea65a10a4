import { Option } from 'commander';
import { Document, visit } from 'yaml';
import { isPlain, plainly } from '../terminal-text.ts';

/** How objects are shown. */
export type OutputFormat = 'json' | 'yaml' | 'wide' | 'name';

/** The option that says how objects are shown. */
export const outputOption = (formats: readonly OutputFormat[] = ['json', 'yaml']): Option =>
  new Option('-o, --output <format>', 'the output format').choices([...formats]);

/** Writes a value for programs; undefined when it is to be shown to people. */
export function forPrograms(value: unknown, format: OutputFormat | undefined): string | undefined {
  if (format === 'json') return plainly(JSON.stringify(value, undefined, 2));
  if (format === 'yaml') return asYaml(value);
  return undefined;
}

/** Writes a value as YAML; what a terminal would take for a command stands in it by its number, as in JSON. */
export function asYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && !isPlain(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return plainly(document.toString({ lineWidth: 0 }).trimEnd());
}

/** An object as it is shown: without what only the API server reads. */
export function shown<Value extends object>(object: Value): Value {
  const metadata: unknown = Reflect.get(object, 'metadata');
  if (typeof metadata !== 'object' || metadata === null) return object;
  const { managedFields: _left, ...others } = metadata as Readonly<Record<string, unknown>>;
  return { ...object, metadata: others };
}

/** Objects as `kubectl get -o json` lists them. */
export const listOf = (items: readonly object[]): object => ({
  apiVersion: 'v1',
  kind: 'List',
  items: items.map(shown),
});

import { InvalidArgumentError } from 'commander';

/** The parts that a process can be made of. */
export const components = ['watchers', 'worker', 'dashboard'] as const;

/** The parts that do the work; the others are there to be asked for. */
export const usualComponents = ['watchers', 'worker'] as const;

/** The name of a part. */
export type Component = (typeof components)[number];

/** Reads a list of parts, `watchers,worker` say; each of them once. */
export function parseComponents(text: string): readonly Component[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !isComponent(name));
  if (unknown.length > 0) {
    const got = unknown.map((name) => JSON.stringify(name)).join(', ');
    throw new InvalidArgumentError(
      `${got}: must be one or more of ${components.join(', ')}, separated by commas.`,
    );
  }
  return components.filter((component) => names.includes(component));
}

const isComponent = (name: string): name is Component => (components as readonly string[]).includes(name);

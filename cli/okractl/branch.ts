import { asLine } from '../terminal-text.ts';

/** A line with what belongs to it. */
export interface Branch {
  readonly text: string;
  readonly below: readonly Branch[];
}

/** A line to which nothing belongs. */
export const leaf = (text: string): Branch => ({ text, below: [] });

/** The lines of a tree. */
export function linesOf({ text, below }: Branch): readonly string[] {
  const last = below.length - 1;
  return [
    asLine(text),
    ...below.flatMap((branch, at) => {
      const [first = '', ...others] = linesOf(branch);
      const [corner, edge] = at === last ? ['└─ ', '   '] : ['├─ ', '│  '];
      return [corner + first, ...others.map((line) => edge + line)];
    }),
  ];
}

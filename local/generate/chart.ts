import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type GeneratedFiles, withParts } from './files.ts';

const README = fileURLToPath(new URL('../../deploy/charts/okra/README.md', import.meta.url));
const VALUES = fileURLToPath(new URL('../../deploy/charts/okra/values.yaml', import.meta.url));

/** The page of the chart, which shows all its values as values.yaml explains them. */
export const files = (): GeneratedFiles => {
  const values = readFileSync(VALUES, 'utf8').trim();
  return new Map([[README, withParts(README, { values: `\`\`\`yaml\n${values}\n\`\`\`` })]]);
};

import { resources } from './index.ts';
import { structuralSchema, type StructuralSchema } from './structural-schema.ts';

const schemas = new Map<string, StructuralSchema>(
  resources.map(({ kind, status }) => [kind, structuralSchema(status)]),
);

/** What the API server takes as the status of a kind of Okra's. */
export const statusSchemaOf = (kind: string): StructuralSchema => schemas.get(kind) ?? {};
